// The package for Python: its own tests, which run the vectors of the specification, with and without `cryptography`.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { isSkipped } from '../support/skipping.ts'

const PACKAGE = join(import.meta.dir, '../../python')

const run = (...args: string[]): { code: number; said: string } => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['python3', ...args], {
    cwd: PACKAGE,
    stdin: 'ignore',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  })
  return { code: exitCode, said: `${stdout}${stderr}` }
}

/** Why the tests cannot run here. */
function whyNot(): string | undefined {
  if (!Bun.which('python3')) return 'there is no python3 here'
  const isNewEnough = run('-c', 'import sys; sys.exit(sys.version_info < (3, 10))').code === 0
  return isNewEnough ? undefined : 'python3 is older than 3.10'
}

const python = test.skipIf(isSkipped('the package for Python', whyNot()))

const UNITTEST = 'import unittest; unittest.main(module=None, argv=["unittest", "discover"])'

python.each([
  ['as it is installed here', UNITTEST],
  ['without the package cryptography', `import sys; sys.modules["cryptography"] = None; ${UNITTEST}`],
])('the tests of the package for Python pass, %s', (_, program) => {
  const { code, said } = run('-c', program)
  expect(said).toMatch(/\nRan [1-9]\d+ tests in .*\n\nOK( \(skipped=1\))?\n$/)
  expect(code).toBe(0)
})

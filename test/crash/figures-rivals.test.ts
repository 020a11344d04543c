// Several processes that change one ledger at the same time.

import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { checkFigures } from '../../src/figures/fsck.ts'
import { openInstallation } from '../../src/installation.ts'
import { storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { outcomesFile } from '../support/outcomes.ts'
import { atr } from '../support/service.ts'

const CASES = 12_000

test('of files that are taken at the same time each is taken whole, once, and none is lost', async () => {
  using folder = temporaryFolder()
  const env = { DATA_DIR: join(folder.path, 'data') }
  await atr(['init', '--origin', 'rivals.example'], env)
  const file = (n: number): string => {
    const path = join(folder.path, `${n}.csv`)
    writeFileSync(path, outcomesFile(n, CASES))
    return path
  }
  // Two files, one of them twice.
  const [one, two] = [file(1), file(2)]
  const take = async (path: string) => {
    const { code, out, err } = await atr(['outcomes', 'import', path, '--json'], env)
    expect([code, err]).toEqual([0, ''])
    return JSON.parse(out) as { batch_id: number; cases: number; already_imported: boolean }
  }
  const taken = await Promise.all([one, two, two].map(take))
  expect(taken.map(({ cases }) => cases)).toEqual([CASES, CASES, CASES])
  expect(taken.filter(({ already_imported }) => already_imported)).toHaveLength(1)
  expect(new Set(taken.map(({ batch_id }) => batch_id))).toEqual(new Set([1, 2]))

  // The same cases in two other files: the one that comes second is refused in plain words.
  const rivals = ['#', '##'].map((mark, i) => {
    const path = join(folder.path, `rival-${i}.csv`)
    // Another spelling, so other bytes.
    writeFileSync(path, outcomesFile(3, CASES).replaceAll('\n', mark === '#' ? '\n' : '\r\n'))
    return path
  })
  const said = await Promise.all(rivals.map((path) => atr(['outcomes', 'import', path, '--json'], env)))
  expect(said.map(({ code }) => code).sort()).toEqual([0, 1])
  expect(said.find(({ code }) => code === 1)?.err).toContain(
    '{"error":{"code":"outcomes_refused","message":"the file breaks a rule',
  )
  expect(said.find(({ code }) => code === 1)?.err).toContain('case_already_in_ledger')

  const { db } = await openInstallation(readConfig(await storeEnvironment(env.DATA_DIR)))
  const count = async (sql: string) => (await db.query<{ n: number }>(sql))[0]?.n
  expect(await count('SELECT COUNT(*) AS n FROM outcome')).toBe(3 * CASES)
  expect(await count('SELECT COUNT(*) AS n FROM outcome_salt')).toBe(3 * CASES)
  expect(await count('SELECT COUNT(*) AS n FROM outcome_batch')).toBe(3)
  for (const table of ['outcome_staged', 'outcome_staging'])
    expect(await count(`SELECT COUNT(*) AS n FROM ${table}`)).toBe(0)
  expect(await checkFigures(db)).toEqual([])
  await db.close()
})

import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
import { chosenTests } from '../support/chosen-tests.ts'
import { temporaryFolder } from '../support/folder.ts'

const ROOT = join(import.meta.dir, '../..')
const ENDLESS = `import { test } from 'bun:test'
import { renameSync, writeFileSync } from 'node:fs'
test('waits', async () => {
  const child = Bun.spawn(['sleep', '60'])
  writeFileSync('draft', [process.pid, process.ppid, child.pid].join(' '))
  renameSync('draft', 'begun')
  await Bun.sleep(60_000)
}, 120_000)`

/** A package whose tests are run by ours, and whose one test never ends. */
function endlessPackage(folder: string, test = ENDLESS): void {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules/.bin/bun'), join(folder, 'node_modules/.bin/bun'))
  writeFileSync(join(folder, 'endless.test.ts'), test)
  // A lone file is run by the runner itself.
  writeFileSync(join(folder, 'endless-too.test.ts'), '')
  const scripts = { test: `exec bun ${join(ROOT, 'test/run.ts')} endless` }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'endless', scripts }))
}

const lives = (pid: number): boolean => {
  try {
    // What has ended and was not waited for is still listed.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test.each(['SIGTERM', 'SIGKILL'] as const)('a run that is ended by %s leaves nothing behind', async (signal) => {
  using folder = temporaryFolder()
  endlessPackage(folder.path)
  const npm = spawn(['npm', 'test'], {
    cwd: folder.path,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const begun = join(folder.path, 'begun')
  while (!existsSync(begun)) await Bun.sleep(50)
  const [tests = 0, runner = 0, ofTest = 0] = readFileSync(begun, 'utf8').split(' ').map(Number)
  const run = Number(/^PPid:\t(\d+)/m.exec(readFileSync(`/proc/${runner}/status`, 'utf8'))?.[1])
  const all = [run, runner, tests, ofTest]
  expect(all.map(lives)).toEqual([true, true, true, true])
  npm.kill(signal)
  await npm.exited
  for (let tries = 0; all.some(lives) && tries < 200; tries++) await Bun.sleep(50)
  const left = all.filter(lives)
  for (const pid of left) process.kill(pid, 'SIGKILL')
  expect(left).toEqual([])
})

test('a test that never gives up its turn ends the run, which fails and says so', async () => {
  using folder = temporaryFolder()
  endlessPackage(folder.path, "import { test } from 'bun:test'\ntest('spins', () => { for (;;); }, 100)")
  const npm = spawn(['npm', 'test'], {
    cwd: folder.path,
    env: { ...process.env, ATR_SILENCE_MS: '3000' },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const said = await new Response(npm.stdout).text()
  expect([await npm.exited, said]).toEqual([
    1,
    expect.stringMatching(/no test has ended for 3 s.*\n(?:.*\n)*.*1 failed\n$/),
  ])
})

test('words choose the test files that have them in their path or in the names of their tests', () => {
  expect(chosenTests([])).toEqual([])
  expect(chosenTests(['never gives up its turn'])).toEqual(['test/meta/run.test.ts'])
  expect(chosenTests(['RUN.TEST', 'SIGN', 'leaves nothing behind'])).toEqual([])
  expect(chosenTests(['meta', 'leaves nothing behind'])).toEqual(['test/meta/run.test.ts'])
  expect(chosenTests(['meta/run', 'meta/rooms'])).toEqual(['test/meta/rooms.test.ts', 'test/meta/run.test.ts'])
  expect(chosenTests(['./test/meta/run.test.ts', 'src/rails/oauth'])).toEqual([
    'src/rails/oauth/assertion.test.ts',
    'test/meta/run.test.ts',
  ])
})

const PUBLISHED = `import { isSkipped } from '${join(ROOT, 'test/support/skipping.ts')}'
import { testOnPublished } from '${join(ROOT, 'test/support/published-files.ts')}'
testOnPublished('one', ['a.csv'], () => {})
testOnPublished('two', ['b.csv'], () => {})
isSkipped('a suite', 'a program is missing')
`

test.each([
  ['without the folder of published files', 'none', {}, [], 0, 2],
  ['without the folder, where CI is set', 'none', { CI: 'true' }, [], 0, 2],
  ['in a folder that lacks a file', '.', {}, ['two'], 1, 1],
  ['where all is required', 'none', { REQUIRE_ALL: '1' }, ['tests on published files', 'a suite'], 1, 0],
])('%s, what is skipped and what fails is told', async (_, shared, env, failures, code, lines) => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'a.csv'), '')
  writeFileSync(join(folder.path, 'some.test.ts'), PUBLISHED)
  const child = spawn([join(ROOT, 'node_modules/.bin/bun'), 'test', 'some.test.ts'], {
    cwd: folder.path,
    env: { ...process.env, CI: '', REQUIRE_ALL: '', ATR_SHARED_DATA: join(folder.path, shared), ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const all = said.join('\n')
  expect([await child.exited, all.match(/^SKIPPED: /gm)?.length ?? 0]).toEqual([code, lines])
  expect(Array.from(all.matchAll(/^\(fail\) (?:REQUIRE_ALL=1: )?(.*?)( \[.*)?$/gm), ([, name]) => name)).toEqual(
    failures,
  )
})

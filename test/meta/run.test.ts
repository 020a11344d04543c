import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
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
  writeFileSync(join(folder, 'node_modules/.bin/tsc'), '#!/bin/sh\n')
  chmodSync(join(folder, 'node_modules/.bin/tsc'), 0o755)
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
    env: { ...process.env, CI: '' },
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
    env: { ...process.env, CI: '', ATR_SILENCE_MS: '3000' },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const said = await new Response(npm.stdout).text()
  expect([await npm.exited, said]).toEqual([
    1,
    expect.stringMatching(/no test has ended for 3 s.*\n(?:.*\n)*.*1 failed\n$/),
  ])
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Subprocess, spawn } from 'bun'
import { temporaryFolder } from '../support/folder.ts'
import { ATR, atr, told } from '../support/service.ts'
import * as files from '../support/source-files.ts'

const folder = temporaryFolder()
const scratch = join(folder.path, 'scratch')
const environment = { DATA_DIR: join(folder.path, 'data'), TMPDIR: scratch }
const releases = join(environment.DATA_DIR, 'releases')
const hospital = join(folder.path, 'standardcharges.csv')
/** So many codes that writing their rows takes long enough to be interrupted. */
const CODES = 6_000
const LOAD = ['load', 'hospital-mrf', hospital, '--npi', '1234567893', '--sample']

beforeAll(async () => {
  mkdirSync(scratch)
  writeFileSync(
    hospital,
    files.tall(() => 'words', CODES),
  )
  await atr(['init', '--origin', 'budget.example'], environment)
  mkdirSync(releases, { recursive: true })
})
afterAll(() => folder[Symbol.dispose]())

/** No release, no file of one, and nothing in the folder for temporary files. */
async function expectNothingLeft(): Promise<void> {
  expect(readdirSync(scratch)).toEqual([])
  expect(readdirSync(releases)).toEqual([])
  expect(JSON.parse((await atr(['release', 'list', '--json'], environment)).out)).toEqual([])
}

test.each([
  ['LOAD_ROWS', '10000', '10000 rows'],
  ['LOAD_KEYS', '2000', '2000 combinations of code, modifier, setting and class'],
  ['LOAD_SCRATCH_BYTES', '100000', '100000 bytes of temporary files'],
  ['LOAD_MEMORY_BYTES', '1000000', '1000000 bytes of memory'],
])('a load that needs more than %s allows is refused in one sentence and leaves nothing', async (name, most, said) => {
  const { code, out, err } = await atr(LOAD, { ...environment, [name]: most })
  const sentence = `the load needs more than ${said} and was stopped; nothing of it was kept. If the file is right, raise ${name}\n`
  expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^(\d+%.*\n)*refused: load_stopped: /)])
  expect(err).toEndWith(sentence)
  await expectNothingLeft()
})

interface StoppedLoad {
  load: Subprocess<'ignore', 'pipe', 'pipe'>
  /** The process that reads the files. */
  child: number
}

/** Past the shell that limits it. Its parent waits for that, and would wait for ever if it were stopped before. */
function isItself(child: number): boolean {
  const command = readFileSync(`/proc/${child}/cmdline`, 'utf8')
  return command.includes('--as-child') && !command.startsWith('/bin/sh')
}

/** A load whose child does nothing more, from some moment on; undefined if it was done before that. */
async function stoppedLoad(isTime: () => boolean, more: Record<string, string> = {}): Promise<StoppedLoad | undefined> {
  const load = spawn([...ATR, ...LOAD], {
    env: await told({ ...environment, ...more }),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const childOf = (): number => Number(readFileSync(`/proc/${load.pid}/task/${load.pid}/children`, 'utf8').trim())
  while (load.exitCode === null) {
    const child = childOf()
    if (child && isItself(child) && isTime()) {
      process.kill(child, 'SIGSTOP')
      return { load, child }
    }
    await Bun.sleep(2)
  }
  return undefined
}

const isLoading = (): boolean => readdirSync(releases).some((name) => name.startsWith('loading-'))

/** In the middle of writing rows. On a busy machine that moment can be missed: then once more. */
async function stoppedInTheMiddle(): Promise<StoppedLoad> {
  for (;;) {
    const stopped = await stoppedLoad(isLoading)
    if (stopped && isLoading()) return stopped
    if (stopped) process.kill(stopped.child, 'SIGCONT')
    await stopped?.load.exited
    await atr(['release', 'discard', 'hospital-mrf:1234567893:2026-09-01:1'], environment)
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

// A stopped process is as one that loops: it does nothing for whoever waits for it.
test('a load that does not end is ended by the clock, whatever it is doing', async () => {
  const { load, child } = (await stoppedLoad(() => true, { LOAD_SECONDS: '1' })) as StoppedLoad
  expect(await load.exited).toBe(1)
  expect(await new Response(load.stderr).text()).toContain('refused: load_stopped: the load needs more than 1 seconds')
  expect(isAlive(child)).toBe(false)
  await expectNothingLeft()
})

test('a load that the system kills is explained, and leaves nothing', async () => {
  const { load, child } = await stoppedInTheMiddle()
  process.kill(child, 'SIGKILL')
  expect(await load.exited).toBe(1)
  expect(await new Response(load.stderr).text()).toMatch(
    /^refused: load_stopped: the process that read the files was ended by SIGKILL, .*; nothing of it was kept\n$/,
  )
  await expectNothingLeft()
})

test('Ctrl-C ends a load that does not listen, and says what is left of it', async () => {
  const { load, child } = await stoppedInTheMiddle()
  load.kill('SIGINT')
  expect(await load.exited).toBe(130)
  expect(await new Response(load.stderr).text()).toBe('atr: the load was stopped by SIGINT; nothing of it was kept\n')
  expect(isAlive(child)).toBe(false)
  await expectNothingLeft()
})

test('a load whose command is killed ends too, and the next command removes what it left', async () => {
  const { load, child } = await stoppedInTheMiddle()
  load.kill('SIGKILL')
  await load.exited
  process.kill(child, 'SIGCONT')
  while (isAlive(child)) await Bun.sleep(5)
  await atr(['release', 'list'], environment)
  await expectNothingLeft()
})

test('within the budget, a load is as it was', async () => {
  const { code, out } = await atr([...LOAD, '--json'], environment)
  expect([code, JSON.parse(out)]).toMatchObject([0, { state: 'staged', rejected_count: 4 }])
  expect(readdirSync(scratch)).toEqual([])
})

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Subprocess, spawn } from 'bun'
import { readConfig } from '../../src/config.ts'
import { createInstallation } from '../../src/installation.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { inFiles } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ATR, atr } from '../support/service.ts'

const ROWS = 20_000
const folder = temporaryFolder()
const env = {
  DATA_DIR: join(folder.path, 'data'),
  ...inFiles('a lock on the file of the store keeps a command waiting'),
}
const store = join(env.DATA_DIR, 'registry.db')
const ID = 'cms-pfs:A:1'

beforeAll(async () => {
  const codes = Array.from({ length: ROWS }, (_, i) => `${String(10_000 + i)}`)
  const release = aRelease({ edition: 'A', rows: codes.map((cpt) => aPrice({ code: cpt })) })
  await createInstallation(readConfig(env), { origin: 'stop.example', now: Date.now() }, ({ db }) =>
    stage(db, release, release.rows, new Map(), Date.now()),
  )
})
afterAll(() => folder[Symbol.dispose]())

/** What a command prints on a terminal of its own. */
async function onTerminal(...args: string[]): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  const child = spawn([...ATR, ...args], {
    env: { ...process.env, ...env },
    terminal: {
      cols: 80,
      rows: 24,
      data: (_, bytes) => {
        text += decoder.decode(bytes, { stream: true })
      },
    },
  })
  expect(await child.exited).toBe(0)
  child.terminal?.close()
  return text
}

const REDRAWN = (what: string): RegExp => new RegExp(`\\r\\[[#-]{24}\\] \\d+%  ${what}[^\\n]*\\r\\u001b\\[K`)

test('fsck, backup and discard show on a terminal how far they are, on one line', async () => {
  expect(await onTerminal('fsck')).toMatch(REDRAWN('checking [\\d,]+ of 20,000 rows'))
  expect(await onTerminal('backup', join(folder.path, 'shown.db'))).toMatch(/^(\r[^\n]*\u001b\[K)*[^\n]*shown\.db: /)
  expect(await onTerminal('fsck', '--json')).toMatch(/^\{"ok":true/)
  const elsewhere = await atr(['fsck'], env)
  expect([elsewhere.code, elsewhere.err]).toEqual([0, ''])
})

interface Stopped {
  code: number
  out: string
  err: string
}

/** Starts a command, and presses Ctrl-C when it is in the middle of its work. */
async function pressed(args: readonly string[], isInTheMiddle: () => boolean, more = {}): Promise<Stopped> {
  const child = spawn([...ATR, ...args], {
    env: { ...process.env, ...env, ...more },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  while (child.exitCode === null && !isInTheMiddle()) await Bun.sleep(1)
  child.kill('SIGINT')
  return endOf(child)
}

async function endOf(child: Subprocess<'ignore', 'pipe', 'pipe'>): Promise<Stopped> {
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

/** Keeps every writer waiting, as a long transaction of another process would. */
function writing() {
  const database = new Database(store)
  database.run('BEGIN IMMEDIATE')
  return { [Symbol.dispose]: () => database.close() }
}

/** True some time after it was asked first: a command that waits for the store is there by then. */
function after(ms: number): () => boolean {
  const from = performance.now()
  return () => performance.now() - from > ms
}

const WAITS_MS = 4_000

test('a check and a publication that are stopped say what they leave, and the next command works', async () => {
  using _ = writing()
  const [check, publication, asJson] = await Promise.all([
    pressed(['fsck'], after(WAITS_MS)),
    pressed(['release', 'publish', ID, '--override', 'no_url', '--reason', 'sample_data'], after(WAITS_MS)),
    pressed(['fsck', '--json'], after(WAITS_MS)),
  ])
  expect(check).toEqual({
    code: 130,
    out: '',
    err: 'stopped: the check is not finished, so it says nothing. Nothing was changed; `atr fsck` begins again\n',
  })
  expect([publication.code, publication.err]).toEqual([
    130,
    expect.stringMatching(/^stopped: it was done whole or not at all: `atr release list` says which\./),
  ])
  expect([asJson.code, JSON.parse(asJson.err)]).toEqual([
    130,
    { error: { code: 'interrupted', message: expect.any(String) } },
  ])
})

/** A command may be quicker than we are: then it is tried again. */
async function caught(
  args: (attempt: number) => string[],
  isInTheMiddle: (attempt: number) => boolean,
): Promise<Stopped> {
  for (let attempt = 1; ; attempt++) {
    const stopped = await pressed(args(attempt), () => isInTheMiddle(attempt))
    if (stopped.code !== 0 || attempt === 20) return stopped
  }
}

test('a backup that is stopped leaves no file that looks whole, and says so', async () => {
  const copy = (attempt: number): string => join(folder.path, `stopped-${attempt}.db`)
  const { code, err } = await caught(
    (attempt) => ['backup', copy(attempt)],
    (attempt) => existsSync(`${copy(attempt)}.partial`),
  )
  expect(code).toBe(130)
  const [, file = ''] = /^stopped: no backup was made\. `atr backup (\S+)` begins again/.exec(err) ?? []
  expect(existsSync(file)).toBe(false)
  expect((await atr(['backup', file], env)).code).toBe(0)
  expect(readdirSync(folder.path).filter((name) => name.includes(`${file}.partial`))).toEqual([])
})

test('a move that is stopped before its last step says that nothing was changed', async () => {
  // A database that takes calls and never answers.
  let isCalled = false
  const called = (): void => {
    isCalled = true
  }
  using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: called } })
  const address = `postgres://atr@127.0.0.1:${silent.port}/atr`
  const { code, err } = await pressed(['migrate', '--to', address], () => isCalled)
  expect([code, err]).toEqual([
    130,
    expect.stringMatching(/^stopped: the store is where it was, and nothing was changed\./),
  ])
  expect((await atr(['release', 'list'], env)).code).toBe(0)
})

test('a service that is stopped says that nothing is lost, and how to go on', async () => {
  const child = spawn([...ATR, 'serve'], {
    env: { ...process.env, ...env, PORT: '0', LOG_LEVEL: 'error' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let out = ''
  for await (const chunk of child.stdout) {
    out += new TextDecoder().decode(chunk)
    if (/^listening on .*\n$/.test(out)) child.kill('SIGINT')
  }
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ''])
  expect(out.split('\n')[1]).toBe('stopped: what was answered is in the store. `atr serve` goes on with it')
})

test('a discard says on a terminal what it removes', async () => {
  expect(await onTerminal('release', 'discard', ID)).toBe(`\rremoving 20,000 rows\u001b[K\r\u001b[Kdiscarded ${ID}\r\n`)
})

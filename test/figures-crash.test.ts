import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { spawn } from 'bun'
import { type Config, readConfig } from '../src/config.ts'
import { checkChanges } from '../src/figures/fsck.ts'
import { releases } from '../src/figures/store.ts'
import { createInstallation, openInstallation } from '../src/installation.ts'
import { temporaryFolder } from './harness.ts'

const BUN = join(import.meta.dir, '../node_modules/.bin/bun')
const KILLS = 100 // in two stores at a time
const CASES = 300

interface State {
  batches: number
  releases: number
  staged: number
}

/** What is there after a kill. The ledger holds whole files, once each; the figures follow from their tallies. */
async function stateOf(config: Config, replayed: boolean): Promise<State> {
  const { db, figuresLog } = await openInstallation(config)
  const one = async (sql: string): Promise<number> => (await db.query<{ n: number }>(sql))[0]?.n ?? 0
  const batches = await one('SELECT COUNT(*) AS n FROM outcome_batch')
  expect(await one('SELECT COUNT(*) AS n FROM outcome')).toBe(batches * CASES)
  const made = await releases(db)
  expect(made.map(({ release_no }) => release_no)).toEqual(made.map((_, i) => i + 1))
  if (replayed) expect(await checkChanges(db)).toEqual([])
  const { size } = await figuresLog.head(db)
  expect(size).toBe(made.at(-1)?.log_size ?? 0)
  expect(await one('SELECT COUNT(*) AS n FROM figure_change')).toBe(size)
  const staged = await one('SELECT COUNT(*) AS n FROM outcome_staged')
  await db.close()
  return { batches, releases: made.length, staged }
}

async function killed(folder: string, kills: number): Promise<{ last: State; interrupted: number }> {
  const env = { DATA_DIR: folder }
  const config = readConfig(env)
  await createInstallation(config, { origin: 'crash.example', now: Date.now() }, async () => undefined)
  let before: State = { batches: 0, releases: 0, staged: 0 }
  let interrupted = 0
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn([BUN, join(import.meta.dir, 'figures-child.ts'), String(before.batches + 1), String(CASES)], {
      env: { ...process.env, ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const reader = child.stdout.getReader()
    const decoder = new TextDecoder()
    let said = decoder.decode((await reader.read()).value)
    await Bun.sleep(Math.random() * 60)
    child.kill('SIGKILL')
    await child.exited
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) said += decoder.decode(chunk.value)
    expect(await new Response(child.stderr).text()).toBe('')

    const after = await stateOf(config, (kill + 1) % 5 === 0)
    const imported = before.batches + [...said.matchAll(/imported/g)].length
    const released = before.releases + [...said.matchAll(/released/g)].length
    // What was acknowledged is there, and at most the one under way has come on top.
    expect([imported, imported + 1]).toContain(after.batches)
    expect([released, released + 1]).toContain(after.releases)
    if (after.staged > 0 || after.batches > imported || after.releases > released || after.batches > after.releases)
      interrupted++
    before = after
  }
  return { last: before, interrupted }
}

test(`imports and releases killed ${KILLS} times lose and double nothing`, async () => {
  using folder = temporaryFolder()
  const found = await Promise.all([
    killed(join(folder.path, 'one'), KILLS / 2),
    killed(join(folder.path, 'two'), KILLS / 2),
  ])
  for (const { last, interrupted } of found) {
    expect(last.batches).toBeGreaterThan(5)
    expect(interrupted).toBeGreaterThan(5)
  }
}, 240_000)

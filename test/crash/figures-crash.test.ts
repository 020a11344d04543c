import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { spawn } from 'bun'
import { type Config, readConfig } from '../../src/config.ts'
import { checkFigures } from '../../src/figures/fsck.ts'
import { roundedTo50 } from '../../src/figures/ledger/outcome.ts'
import { sumWindows } from '../../src/figures/rule/rule-2.ts'
import { releases } from '../../src/figures/store.ts'
import { windows } from '../../src/figures/window/store.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { isLong } from '../support/long.ts'
import { outcomesFile, quarterOf } from '../support/outcomes.ts'

const BUN = join(import.meta.dir, '../../node_modules/.bin/bun')
const KILLS = isLong ? 100 : 24 // in two stores at a time
const CASES = 120
/** How long an import or a release takes at most, give or take: a kill falls anywhere within. */
const STEP_MS = 20

interface State {
  batches: number
  releases: number
}

const known = new Map<number, Record<string, number>>()
const expectedOf = (n: number): Record<string, number> => {
  const found = known.get(n) ?? countIn(n)
  known.set(n, found)
  return found
}

/** What the file of this number must leave in the ledger. */
function countIn(n: number): Record<string, number> {
  const rows = outcomesFile(n, CASES)
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  const total = (value: (fields: string[]) => number): number => rows.reduce((sum, fields) => sum + value(fields), 0)
  return {
    batch_id: n,
    cases: rows.length,
    closed: total((fields) => Number(fields[4])),
    settled: total((fields) => Number(fields[5])),
    recurring: total((fields) => Number(fields[6])),
    certified_mail: total((fields) => Number(fields[7])),
    recovered_50: total((fields) => roundedTo50(fields[8] as string) as number),
  }
}

/** The windows of a store as they were first seen: noise that was drawn once is never drawn again. */
type Drawn = Map<number, string>

/** What is there after a kill. The ledger holds whole files, once each; the figures follow from their windows. */
async function stateOf(config: Config, drawn: Drawn, rederived: boolean): Promise<State> {
  const { db, figuresLog } = await openInstallation(config)
  const one = async (sql: string): Promise<number> => (await db.query<{ n: number }>(sql))[0]?.n ?? 0
  const batches = await one('SELECT COUNT(*) AS n FROM outcome_batch')
  const held = await db.query(
    `SELECT batch_id, COUNT(*) AS cases, SUM(closed) AS closed, SUM(settled) AS settled, SUM(recurring) AS recurring,
            SUM(certified_mail) AS certified_mail, SUM(recovered_50) AS recovered_50
       FROM outcome GROUP BY batch_id ORDER BY batch_id`,
  )
  expect(held).toEqual(Array.from({ length: batches }, (_, i) => expectedOf(i + 1)))
  expect(await one('SELECT COUNT(*) AS n FROM outcome_salt')).toBe(batches * CASES)
  expect(await one('SELECT COUNT(*) AS n FROM batch_seal')).toBe(batches)
  const made = await releases(db)
  expect(made.map(({ release_no }) => release_no)).toEqual(made.map((_, i) => i + 1))
  const { size } = await figuresLog.head(db)
  expect(size).toBe(made.at(-1)?.log_size ?? 1)
  const seqs = await db.query<{ seq: number }>('SELECT seq FROM figure_change ORDER BY seq')
  // Each place is a change, or the state after a release: the first says that there was none.
  const ends = [0, ...made.map(({ log_size }) => log_size - 1)]
  const places = Array.from({ length: size }, (_, place) => place)
  expect(seqs.map(({ seq }) => seq)).toEqual(places.filter((place) => !ends.includes(place)))
  expect(ends.at(-1)).toBe(size - 1)
  expect(await one("SELECT COUNT(*) AS n FROM log_leaf WHERE log = 'figures'")).toBe(size)
  const closed = await windows(db)
  expect(closed.map(({ window_no }) => window_no)).toEqual(made.map(({ window_no }) => window_no as number))
  for (const window of closed) {
    const text = JSON.stringify(window)
    expect(drawn.get(window.window_no) ?? text).toBe(text)
    drawn.set(window.window_no, text)
  }
  // Each case is in one window: the sum differs from the number of cases by noise alone, 20 times its deviation at most.
  const { r_yes, r_no } = sumWindows(closed.map(({ tally }) => tally))
  const cases = (closed.at(-1)?.last_batch_id ?? 0) * CASES
  expect(Math.abs(r_yes + r_no - cases)).toBeLessThanOrEqual(20 * Math.sqrt(4 * closed.length))
  if (rederived) expect(await checkFigures(db)).toEqual([])
  await db.close()
  return { batches, releases: made.length }
}

/** Kills a child at work on a store, by turns while it imports and while it releases. */
async function killed(folder: string, kills: number): Promise<{ last: State; importing: number; releasing: number }> {
  const env = await storeEnvironment(folder)
  const config = readConfig(env)
  await createInstallation(config, { origin: 'crash.example', now: quarterOf(0) }, async () => undefined)
  let before: State = { batches: 0, releases: 0 }
  let [importing, releasing] = [0, 0]
  const drawn: Drawn = new Map()
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn([BUN, join(import.meta.dir, 'figures-child.ts'), String(before.batches + 1), String(CASES)], {
      env: { ...process.env, ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const reader = child.stdout.getReader()
    const decoder = new TextDecoder()
    const wanted = kill % 2 === 0 ? 'importing' : 'releasing'
    let said = ''
    while (!said.includes(wanted)) said += decoder.decode((await reader.read()).value)
    await Bun.sleep(Math.random() * STEP_MS)
    child.kill('SIGKILL')
    await child.exited
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) said += decoder.decode(chunk.value)
    expect(await new Response(child.stderr).text()).toBe('')

    const after = await stateOf(config, drawn, (kill + 1) % 10 === 0)
    const count = (word: RegExp): number => [...said.matchAll(word)].length
    const imported = before.batches + count(/^imported/gm)
    const released = before.releases + count(/^released/gm)
    // What was acknowledged is there, and at most the one under way has come on top.
    expect([imported, imported + 1]).toContain(after.batches)
    expect([released, released + 1]).toContain(after.releases)
    const last = said.trimEnd().split('\n').at(-1) ?? ''
    if (last.startsWith('importing')) importing++
    if (last.startsWith('releasing')) releasing++
    before = after
  }
  return { last: before, importing, releasing }
}

test(`imports and releases killed ${KILLS} times lose and double nothing, and draw no noise twice`, async () => {
  using folder = temporaryFolder()
  const found = await Promise.all(['one', 'two'].map((name) => killed(join(folder.path, name), KILLS / 2)))
  for (const { last } of found) expect(last.batches).toBeGreaterThan(KILLS / 8)
  // Killed in the middle of each, not only between them.
  expect(found.some(({ importing }) => importing > 0)).toBe(true)
  expect(found.some(({ releasing }) => releasing > 0)).toBe(true)
})

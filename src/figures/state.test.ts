import { expect, test } from 'bun:test'
import { leafBodies } from '../integrity/store.ts'
import { utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { verifyBody } from '../proof/verify-lists.ts'
import { FiguresBody } from './answers.ts'
import { aSoundLedger, cases, openFigures } from './fixture.ts'
import { checkFigures } from './fsck.ts'
import { releaseFigures } from './release.ts'
import { parseState } from './state.ts'

const MONTH_MS = 31 * 86_400_000
type Figures = Awaited<ReturnType<typeof openFigures>>

const answer = async (figures: Figures): Promise<FiguresBody> => FiguresBody.parse(await figures.call('get_figures'))
const check = async (figures: Figures, body: object): Promise<string> => {
  const verdict = await verifyBody(JSON.stringify(body), figures.policy, { figures: true })
  return verdict.ok ? 'ok' : verdict.reason
}

test('the answer verifies before the first release and after each, whether or not figures moved', async () => {
  await using figures = await openFigures()
  const bodies = [await answer(figures)]
  for (const lines of [aSoundLedger(), [], cases(3), aSoundLedger()]) {
    if (lines.length > 0) await figures.import(lines)
    await releaseFigures(figures.exact)
    bodies.push(await answer(figures))
    figures.clock.at += MONTH_MS
  }
  expect(bodies.map(({ release_id }) => release_id)).toEqual([
    null,
    '2026-11-03.1',
    '2026-12-04.1',
    '2027-01-04.1',
    '2027-02-04.1',
  ])
  for (const body of bodies) expect(await check(figures, body)).toBe('ok')
  const newest = bodies.at(-1) as FiguresBody
  for (const { proof } of bodies) expect(proof.log.index).toBe(Number(proof.log.checkpoint.split('\n')[1]) - 1)
  // An old answer is refused: its state is in the log, but is not the last entry.
  for (const old of bodies.slice(0, -1)) {
    const head = await figures.log.head(figures.db)
    const log = await figures.log.prove(figures.db, old.proof.log.index, head)
    expect(await check(figures, { ...old, proof: { ...old.proof, log } })).toBe('state_not_last')
    expect(await check(figures, { ...old, proof: newest.proof })).toBe('body_contradicts_proof')
  }
})

test('every public checkpoint ends with a state, and no other entry of the log is a state', async () => {
  await using figures = await openFigures()
  for (let month = 0; month < 4; month++) {
    if (month !== 2) await figures.import(aSoundLedger())
    await releaseFigures(figures.exact)
    figures.clock.at += MONTH_MS
  }
  const sizes = (
    await figures.db.query<{ size: number }>("SELECT size FROM log_checkpoint WHERE log = 'figures' ORDER BY size")
  ).map(({ size }) => size)
  const leaves = await leafBodies(figures.db, 'figures', 0, sizes.at(-1) as number)
  const states = [...leaves.keys()].filter((place) => parseState(leaves[place] as Uint8Array))
  expect(states).toEqual(sizes.filter((size) => size > 0).map((size) => size - 1))
  expect(states).toHaveLength(5)
  expect(await checkFigures(figures.db)).toEqual([])
})

test('a state has the same content as the answer without its proof', async () => {
  await using figures = await openFigures()
  await figures.import([...aSoundLedger(), ...cases(7, { recurring: '1', recovered: '31337' })])
  for (const how of ['unreleased', 'noised', 'exact']) {
    if (how === 'noised') await releaseFigures(figures.parts)
    if (how === 'exact') await releaseFigures({ ...figures.exact, newSeries: true })
    const { proof, ...shown } = await answer(figures)
    // Only the band of the median is in another member of the answer.
    const { schema, recorded_at, median_band, ...state } = proof.state
    expect(shown.savings.median_band).toEqual(median_band)
    expect([schema, recorded_at]).toEqual(['figures-state/1', '2026-11-03T00:00:00.000Z'])
    expect(shown).toMatchObject(state)
    expect(Object.keys(state).every((member) => member in shown)).toBe(true)
  }
})

test('a state that was altered, replaced or taken out is found', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(figures.exact)
  const { size } = await figures.log.head(figures.db)
  const bodies = await leafBodies(figures.db, 'figures', 0, size)
  const put = async (place: number, body: Uint8Array) => {
    await figures.db.query("UPDATE log_leaf SET body = $1 WHERE log = 'figures' AND leaf_index = $2", [body, place])
    const faults = await checkFigures(figures.db)
    await figures.db.query("UPDATE log_leaf SET body = $1 WHERE log = 'figures' AND leaf_index = $2", [
      bodies[place],
      place,
    ])
    return faults
  }
  const last = size - 1
  const state = JSON.parse(new TextDecoder().decode(bodies[last])) as Record<string, unknown>
  const notState = (place: number) => [
    `figures log: entry ${place} is neither a stored change nor the state after its release`,
  ]
  for (const [place, body] of [
    [last, utf8(canonical({ ...state, cases_floor10: 200 }))],
    [last, utf8(` ${canonical(state)}`)],
    [last, bodies[0]],
    [last, bodies[1]],
    [0, bodies[last]],
  ] as [number, Uint8Array][])
    expect(await put(place, body)).toEqual(notState(place))
  expect(await checkFigures(figures.db)).toEqual([])
  // A change that was altered in both the log and the store does not lead to the state any more.
  const change = canonical({ ...JSON.parse(new TextDecoder().decode(bodies[1])), new: 0.99 })
  const stored = new TextDecoder().decode(bodies[1])
  await figures.db.query('UPDATE figure_change SET entry = $1 WHERE seq = 1', [change])
  expect(await put(1, utf8(change))).toEqual([`figures log: entry ${last} does not follow from those before it`])
  await figures.db.query('UPDATE figure_change SET entry = $1 WHERE seq = 1', [stored])
  await figures.db.query("DELETE FROM log_leaf WHERE log = 'figures' AND leaf_index = $1", [last])
  expect(await checkFigures(figures.db)).toEqual(['figures log: no state after 2026-11-03.1'])
})

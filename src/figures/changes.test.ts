import { expect, test } from 'bun:test'
import { verifyChanges } from '../proof/changes.ts'
import { signNote } from '../proof/note/signed-note.ts'
import { formatTreeHead } from '../proof/note/tree-head.ts'
import { verifyBody } from '../proof/verify-lists.ts'
import { aSoundLedger, openFigures } from './fixture.ts'
import { releaseFigures } from './release.ts'

type Entry = Record<string, unknown> & { seq: number }

type Entries = { data: Entry[]; states: { proof: { log: { index: number } } }[] }

const entriesAfter = async (figures: Awaited<ReturnType<typeof openFigures>>, after_seq: number): Promise<Entries> =>
  (await figures.call('list_figure_changes', { after_seq, limit: 200 })) as Entries

test('a follower can tell that no change is missing between any two checkpoints', async () => {
  await using figures = await openFigures()
  const checkpoints = [(await figures.log.head(figures.db)).note]
  for (let month = 0; month < 6; month++) {
    figures.clock.at += 31 * 86_400_000
    await figures.import(aSoundLedger())
    await releaseFigures(figures.exact)
    checkpoints.push((await figures.log.head(figures.db)).note)
  }
  const newest = checkpoints.at(-1) as string
  for (const older of checkpoints) {
    const size = Number(older.split('\n')[1])
    const { data, states } = await entriesAfter(figures, size - 1)
    const check = (given: Partial<Entries>) => verifyChanges({ data, states, ...given }, older, newest, figures.policy)
    expect(await check({ data: data.toReversed() })).toEqual({ ok: true, entries: data.length, from: size, to: 49 })
    for (const i of data.keys())
      expect(await check({ data: data.toSpliced(i, 1) })).toEqual({
        ok: false,
        class: 'incomplete',
        reason: 'entries_missing',
      })
    for (const i of states.keys())
      expect(await check({ states: states.toSpliced(i, 1) })).toEqual({
        ok: false,
        class: 'incomplete',
        reason: 'entries_missing',
      })
    const [first, second] = data
    if (!first || !second) continue
    expect(await check({ data: data.with(0, second) })).toEqual({
      ok: false,
      class: 'malformed',
      reason: 'repeated_item',
    })
    expect(await check({ data: data.with(0, { ...first, new: 0.99 }) })).toEqual({
      ok: false,
      class: 'not_in_log',
      reason: 'entry_not_in_log',
    })
  }
})

test('a release at which nothing moved is a place of the log that a follower sees too', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await releaseFigures(figures.exact)
  const older = (await figures.log.head(figures.db)).note
  for (let month = 0; month < 3; month++) {
    figures.clock.at += 31 * 86_400_000
    await releaseFigures(figures.exact)
  }
  const newer = (await figures.log.head(figures.db)).note
  const page = await entriesAfter(figures, 8)
  expect(page.data).toEqual([])
  expect(page.states.map(({ proof }) => proof.log.index)).toEqual([9, 10, 11])
  expect(await verifyChanges(page, older, newer, figures.policy)).toEqual({ ok: true, entries: 0, from: 9, to: 12 })
  expect(await verifyBody(JSON.stringify(page), figures.policy, { anyQuestion: true })).toMatchObject({ ok: true })
  expect(await verifyChanges({ data: [] }, older, newer, figures.policy)).toEqual({
    ok: false,
    class: 'incomplete',
    reason: 'entries_missing',
  })
})

test('pages together have every place of the log once, in both directions and at every length', async () => {
  await using figures = await openFigures()
  for (let month = 0; month < 5; month++) {
    if (month !== 2) await figures.import(aSoundLedger())
    await releaseFigures(figures.exact)
    figures.clock.at += 31 * 86_400_000
  }
  const { size } = await figures.log.head(figures.db)
  const all = Array.from({ length: size }, (_, place) => place)
  for (const [query, from] of [
    [{}, 0],
    [{ after_seq: -1 }, 0],
    [{ after_seq: 11 }, 12],
  ] as const)
    for (const limit of [1, 3, 7, 8, 200]) {
      const places: number[] = []
      for (let offset = 0, total = 1; offset < total; offset += limit) {
        const page = (await figures.call('list_figure_changes', { ...query, limit, offset })) as Entries & {
          page: { total: number }
        }
        total = page.page.total
        places.push(...page.data.map(({ seq }) => seq), ...page.states.map(({ proof }) => proof.log.index))
      }
      expect(places.sort((a, b) => a - b)).toEqual(all.slice(from))
    }
  const beyond = (await figures.call('list_figure_changes', { offset: 500 })) as Entries
  expect([beyond.data, beyond.states]).toEqual([[], []])
  // A selection leaves out entries, so states could not fill the gaps.
  const selected = (await figures.call('list_figure_changes', { metric: 'w' })) as Entries
  expect([selected.data.length, selected.states]).toEqual([4, []])
})

test('entries of one log do not continue another, nor an older state of it that differs', async () => {
  await using one = await openFigures()
  await using two = await openFigures()
  await one.import(aSoundLedger())
  await releaseFigures(one.exact)
  const older = (await one.log.head(one.db)).note
  one.clock.at += 31 * 86_400_000
  await one.import(aSoundLedger())
  await releaseFigures(one.exact)
  const newer = (await one.log.head(one.db)).note
  const entries = await entriesAfter(one, 8)
  expect(await verifyChanges(entries, older, newer, one.policy)).toMatchObject({ ok: true, entries: 7 })
  expect(await verifyChanges(entries, newer, older, one.policy)).toEqual({
    ok: false,
    class: 'stale',
    reason: 'log_rolled_back',
  })
  // Entries under the older checkpoint may be included, as in a page that is newest first.
  expect(await verifyChanges(await entriesAfter(one, 6), older, newer, one.policy)).toMatchObject({
    ok: true,
    entries: 7,
  })
  const foreign = (await two.log.head(two.db)).note
  expect(await verifyChanges(entries, foreign, newer, one.policy)).toMatchObject({ ok: false })
  // Another history of the same size, signed with the key of the log.
  const [signer] = one.log.signers
  const forged = await signNote(formatTreeHead({ origin: signer.name, size: 9, root: new Uint8Array(32) }), [signer])
  expect(await verifyChanges(entries, forged, newer, one.policy)).toEqual({
    ok: false,
    class: 'not_in_log',
    reason: 'log_forked',
  })
})

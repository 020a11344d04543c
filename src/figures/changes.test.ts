import { expect, test } from 'bun:test'
import { verifyChanges } from '../proof/changes.ts'
import { formatTreeHead } from '../proof/note/checkpoint.ts'
import { signNote } from '../proof/note/signed-note.ts'
import { aSoundLedger, openFigures } from './fixture.ts'
import { releaseFigures } from './release.ts'

type Entry = Record<string, unknown> & { seq: number }

const entriesAfter = async (figures: Awaited<ReturnType<typeof openFigures>>, after_seq: number): Promise<Entry[]> =>
  (await figures.call('list_figure_changes', { after_seq, limit: 200 }))['data'] as Entry[]

test('a follower can tell that no change is missing between any two checkpoints', async () => {
  await using figures = await openFigures()
  const checkpoints = [(await figures.log.head(figures.db)).note]
  for (let month = 0; month < 6; month++) {
    figures.clock.at += 31 * 86_400_000
    await figures.import(aSoundLedger())
    await releaseFigures(figures.parts)
    checkpoints.push((await figures.log.head(figures.db)).note)
  }
  const newest = checkpoints.at(-1) as string
  for (const older of checkpoints) {
    const size = Number(older.split('\n')[1])
    const entries = await entriesAfter(figures, size - 1)
    const check = (given: readonly unknown[]) => verifyChanges(given, older, newest, figures.policy)
    expect(await check(entries.toReversed())).toEqual({ ok: true, entries: entries.length, from: size, to: 42 })
    for (const i of entries.keys())
      expect(await check(entries.toSpliced(i, 1))).toEqual({ ok: false, reason: 'entries_missing' })
    const [first, second] = entries
    if (!first || !second) continue
    expect(await check(entries.with(0, second))).toEqual({ ok: false, reason: 'repeated_item' })
    expect(await check(entries.with(0, { ...first, new: 0.99 }))).toEqual({ ok: false, reason: 'entry_not_in_log' })
  }
})

test('entries of one log do not continue another, nor an older state of it that differs', async () => {
  await using one = await openFigures()
  await using two = await openFigures()
  await one.import(aSoundLedger())
  await releaseFigures(one.parts)
  const older = (await one.log.head(one.db)).note
  one.clock.at += 31 * 86_400_000
  await one.import(aSoundLedger())
  await releaseFigures(one.parts)
  const newer = (await one.log.head(one.db)).note
  const entries = await entriesAfter(one, 6)
  expect(await verifyChanges(entries, older, newer, one.policy)).toMatchObject({ ok: true, entries: 7 })
  expect(await verifyChanges(entries, newer, older, one.policy)).toEqual({ ok: false, reason: 'log_rolled_back' })
  // What the older checkpoint covers may be there too: a page that is newest first reaches back as it likes.
  expect(await verifyChanges(await entriesAfter(one, 5), older, newer, one.policy)).toMatchObject({
    ok: true,
    entries: 7,
  })
  const foreign = (await two.log.head(two.db)).note
  expect(await verifyChanges(entries, foreign, newer, one.policy)).toMatchObject({ ok: false })
  // Another past of the same size, signed with the key of the log.
  const [signer] = one.log.signers
  const forged = await signNote(formatTreeHead({ origin: signer.name, size: 7, root: new Uint8Array(32) }), [signer])
  expect(await verifyChanges(entries, forged, newer, one.policy)).toEqual({ ok: false, reason: 'log_forked' })
})

import { z } from 'zod'
import { Links, type ListAnswer, Page, pageInput } from '../../paging.ts'
import { Problem } from '../../problem.ts'
import { basisAsked, compareEditions, editionOf } from '../../proof/catalogue/history.ts'
import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import { chartsFor, keyPrefix, kindOfRows } from '../../proof/price/charts.ts'
import { type EditRow, isEditKind } from '../../proof/price/edit-row.ts'
import type { Manifest } from '../../proof/price/release.ts'
import { ourTurn } from '../../queue.ts'
import { foundLine, lineAnswer } from '../../status.ts'
import type { Charts } from '../charts.ts'
import type { Release } from '../store.ts'
import { aboutLost, answerText, type LostSourcesOf, shortAnswer } from './answer.ts'
import { AnswerProof } from './answer-proof.ts'
import { AboutList, ShortPrice } from './answer-schema.ts'
import { chartId } from './browse.ts'
import { find } from './find.ts'
import {
  LINE_KINDS,
  type Line,
  type LineAnswer,
  LineProblem,
  lineFor,
  pricedFields,
  refusedInShort,
  ShortLineProblem,
  shortFields,
  shortLineFor,
} from './line.ts'
import { type Proofs, rowUnderKey } from './proofs.ts'
import { questionOf, ReferenceQuery } from './query.ts'
import { edit, Proof, ProofRef, ShownEdit, ShownPrice } from './row-schema.ts'

export const historyQuery = (charts: Charts) =>
  ReferenceQuery.omit({ as_of: true }).extend({
    ...pageInput,
    /** Of bill edits, for the history of a limit, of pairs or of primary codes. */
    chart: chartId(charts).optional(),
  })
export type HistoryQuery = z.output<ReturnType<typeof historyQuery>>

const ofEdition = {
  release_id: z.string(),
  chart: z.string(),
  edition: z.string(),
  data_class: z.enum(['published', 'sample']),
  effective_from: z.iso.date().meta({ description: 'The first day on which it is in force' }),
  effective_to: z.iso.date().meta({ description: 'The last day: the next edition or its own end' }),
}
const answered = { description: 'What the question is answered with from this edition alone' }
const { locator: _, ...inFew } = edit
const left_out = z.int().min(1).optional().meta({ description: 'How many entries the whole row has beside these' })
const ShortEdit = z.strictObject({ ...inFew, left_out, proof: ProofRef }).meta({ 'x-spec': 'row.md' })
const Edition = z
  .strictObject({
    ...ofEdition,
    answer: lineAnswer(
      { ...pricedFields, row: z.union([ShownPrice, ShownEdit]) },
      { problem: LineProblem },
      LINE_KINDS,
    ).meta(answered),
  })
  .meta({ id: 'EditionAnswer' })
const ShortEdition = z.strictObject({
  ...ofEdition,
  answer: lineAnswer(
    { ...shortFields, row: z.union([ShortPrice, ShortEdit]) },
    { problem: ShortLineProblem },
    LINE_KINDS,
  ).meta(answered),
})

export const ReferenceHistory = z
  .strictObject({
    data: z.array(Edition),
    page: Page,
    links: Links,
    proof: Proof.meta({
      description: 'Its timeline has all periods of each chart that may answer: no edition is left out',
    }),
    about: AboutList,
  })
  .meta({ id: 'ReferenceHistory' })
export const ShortHistory = z
  .strictObject({ data: z.array(ShortEdition), page: Page, links: Links, about: AboutList })
  .meta({ id: 'ShortReferenceHistory', description: 'The same with pointers in place of proofs (`proof=ref`)' })

/** Every edition's answer for a code, newest first: the question is asked of each chart alone, on its first day. */
export async function history(
  proofs: Proofs,
  query: HistoryQuery,
  today: string,
  lostSources: LostSourcesOf,
): Promise<ListAnswer<typeof ReferenceHistory>> {
  const { question, charts, periods } = editionsAsked(proofs, query, today)
  const { limit, offset, chart: tableOfEdits } = query
  const { view } = proofs
  // Refused as the lookup is, with its proof: no file names the provider.
  if (charts.length === 0) answerText(proofs, find(proofs, question), lostSources)
  const proof = new AnswerProof(proofs)
  const data: z.input<typeof Edition>[] = []
  const shown: Manifest[] = []
  for (const period of periods.slice(offset, offset + limit)) {
    await ourTurn()
    const release = view.releaseIn(period)
    const basis = basisAsked(period.chart, question, proofs.charts)
    const asked = { ...question, basis, day: period.from }
    const line = tableOfEdits === undefined ? lineFor(proof, asked) : editLine(proof, release, question.cpt)
    // The edition is shown even if the place, or the modifier, was refused before it was asked.
    proof.addRelease(release)
    if (line.price) shown.push(release.manifest)
    data.push({ ...editionOf(release.manifest, period), answer: line.result as LineAnswer })
  }
  for (const chart of charts) proof.addPeriods(view.stretchOf(chart))
  // Whose file is asked must be shown even where it has no edition to answer from.
  if (question.npi !== null) proof.addProvider(question.npi)
  const said = { proof: proof.member(), ...aboutLost(shown, lostSources) }
  return { data, total: periods.length, ...said } as unknown as ListAnswer<typeof ReferenceHistory>
}

/** What an edition of a table of edits says of a code: its row, or that it has none. */
function editLine(proof: AnswerProof, release: Release, code: string): Line {
  const { proofs } = proof
  const prefix = keyPrefix(release.chart, code)
  const [stored] = proofs.open(release).rowsUnder(prefix)
  const { left, right } = proofs.aroundPrefix(release, prefix, stored ? 1 : 0)
  const shown = [left, stored, right].filter((each) => each !== undefined)
  const day = release.effective_from
  proof.addTrace({ day, lists: [{ release, shown }], held: [release], notHeld: [], around: [], npi: undefined })
  if (!stored) return { result: refusedInShort(new Problem('not_on_schedule', 'this edition has no row for the code')) }
  rowUnderKey(release.release_id, stored)
  return { result: foundLine({ row: proof.show({ release, stored }) }) }
}

/** The history in short form, with pointers in place of proofs. */
export async function shortHistory(
  proofs: Proofs,
  query: HistoryQuery,
  today: string,
  lostSources: LostSourcesOf,
): Promise<ListAnswer<typeof ShortHistory>> {
  const { question, charts, periods } = editionsAsked(proofs, query, today)
  if (charts.length === 0) shortAnswer(proofs, find(proofs, question))
  const data: object[] = []
  const shown: Manifest[] = []
  for (const period of periods.slice(query.offset, query.offset + query.limit)) {
    await ourTurn()
    const basis = basisAsked(period.chart, question, proofs.charts)
    const release = proofs.view.releaseIn(period)
    const { manifest } = release
    const asked = { ...question, basis, day: period.from }
    const line = query.chart === undefined ? shortLineFor(proofs, asked) : shortEditLine(proofs, release, question.cpt)
    if (line.price) shown.push(manifest)
    data.push({ ...editionOf(manifest, period), answer: line.result })
  }
  return { data, total: periods.length, ...aboutLost(shown, lostSources) } as ListAnswer<typeof ShortHistory>
}

/** The short form of the row of a code in a table of edits: a row is what it says, and its proof is at its address. */
function shortEditLine(proofs: Proofs, release: Release, code: string): Line {
  const [stored] = proofs.open(release).rowsUnder(keyPrefix(release.chart, code))
  if (!stored) {
    proofs.aroundPrefix(release, keyPrefix(release.chart, code))
    return { result: refusedInShort(new Problem('not_on_schedule', 'this edition has no row for the code')) }
  }
  proofs.check(release, stored)
  const { locator: _, ...row } = rowUnderKey(release.release_id, stored) as EditRow
  return { result: foundLine({ row: { ...inShort(row), proof: proofs.refer(release, stored) } }) }
}

/** A row without the entries past the first ones, which the whole row has. */
function inShort(row: Omit<EditRow, 'locator'>): object {
  const [name, entries] =
    'edits' in row
      ? ['edits', row.edits as unknown[]]
      : ['primaries', 'primaries' in row ? (row.primaries as unknown[]) : []]
  if (entries.length <= MOST_ENTRIES) return row
  return { ...row, [name]: entries.slice(0, MOST_ENTRIES), left_out: entries.length - MOST_ENTRIES }
}
const MOST_ENTRIES = 40

/** How many editions a page lists, at least one: each takes as much work as a lookup. */
export function editionsListed(proofs: Proofs, query: HistoryQuery, today: string): number {
  const { limit, offset } = query
  return Math.max(1, Math.min(limit, editionsAsked(proofs, query, today).periods.length - offset))
}

function editionsAsked(proofs: Proofs, { limit: _l, offset: _o, chart, ...asked }: HistoryQuery, today: string) {
  const question = questionOf(asked, today)
  if (chart !== undefined) checkOfEdits(chart, asked)
  const charts = chart === undefined ? chartsAsked(proofs, question) : [chart]
  return { question, charts, periods: charts.flatMap((each) => proofs.view.periodsOf(each)).sort(compareEditions) }
}

/** Prices are asked for by basis; of a table of edits only a code can be asked for. */
function checkOfEdits(chart: string, { cpt: _, ...others }: Omit<HistoryQuery, 'limit' | 'offset' | 'chart'>): void {
  if (!isEditKind(kindOfRows(chart)))
    throw Problem.parameter('chart', 'only a chart of bill edits can be named here: ask for prices by basis')
  // Some members have a default that says nothing of an edit.
  const stated = Object.entries(others).find(
    ([name, value]) => value !== undefined && !(name === 'region' && value === 'national'),
  )
  if (stated) throw Problem.parameter('chart', 'with a chart of bill edits, only a code can be asked for')
}

function chartsAsked({ view, charts }: Proofs, question: ParsedQuestion): readonly string[] {
  if (question.npi === null) return chartsFor(question, charts)
  const chart = view.chartOf(question.npi)
  return chart === undefined ? [] : [chart]
}

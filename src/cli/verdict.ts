// The result of `atr verify`, and its text.

import type { FiguresState } from '../proof/figures.ts'
import type { Decision } from '../proof/lookup/decision.ts'
import type { Citation } from '../proof/price/release.ts'
import { rowKey } from '../proof/price/row.ts'
import type { Fault, ProvedEdition, ProvedRow, VerdictClass, VerifiedAnswer } from '../proof/verify-lists.ts'
import { REASONS, type SourceFault } from '../proof/whole/reasons.ts'
import type { GrowthVerdict } from './growth.ts'
import { priceText } from './release-text.ts'

export type Verdict = PassedVerdict | FailedVerdict
export type PassedVerdict = VerifiedAnswer & {
  derived: number
  at_source: number
  /** For an answer at a ZIP code: whether the files with its region were given, and agree. */
  place_at_source?: boolean
  /** The number of editions without a row of the code whose cited files were all searched for it. */
  searched: number
  /** Whether the row belongs to a release that is in force on no day. */
  lapsed?: boolean
  /** The text for a checkpoint that was verified by itself. */
  log?: string
  grew?: { from: number; to: number }
  /** Set if the rest of the release was checked too, from its export. */
  exported?: { release_id: string; rows: number }
  /** For a bill: the days that its lines were checked for. */
  days?: string[]
  /** The number of changes since the older checkpoint; none is missing. */
  changes?: number
}
export type FailedVerdict = {
  ok: false
  class?: VerdictClass
  reason: Fault | SourceFault | Extract<GrowthVerdict, { ok: false }>['reason']
  /** The key of the row that failed, and the file it needs, if they are known. */
  row?: string
  at?: number
  file?: Pick<Citation, 'file' | 'sha256' | 'url'>
}

export function details(verdict: Verdict): string[] {
  if (!verdict.ok)
    return [
      REASONS[verdict.reason],
      ...(verdict.at ? [`item ${verdict.at} of the list`] : []),
      ...(verdict.row ? [`row: ${verdict.row}`] : []),
      ...(verdict.file
        ? [
            `needed: ${[verdict.file.file, `SHA-256 ${verdict.file.sha256}`, verdict.file.url].filter((part) => part !== '').join(', ')}`,
          ]
        : []),
    ]
  const { rows, decisions, editions, refused, searched, grew, changes, recorded_at } = verdict
  const { log, page, figures, lapsed, exported, days, place_at_source: isPlaced } = verdict
  return [
    ...(log === undefined ? [] : [log]),
    ...noPrices(verdict),
    ...describeRows(rows, decisions),
    ...decisions.flatMap((decision) => (decision.outcome === 'price' ? adjusted(decision) : [])),
    ...(lapsed ? ['the release is in force on no day: it was withdrawn or replaced'] : []),
    ...editions.map(describeEdition),
    ...(page?.from ? [`the page begins at place ${page.from} of the timeline`] : []),
    ...(page?.has_more ? ['this is one page: the list goes on'] : []),
    ...(figures === undefined ? [] : [describeFigures(figures)]),
    ...(exported ? [`the export has all ${exported.rows} rows of ${exported.release_id}, and no other`] : []),
    ...checkedLines(verdict),
    ...(days ? [`the lines were checked for the day ${days.join(', ')}`] : []),
    ...(refused > 0 ? [`refused without proof: ${refused} lines`] : []),
    ...(isPlaced === undefined
      ? []
      : [
          `where the ZIP code lies: ${isPlaced ? 'found in the files that say so' : 'the files that say so were not given'}`,
        ]),
    ...(searched > 0 ? [`the code is not in the files of ${searched} editions that have no row for it`] : []),
    ...(recorded_at === null ? [] : [`as of ${recorded_at}`]),
    ...(grew ? [`the log has only grown: from ${grew.from} entries to ${grew.to}`] : []),
    ...(changes === undefined ? [] : [`no change is missing: ${changes} since the older checkpoint`]),
  ]
}

/** Lists answers without a price. A history has one answer of each edition, so the edition is named. */
function noPrices({ decisions, editions }: PassedVerdict): string[] {
  const isHistory = editions.length > 0 && editions.length === decisions.length
  return decisions.flatMap(({ outcome }, i) => {
    if (outcome === 'price' || outcome === 'absent') return []
    const edition = isHistory ? editions[i] : undefined
    return [`no price: ${outcome}${edition ? ` in ${edition.release.release_id}` : ''}`]
  })
}

/** Counts the checks. In an export the hashes of all rows are checked, and the arithmetic of the first, which has the proof. */
function checkedLines({ rows, entries, figures, exported, derived, at_source }: PassedVerdict): string[] {
  const made = `recomputed: ${derived} rows`
  const found = `found in the files they cite: ${at_source}`
  if (exported)
    return [
      `checked: the hashes of ${exported.rows} rows, ${entries} log entries`,
      `${made}, the first one; ${found}; of the others the amounts were not recomputed`,
    ]
  const checked = `checked: ${rows.length} rows, ${figures ? 1 : entries} log entries`
  return figures ? [checked] : [checked, `${made}; ${found}`]
}

/** Describes the rows. The row behind the refusal of a modifier has a price too, but is marked as not the answer. */
function describeRows(rows: readonly ProvedRow[], decisions: readonly Decision[]): string[] {
  const refused = decisions.filter((each) => each.outcome === 'modifier_not_allowed')
  return rows.map((each) => {
    const at = refused.findIndex(({ chart, row }) => chart === each.release.chart && rowKey(row) === rowKey(each.row))
    const [decision] = at < 0 ? [] : refused.splice(at, 1)
    return decision
      ? `not the answer, but the row without modifier ${decision.modifier}: ${describe(each)}`
      : describe(each)
  })
}

function describe({ row, release }: ProvedRow): string {
  const sample = release.data_class === 'sample' ? ' (sample data)' : ''
  const what = row.kind === 'absence' ? `stated absence (${row.reason})` : row.kind
  const amount = 'price' in row ? ` ${priceText(row.price)} ${row.price.currency}:` : ''
  return `${what}${amount} ${rowKey(row)} in ${release.release_id}${sample}`
}

/** The amount of a row with a modifier, which is the answer in place of the row's own amount. */
const adjusted = ({ adjustment, row }: Extract<Decision, { outcome: 'price' }>): string[] =>
  adjustment
    ? [
        `with modifier ${adjustment.modifier}: ${adjustment.amount} ${row.price.currency}, ${adjustment.factor} of ${rowKey(row)}`,
      ]
    : []

function describeFigures({ release_id, data_class, metrics }: FiguresState): string {
  const sample = data_class === 'sample' ? ' (sample data)' : ''
  const values = Object.entries(metrics).map(
    ([name, { value, reason }]) => `${name} ${value ?? `withheld (${reason})`}`,
  )
  return release_id === null ? 'no figures were released yet' : `figures ${release_id}${sample}: ${values.join(', ')}`
}

function describeEdition({ release, period }: ProvedEdition): string {
  const sample = release.data_class === 'sample' ? ' (sample data)' : ''
  const days = period ? `in force from ${period.from} to ${period.to}` : 'not in force on any day'
  return `${release.release_id}: ${days}${sample}`
}

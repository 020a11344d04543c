// The check of a page of the list of releases. Each stands in the log as its entry says; the timeline proves which are in force,
// and when, so that none of these can be left out.

import { type Evidence, isPeriodOf, isSame } from '../evidence.ts'
import { eachOf, ensure } from '../fault.ts'
import { type CheckedList, type FactsOfBody, isPageOf, type PagePlace } from '../list/checked-list.ts'
import { isManifest, isWithdrawal, type Manifest, type Period, periodKey, type Withdrawal } from '../price/release.ts'
import { nameOf } from '../price/timeline.ts'
import { count, hasOnly, isObject, type Members } from '../shape.ts'
import { ShownRows } from '../shown-rows.ts'
import { beginsAt, endsAt, leavesIn } from './stretch.ts'

/** In force on some day; replaced by a later release of its edition, or of its first day; or withdrawn. */
export const RELEASE_STATES = ['published', 'replaced', 'withdrawn'] as const
export type ReleaseState = (typeof RELEASE_STATES)[number]

/** The question to a page of the list. */
export interface ReleasesQuestion {
  chart?: string | undefined
  state?: ReleaseState | undefined
  offset?: number | undefined
}

/** A release with its place in the log and its withdrawal. */
export interface KnownRelease {
  release: Manifest
  log_index: number
  /** Undefined if it is in force on no day. */
  period: Period | undefined
  withdrawal: { entry: Withdrawal; index: number } | undefined
}

/** A release as it is listed. A member that does not apply is left out. */
export function listedRelease({ release, log_index, period, withdrawal }: KnownRelease) {
  return {
    release_id: release.release_id,
    chart: release.chart,
    edition: release.edition,
    state: stateOf({ period, withdrawal }),
    effective_from: release.effective_from,
    effective_to: release.effective_to,
    ...(period && { in_force: { from: period.from, to: period.to } }),
    published_at: release.recorded_at,
    ...(withdrawal && { withdrawn_at: withdrawal.entry.recorded_at, withdrawn_reason: withdrawal.entry.reason }),
    row_count: release.row_count,
    rejected_count: release.rejected_count,
    ...(release.supersedes !== null && { supersedes: release.supersedes }),
    data_class: release.data_class,
    log_index,
    ...(withdrawal && { withdrawn_log_index: withdrawal.index }),
  }
}

export const stateOf = ({ period, withdrawal }: Pick<KnownRelease, 'period' | 'withdrawal'>): ReleaseState =>
  withdrawal ? 'withdrawn' : period ? 'published' : 'replaced'

/**
 * The release that counts in place of a replaced one: the last revision of its edition, or, if it is that itself, the
 * release in force from the same day on (log.md, what is in force, rule 2).
 */
export function replacementOf(known: KnownRelease, all: readonly KnownRelease[]): KnownRelease | undefined {
  if (stateOf(known) !== 'replaced') return undefined
  const { chart, edition } = known.release
  const later = all.filter((each) => each.log_index > known.log_index && each.release.chart === chart)
  const revisions = later.filter((each) => each.release.edition === edition && !each.withdrawal)
  const last = revisions.sort((a, b) => a.log_index - b.log_index).at(-1)
  return last ?? later.find((each) => each.period && releaseKey(each) === releaseKey(known))
}

export const releaseKey = ({ release: { chart, effective_from } }: Pick<KnownRelease, 'release'>): string =>
  `${chart}|${effective_from}`

/** The order of the list, which is that of the timeline. For one chart and day, the release in force is first. */
export function compareReleases(a: KnownRelease, b: KnownRelease): number {
  const [left, right] = [releaseKey(a), releaseKey(b)]
  if (left !== right) return left < right ? -1 : 1
  return Number(b.period !== undefined) - Number(a.period !== undefined) || a.log_index - b.log_index
}

export async function checkReleases(
  body: Members,
  asked: ReleasesQuestion | undefined,
  factsOf: FactsOfBody,
): Promise<CheckedList> {
  const { data, page } = body
  const from = body['from'] as number
  ensure(isPageOf(body, ['from']) && count(from), 'not_recognised')
  const evidence = await factsOf(new ShownRows())
  let before: KnownRelease | undefined
  const known = eachOf(data as unknown[], (item) => {
    const one = checkRelease(evidence, item)
    ensure(!before || compareReleases(before, one) < 0, 'entries_out_of_order')
    before = one
    return one
  })
  const isPartial = asked === undefined || (asked.state ?? 'published') !== 'published'
  ensure(known.length > 0 || !isPartial, 'nothing_proved')
  const editions = known.map(({ release, period }) => ({ release, period }))
  const { offset, has_more } = page as PagePlace
  const checked = { evidence, answers: [], editions }
  if (asked === undefined) return { ...checked, page: { has_more } }
  ensure(hasOnly({ ...asked }, ['chart', 'state', 'offset']), 'question_malformed')
  ensure(offset === (asked.offset ?? 0) && known.every((each) => fits(each, asked)), 'answers_another_question')
  // A list of withdrawn or replaced releases cannot be proved to be complete.
  if (isPartial) return { ...checked, page: { has_more } }
  const listed = known.flatMap(({ period }) => period ?? [])
  const to = from + listed.length
  const isWhole =
    (known.length > 0 || !has_more) &&
    (offset > 0 || beginsAt(evidence, from, asked.chart)) &&
    (has_more || endsAt(evidence, to, asked.chart)) &&
    isSame(leavesIn(evidence, from, to), listed)
  ensure(isWhole, 'releases_left_out')
  return { ...checked, page: { has_more, from, to } }
}

const fits = (known: KnownRelease, { chart, state }: ReleasesQuestion): boolean =>
  (chart ?? known.release.chart) === known.release.chart && (state ?? stateOf(known)) === stateOf(known)

function checkRelease(evidence: Evidence, item: unknown): KnownRelease {
  const { about: _, ...members } = (isObject(item) ? item : {}) as Members
  const log_index = members['log_index'] as number
  const release = evidence.entries.get(log_index)
  ensure(isManifest(release), 'proof_missing')
  const named = evidence.timeline.all.filter(({ leaf }) => leaf.release === nameOf(release))
  ensure(
    named.every(({ leaf }) => isPeriodOf(leaf, release)),
    'release_not_in_force',
  )
  const period = named[0]?.leaf
  const index = members['withdrawn_log_index'] as number | undefined
  const entry = index === undefined ? undefined : evidence.entries.get(index)
  const isOfRelease =
    index === undefined ||
    (isWithdrawal(entry) && entry.release_id === release.release_id && entry.chart === release.chart)
  ensure(isOfRelease, 'body_contradicts_proof')
  const withdrawal = index === undefined ? undefined : { entry: entry as Withdrawal, index }
  const known = { release, log_index, period, withdrawal }
  ensure(isSame(members, listedRelease(known)) && isExplained(evidence, known), 'body_contradicts_proof')
  return known
}

/** Whether a release is in force and not withdrawn, or it is shown that it is in force on no day, and why. */
function isExplained(evidence: Evidence, known: KnownRelease): boolean {
  const { period, withdrawal } = known
  if (period) return withdrawal === undefined
  const { last, isLast } = evidence.timeline.upTo(releaseKey(known))
  const isShown = isLast || (last !== undefined && periodKey(last.leaf) === releaseKey(known))
  return isShown && (withdrawal !== undefined || isReplaced(evidence, known, last?.leaf))
}

/** Whether a later release of the edition is shown, or the one in force from the same day on. */
function isReplaced({ entries }: Evidence, { release, log_index }: KnownRelease, inForce: Period | undefined): boolean {
  return [...entries].some(
    ([index, later]) =>
      index > log_index &&
      isManifest(later) &&
      later.chart === release.chart &&
      (later.edition === release.edition ||
        (inForce?.release === nameOf(later) && inForce.from === release.effective_from)),
  )
}

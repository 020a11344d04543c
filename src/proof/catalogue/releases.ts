// The check of a page of the list of releases. Each has its manifest and its index in the log. The timeline proves which
// are in force, and when, so that none of these can be left out.

import { canonical } from '../canonical-json.ts'
import { type Facts, inLog, REGISTRY_ORIGIN } from '../facts.ts'
import { ensure, itemOf } from '../fault.ts'
import { isLostSources } from '../price/lost-source.ts'
import { isManifest, isWithdrawal, type Manifest, type Period, periodKey, type Withdrawal } from '../price/release.ts'
import { nameOf } from '../price/timeline.ts'
import { closed, count, type Members, oneOf, orNull, path } from '../shape.ts'
import { type CheckedCatalogue, isWholePageOf, type PagePlace } from './page.ts'
import { addTimeline, findPeriod, isTimelineProof, type PlacedPeriod, type TimelineProof } from './timeline-proof.ts'

export const RELEASE_PROOF = 'agent-trust-registry/release-proof@v2'
/** In force on some day; replaced by a later release of its edition, or of its first day; or withdrawn. */
export const RELEASE_STATES = ['published', 'replaced', 'withdrawn'] as const
export type ReleaseState = (typeof RELEASE_STATES)[number]

/** The question to a page of the list. */
export interface ReleasesQuestion {
  chart?: string | undefined
  state?: ReleaseState | undefined
  offset?: number | undefined
}

/**
 * The proof of a listed release: its manifest at `log_index` of the log, its withdrawal at `withdrawn_log_index`, and if it
 * was replaced, a later release that counts in its place.
 */
export interface ReleaseProof {
  type: typeof RELEASE_PROOF
  release: Manifest
  inclusion: string[]
  withdrawal: { entry: Withdrawal; inclusion: string[] } | null
  replaced_by: { release: Manifest; index: number; inclusion: string[] } | null
}
const isReleaseProof = closed({
  type: oneOf(RELEASE_PROOF),
  release: isManifest,
  inclusion: path,
  withdrawal: orNull(closed({ entry: isWithdrawal, inclusion: path })),
  replaced_by: orNull(closed({ release: isManifest, index: count, inclusion: path })),
}) as (value: unknown) => value is ReleaseProof

/** A release with its place in the log and its withdrawal. */
export interface KnownRelease {
  release: Manifest
  log_index: number
  /** Undefined if it is in force on no day. */
  period: Period | undefined
  withdrawal: { entry: Withdrawal; index: number } | undefined
}

/** A release as it is listed. */
export function listedRelease({ release, log_index, period, withdrawal }: KnownRelease) {
  return {
    release_id: release.release_id,
    chart: release.chart,
    edition: release.edition,
    state: stateOf({ period, withdrawal }),
    effective_from: release.effective_from,
    effective_to: release.effective_to,
    in_force: period ? { from: period.from, to: period.to } : null,
    published_at: release.recorded_at,
    withdrawn_at: withdrawal?.entry.recorded_at ?? null,
    withdrawn_reason: withdrawal?.entry.reason ?? null,
    row_count: release.row_count,
    rejected_count: release.rejected_count,
    supersedes: release.supersedes,
    data_class: release.data_class,
    log_index,
    withdrawn_log_index: withdrawal?.index ?? null,
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

/** Whether a period is before, in or after the part of the timeline of these releases. */
function sideOf(period: Period, releases: readonly KnownRelease[], chart = ''): 'before' | 'in' | 'after' {
  const [first, last] = [releases[0], releases.at(-1)]
  const key = periodKey(period)
  const from = first ? releaseKey(first) : `${chart}|`
  // A release that is not in force comes after the one in force from the same day, which is then on the page before.
  if (key < from || (key === from && !first?.period)) return 'before'
  return last && key <= releaseKey(last) ? 'in' : 'after'
}

export async function checkReleases(
  facts: Facts,
  body: Members,
  asked: ReleasesQuestion | undefined,
): Promise<CheckedCatalogue> {
  const { data, page, proof } = body
  ensure(isWholePageOf(body, ['data', 'page', 'links', 'proof']), 'not_recognised')
  ensure(isTimelineProof(proof) && proof.runs.length <= 1, 'proof_malformed')
  const [placed = []] = await addTimeline(facts, proof)
  const known: KnownRelease[] = []
  const checkNext = async (item: unknown): Promise<KnownRelease> => {
    const one = await checkRelease(facts, (item ?? {}) as Members, proof, placed)
    const before = known.at(-1)
    ensure(!before || compareReleases(before, one) < 0, 'entries_out_of_order')
    return one
  }
  for (const [i, item] of (data as unknown[]).entries()) known.push(await itemOf(i, checkNext(item)))
  const isPartial = asked === undefined || (asked.state ?? 'published') !== 'published'
  ensure(known.length > 0 || !(isPartial || (asked.offset ?? 0) > 0), 'nothing_proved')
  const editions = known.map(({ release, period }) => ({ release, period }))
  const { offset, has_more } = page as PagePlace
  if (asked === undefined) return { editions, page: { has_more } }
  const isAsked = offset === (asked.offset ?? 0) && known.every((each) => fits(each, asked))
  ensure(isAsked, 'answers_another_question')
  // A list of withdrawn or replaced releases cannot be proved to be complete.
  if (isPartial) return { editions, page: { has_more } }
  const place = { ...asked, offset, has_more }
  ensure(isWhole(known, placed, proof.state.timeline_size, place), 'releases_left_out')
  const before = placed.findLast(
    ({ period }) => sideOf(period, known, asked.chart) === 'before' && isOf(period, asked.chart),
  )
  return { editions, page: { has_more, before: before?.period ?? null } }
}

const fits = (known: KnownRelease, { chart, state }: ReleasesQuestion): boolean =>
  (chart ?? known.release.chart) === known.release.chart && (state ?? stateOf(known)) === stateOf(known)

async function checkRelease(
  facts: Facts,
  { proof, sources_lost, ...item }: Members,
  { state, log: { checkpoint } }: TimelineProof,
  placed: readonly PlacedPeriod[],
): Promise<KnownRelease> {
  ensure(sources_lost === undefined || isLostSources(sources_lost), 'not_recognised')
  const log_index = item['log_index'] as number
  ensure(isReleaseProof(proof) && count(log_index), 'proof_malformed')
  const { release, inclusion, withdrawal, replaced_by } = proof
  await facts.addPublished(release, { index: log_index, inclusion, checkpoint })
  const withdrawn = item['withdrawn_log_index'] as number
  if (withdrawal) {
    const { entry } = withdrawal
    const log = { index: count(withdrawn) ? withdrawn : -1, inclusion: withdrawal.inclusion, checkpoint }
    await inLog(entry, log, facts.policy, REGISTRY_ORIGIN, 'entry_not_in_log')
    const isOfRelease = entry.release_id === release.release_id && entry.chart === release.chart
    ensure(isOfRelease, 'body_contradicts_proof')
  }
  if (replaced_by) await facts.addPublished(replaced_by.release, { ...replaced_by, checkpoint })
  const known = {
    release,
    log_index,
    period: findPeriod(placed, release)?.period,
    withdrawal: withdrawal ? { entry: withdrawal.entry, index: withdrawn } : undefined,
  }
  const isShown = known.period !== undefined || showsPlace(placed, releaseKey(known), state.timeline_size)
  const isListed = canonical(item) === canonical(listedRelease(known))
  ensure(isListed && isShown && isExplained(known, replaced_by, placed), 'body_contradicts_proof')
  return known
}

/** Whether a release is in force and neither withdrawn nor replaced, or not in force and one of the two is shown. */
function isExplained(
  known: KnownRelease,
  replaced_by: ReleaseProof['replaced_by'],
  placed: readonly PlacedPeriod[],
): boolean {
  const { release, log_index, period, withdrawal } = known
  if (!replaced_by) return (period === undefined) !== (withdrawal === undefined)
  if (period || withdrawal) return false
  const { release: later, index } = replaced_by
  const isOfDay = placed.some(
    (each) => each.period.release === nameOf(later) && periodKey(each.period) === releaseKey(known),
  )
  return index > log_index && later.chart === release.chart && (later.edition === release.edition || isOfDay)
}

/** Whether these periods show the place of a key in the timeline: then no other period has the key. */
function showsPlace(placed: readonly PlacedPeriod[], key: string, size: number): boolean {
  const after = placed.find(({ period }) => periodKey(period) >= key)
  if (!after) return (placed.at(-1)?.index ?? -1) === size - 1
  return after !== placed[0] || after.index === 0 || periodKey(after.period) === key
}

const isOf = (period: Period, chart: string | undefined): boolean => (chart ?? period.chart) === period.chart

/** Whether all releases in force are listed, from the beginning of the list on a first page, and to its end on a last page. */
function isWhole(
  known: readonly KnownRelease[],
  placed: readonly PlacedPeriod[],
  size: number,
  { chart, offset, has_more }: PagePlace & ReleasesQuestion,
): boolean {
  const [first, last] = [placed[0], placed.at(-1)]
  if (has_more && known.length === 0) return false
  if (!first || !last) return size === 0
  const on = (side: 'before' | 'in' | 'after'): Period[] =>
    placed.flatMap(({ period }) => (sideOf(period, known, chart) === side ? period : []))
  const [before, between, after] = [on('before'), on('in'), on('after')]
  const isInScope = (period: Period): boolean => isOf(period, chart)
  return (
    (before.length > 0 || first.index === 0) &&
    (after.length > 0 || last.index === size - 1) &&
    canonical(between) === canonical(known.flatMap(({ period }) => period ?? [])) &&
    (offset > 0 || !before.some(isInScope)) &&
    (has_more || !after.some(isInScope))
  )
}

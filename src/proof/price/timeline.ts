// The rule by which releases are in force, from the entries of the registry log. It is pure: anyone can replay it.

import { TABLES_DIGEST } from '../../tables/digest.ts'
import { toBase64, utf8 } from '../bytes.ts'
import { canonical } from '../canonical-json.ts'
import { HashTree } from '../tree/hash-tree.ts'
import { type Hash, leafHash } from '../tree/merkle.ts'
import {
  type Manifest,
  type Period,
  type Provider,
  periodKey,
  providerKey,
  RELEASE_SCHEMA,
  type RegistryEntry,
  type RegistryState,
  STATE_SCHEMA,
  WITHDRAWAL_SCHEMA,
} from './release.ts'

/** The periods of all releases in force, and the chart of each provider. Both are sorted. */
export interface Standing {
  periods: Period[]
  providers: Provider[]
}

const DAY_MS = 86_400_000
/** A replay needs it after every entry, and parsing a date takes long: within a month it is a subtraction. */
export const dayBefore = (day: string): string =>
  day.endsWith('-01')
    ? new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10)
    : `${day.slice(0, 8)}${String(Number(day.slice(8)) - 1).padStart(2, '0')}`

export const leafOf = (value: unknown): Hash => leafHash(utf8(canonical(value)))

const names = new WeakMap<Manifest, string>()

/** The leaf hash of a manifest, in base64. It is needed often. */
export function nameOf(release: Manifest): string {
  const name = names.get(release) ?? toBase64(leafOf(release))
  names.set(release, name)
  return name
}

/**
 * Computes what is in force after entries in the order of the log. Releases that were withdrawn do not count. The last
 * revision of each edition counts, and, if editions of a chart take effect on one day, the last of them in the log. An
 * edition ends on its `effective_to`, or on the day before the next one takes effect. An NPI belongs to the first chart
 * that named it, until it is moved to another one that names it.
 */
export function standingAfter(entries: readonly RegistryEntry[]): Standing {
  const withdrawn = new Set(entries.flatMap((entry) => (entry.schema === WITHDRAWAL_SCHEMA ? entry.release_id : [])))
  const inForce = entries.filter(isRelease).filter(({ release_id }) => !withdrawn.has(release_id))
  return { periods: periodsOf(inForce), providers: providersOf(entries, withdrawn) }
}

/** Whether an entry is a release that can be in force. Nothing is in force by entries of an older form. */
export const isRelease = (entry: RegistryEntry): entry is Manifest => entry.schema === RELEASE_SCHEMA

type EditionKey = Pick<Manifest, 'chart' | 'edition' | 'effective_from'>

/** The last revision of each edition, in the order of the log. It replaces earlier ones, whatever days they are for. */
export function lastRevisions<Release extends EditionKey>(releases: readonly Release[]): Release[] {
  const last = new Map(releases.map((release) => [`${release.chart}|${release.edition}`, release]))
  return releases.filter((release) => last.get(`${release.chart}|${release.edition}`) === release)
}

/** The releases before another one in its chart. */
export interface Predecessors<Release> {
  /** The revision of the same edition that it replaces. */
  revision: Release | undefined
  /** The last other edition that takes effect no later. */
  edition: Release | undefined
}

/** Finds them among the releases of its chart that were not withdrawn, in the order of the log. */
export function predecessorsIn<Release extends EditionKey>(
  published: readonly Release[],
  { edition, effective_from }: EditionKey,
): Predecessors<Release> {
  const counting = lastRevisions(published)
  const others = counting.filter((each) => each.edition !== edition && each.effective_from <= effective_from)
  const start = others
    .map((each) => each.effective_from)
    .sort()
    .at(-1)
  return {
    revision: counting.find((each) => each.edition === edition),
    edition: others.findLast((each) => each.effective_from === start),
  }
}

/** The periods of releases, given in the order of the log without those withdrawn. Each chart is by itself. */
export function periodsOf(releases: readonly Manifest[]): Period[] {
  const byStart = new Map<string, Map<string, Manifest>>()
  for (const release of lastRevisions(releases)) {
    const editions = byStart.get(release.chart) ?? new Map<string, Manifest>()
    byStart.set(release.chart, editions.set(release.effective_from, release))
  }
  const periods = [...byStart.values()].flatMap((editions) => {
    const inOrder = [...editions.values()].sort((a, b) => (a.effective_from < b.effective_from ? -1 : 1))
    return inOrder.map((release, i): Period => {
      const next = inOrder[i + 1]
      const isCut = next !== undefined && next.effective_from <= release.effective_to
      return {
        chart: release.chart,
        from: release.effective_from,
        to: isCut ? dayBefore(next.effective_from) : release.effective_to,
        release: nameOf(release),
      }
    })
  })
  return sortedBy(periods, periodKey)
}

function providersOf(entries: readonly RegistryEntry[], withdrawn: ReadonlySet<string>): Provider[] {
  const about = new Map<string, RegistryEntry[]>()
  for (const entry of entries)
    for (const npi of npisIn(entry)) {
      const known = about.get(npi)
      if (known) known.push(entry)
      else about.set(npi, [entry])
    }
  const owned = [...about].flatMap(([npi, its]) => {
    const chart = ownerOf(npi, its, withdrawn)
    return chart === undefined ? [] : [{ npi, chart }]
  })
  return sortedBy(owned, providerKey)
}

/** The NPIs that an entry is about. */
export const npisIn = (entry: RegistryEntry): readonly string[] =>
  isRelease(entry) ? (entry.providers ?? []) : 'npi' in entry ? [entry.npi] : []

/** The chart that speaks for an NPI, by the entries about it in the order of the log. */
export function ownerOf(
  npi: string,
  entries: readonly RegistryEntry[],
  withdrawn: ReadonlySet<string>,
): string | undefined {
  const named = new Set<string>()
  let owner: string | undefined
  for (const entry of entries) {
    if (isRelease(entry) && !withdrawn.has(entry.release_id)) {
      named.add(entry.chart)
      owner ??= entry.chart
    }
    if ('npi' in entry && entry.npi === npi && named.has(entry.chart)) owner = entry.chart
  }
  return owner
}

/** Keys are ASCII, so the order of JavaScript's strings is that of their bytes. */
const sortedBy = <T>(items: T[], key: (item: T) => string): T[] => items.sort((a, b) => (key(a) < key(b) ? -1 : 1))

/** The state entry that commits to what is in force. */
export const stateOf = ({ periods, providers }: Standing, recorded_at: string): RegistryState => ({
  schema: STATE_SCHEMA,
  timeline_root: toBase64(new HashTree(periods.map(leafOf)).root),
  timeline_size: periods.length,
  providers_root: toBase64(new HashTree(providers.map(leafOf)).root),
  providers_size: providers.length,
  tables: TABLES_DIGEST,
  recorded_at,
})

/** The index of the first item whose key is not before this one. */
export function indexOfKey<T>(items: readonly T[], key: string, keyOf: (item: T) => string): number {
  let [from, to] = [0, items.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (keyOf(items[middle] as T) < key) from = middle + 1
    else to = middle
  }
  return from
}

/** The period of a chart that holds a day. */
export function periodOn(periods: readonly Period[], chart: string, day: string): Period | undefined {
  const after = indexOfKey(periods, `${chart}|${day}~`, periodKey)
  const period = periods[after - 1]
  return period?.chart === chart && period.to >= day ? period : undefined
}

/** The editions of a chart beside a day: the last day of the one before it, and the first day of the one after it. */
export interface Neighbours {
  before: string | undefined
  after: string | undefined
}

/** Finds them by the places of periods in the timeline; `last` is the place of the last one that begins by the day. */
export function neighboursOf(
  periodAt: (place: number) => Period | undefined,
  last: number,
  chart: string,
  day: string,
): Neighbours {
  const ofChart = (place: number): Period | undefined => {
    const period = periodAt(place)
    return period?.chart === chart ? period : undefined
  }
  const current = ofChart(last)
  const isInForce = current !== undefined && day <= current.to
  return { before: isInForce ? ofChart(last - 1)?.to : current?.to, after: ofChart(last + 1)?.from }
}

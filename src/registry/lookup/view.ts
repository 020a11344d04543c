import { DamageFault, type Db } from '../../db/db.ts'
import type { Log } from '../../integrity/log.ts'
import { type Lag, Published } from '../../integrity/published.ts'
import { leafBodies, type StoredCheckpoint } from '../../integrity/store.ts'
import { FailedParts } from '../../integrity/verification/failed-parts.ts'
import { JsonText } from '../../json-text.ts'
import { fromUtf8, toBase64 } from '../../proof/bytes.ts'
import type { LogProof } from '../../proof/envelope.ts'
import { HOSPITAL } from '../../proof/price/charts.ts'
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
  type Withdrawal,
} from '../../proof/price/release.ts'
import { indexOfKey, leafOf, nameOf, periodOn, standingAfter } from '../../proof/price/timeline.ts'
import { HashTree } from '../../proof/tree/hash-tree.ts'
import { leafHash } from '../../proof/tree/merkle.ts'
import { areHere, bringFiles } from '../rows/bring-files.ts'
import { Recent } from '../rows/recent.ts'
import { distrust } from '../rows/release-file-store.ts'
import { loggedReleases, type Release } from '../store.ts'

/** A few kilobytes each. */
const MOST_SHARES = 1_000

/** The registry as of its public checkpoint: what is in force when, which file speaks for whom, and the proofs of both. */
export class View {
  readonly head: StoredCheckpoint
  readonly state: RegistryState
  /** The proof that the state is the last entry of the log. */
  readonly log: LogProof
  readonly periods: readonly Period[]
  readonly providers: readonly Provider[]
  /** Every chart that has a period, in order, and those of them that are not a hospital’s. */
  readonly charts: readonly string[]
  readonly schedules: readonly string[]
  /** Every release that the log names, in force or not, with its place in the log. */
  readonly published: readonly { release: Manifest; log_index: number }[]
  /** By the name of the release: the entry that withdrew it, and its place in the log. */
  readonly withdrawals: ReadonlyMap<string, { entry: Withdrawal; index: number }>
  /** By the leaf hash of the manifest. */
  readonly #releases: ReadonlyMap<string, Release>
  readonly #byName: ReadonlyMap<string, Release>
  /** The place of the period of each release that is in force on some day. */
  readonly #placeOf: ReadonlyMap<string, number>
  /** By chart and day; null where there is none. */
  readonly #editions = new Recent<string, Release | null>(MOST_SHARES)
  readonly #manifests = new Recent<string, JsonText>(MOST_SHARES)
  /** The trees of the periods and of the providers. */
  readonly timeline: HashTree
  readonly providerTree: HashTree
  readonly stateText: JsonText
  readonly logText: JsonText

  private constructor(
    head: StoredCheckpoint,
    log: LogProof,
    readonly entries: readonly RegistryEntry[],
    releases: readonly Release[],
  ) {
    const state = entries.at(-1)
    if (state?.schema !== STATE_SCHEMA)
      throw new DamageFault('the registry log does not end with a state: run `atr fsck`')
    const { periods, providers } = standingAfter(entries)
    this.head = head
    this.log = log
    this.state = state
    // Objects read from canonical JSON are written in the same order.
    this.stateText = new JsonText(JSON.stringify(state))
    this.logText = new JsonText(JSON.stringify(log))
    this.periods = periods
    this.providers = providers
    this.charts = [...new Set(periods.map(({ chart }) => chart))]
    this.schedules = this.charts.filter((chart) => !chart.startsWith(HOSPITAL))
    this.published = entries.flatMap((entry, log_index) =>
      entry.schema === RELEASE_SCHEMA ? [{ release: entry, log_index }] : [],
    )
    this.withdrawals = withdrawalsIn(entries)
    this.#releases = new Map(releases.map((release) => [nameOf(release.manifest), release]))
    this.#byName = new Map(releases.map((release) => [release.release_id, release]))
    this.#placeOf = new Map(
      periods.flatMap(({ release }, place) => {
        const known = this.#releases.get(release)
        return known ? [[known.release_id, place]] : []
      }),
    )
    this.timeline = new HashTree(periods.map(leafOf))
    this.providerTree = new HashTree(providers.map(leafOf))
    if (
      toBase64(this.timeline.root) !== state.timeline_root ||
      toBase64(this.providerTree.root) !== state.providers_root
    )
      throw new DamageFault('the state of the registry does not follow from its log: run `atr fsck`')
  }

  /** The newest view. It is made anew only when the public checkpoint has changed. */
  static async at(db: Db, log: Log): Promise<View> {
    const head = await log.head(db)
    const known = newest.get(log)
    if (known?.note === head.note || (known && coming.get(log) === head.note)) return known.view
    // Requests that come while it is made wait for it: a publication must not be followed by one view for each request.
    const view = db.snapshot(async (tx) => {
      const bodies = await leafBodies(tx, log.name, 0, head.size)
      const entries = bodies.map((body) => JSON.parse(fromUtf8(body)) as RegistryEntry)
      const last = bodies.at(-1)
      const { inclusion, ...place } = await log.prove(tx, head.size - 1, head, last && leafHash(last))
      const proof = { ...place, ...(inclusion.length > 0 && { inclusion }) }
      return new View(head, proof, entries, await loggedReleases(tx))
    })
    const made = { note: head.note, view }
    if (known && db.files.remote && !areHere(db, (await view).releases)) {
      comeLater(db, log, made)
      return known.view
    }
    newest.set(log, made)
    lags.delete(log)
    view.catch(() => newest.delete(log))
    return view
  }

  /** Every release of the log, with its file. */
  get releases(): Release[] {
    return [...this.#releases.values()]
  }

  /** The release of a chart in force on a day. */
  editionOn(chart: string, day: string): Release | undefined {
    const name = `${chart} ${day}`
    const known = this.#editions.find(name)
    if (known !== undefined) return known ?? undefined
    const period = periodOn(this.periods, chart, day)
    return this.#editions.put(name, period ? this.releaseIn(period) : null) ?? undefined
  }

  /** The release in force of a chart on a day. */
  inForceOn(day: string): Release[] {
    return this.charts.flatMap((chart) => this.editionOn(chart, day) ?? [])
  }

  releaseIn(period: Period): Release {
    const release = this.#releases.get(period.release)
    if (!release) throw new DamageFault('a release of the log is missing from the store: run `atr fsck`')
    return release
  }

  /** The period in which a release is in force; undefined for one that was withdrawn or replaced. */
  periodOf(release: Release): Period | undefined {
    const place = this.#placeOf.get(release.release_id)
    return place === undefined ? undefined : this.periods[place]
  }

  periodsOf(chart: string): Period[] {
    return this.periods.filter((period) => period.chart === chart)
  }

  /** The place of its period in the timeline. */
  placeOf({ release_id }: Release): number | undefined {
    return this.#placeOf.get(release_id)
  }

  manifestText({ release_id, manifest }: Release): JsonText {
    const known = this.#manifests.find(release_id)
    return known ?? this.#manifests.put(release_id, new JsonText(JSON.stringify(manifest)))
  }

  /** A release by its name, also one that was withdrawn or replaced. */
  releaseNamed(release_id: string): Release | undefined {
    return this.#byName.get(release_id)
  }

  /** The places of the periods on either side of a day on which no edition of the chart is in force. */
  placesAround(chart: string, day: string): number[] {
    const last = this.lastBy(chart, day)
    return [last, last + 1].filter((place) => place in this.periods)
  }

  /** The place of the last period that begins by a day, of the chart or of one before it; -1 if there is none. */
  lastBy(chart: string, day: string): number {
    return indexOfKey(this.periods, `${chart}|${day}~`, periodKey) - 1
  }

  /** Where the periods of a chart stand in the timeline. */
  ofChart(chart: string): [from: number, to: number] {
    const place = (key: string): number => indexOfKey(this.periods, key, periodKey)
    return [place(`${chart}|`), place(`${chart}|~`)]
  }

  /** Finds the same periods with one more on either side, if there is one. */
  stretchOf(chart: string): [from: number, to: number] {
    const [from, to] = this.ofChart(chart)
    return [Math.max(0, from - 1), Math.min(this.periods.length, to + 1)]
  }

  chartOf(npi: string): string | undefined {
    const found = this.providers[indexOfKey(this.providers, `${npi}|`, providerKey)]
    return found?.npi === npi ? found.chart : undefined
  }

  /** The place of a provider, or those on either side of where it would stand. */
  providerPlaces(npi: string): number[] {
    const at = indexOfKey(this.providers, `${npi}|`, providerKey)
    // The period that follows shows that the provider has no other chart.
    const places = this.providers[at]?.npi === npi ? [at - 1, at, at + 1] : [at - 1, at]
    return places.filter((place) => place in this.providers)
  }
}

/** The first of several withdrawals of one release: it took the release out of force. */
function withdrawalsIn(entries: readonly RegistryEntry[]): View['withdrawals'] {
  const found = new Map<string, { entry: Withdrawal; index: number }>()
  for (const [index, entry] of entries.entries())
    if (entry.schema === WITHDRAWAL_SCHEMA && !found.has(entry.release_id))
      found.set(entry.release_id, { entry, index })
  return found
}

export type PublishedRegistry = Published<View>

/** Facts beside the log that answers depend on. */
interface OtherFacts {
  look: () => Promise<void>
  mark: () => string
}

/**
 * Failed verifications, and other facts beside the log, are looked up together with the head: nothing is
 * answered from before all of it is known.
 */
export function publishedRegistry(
  db: Db,
  log: Log,
  failed = new FailedParts(db),
  beside: readonly OtherFacts[] = [],
  mostLagMs = MOST_LAG_MS,
): PublishedRegistry {
  const read = async (): Promise<View> => {
    const view = await View.at(db, log)
    const changed = await failed.look()
    if (changed.length > 0)
      distrust(
        db.files,
        (release_id) => failed.of(release_id),
        changed.flatMap((part) => view.releaseNamed(part) ?? []),
      )
    for (const each of beside) await each.look()
    return view
  }
  return new Published(log, read, undefined, () => [failed, ...beside].map((each) => each.mark()).join(''), {
    lag: () => lags.get(log),
    mostMs: mostLagMs,
  })
}

/** How long answers are given from an older head while the files of the newest releases cannot be fetched. */
const MOST_LAG_MS = 60_000

interface NewestView {
  note: string
  view: Promise<View>
}

const newest = new WeakMap<Log, NewestView>()
/** The checkpoint whose files are being fetched. Until they are here, the one before is answered from. */
const coming = new WeakMap<Log, string>()
/** Since when a newer checkpoint has waited for its files. */
const lags = new WeakMap<Log, Lag>()
const AGAIN_MS = 1_000

function comeLater(db: Db, log: Log, made: NewestView): void {
  coming.set(log, made.note)
  const lag = lags.get(log) ?? { since: performance.now() }
  lags.set(log, lag)
  made.view
    .then((view) => bringFiles(db, view.releases))
    .then(() => {
      newest.set(log, made)
      lags.delete(log)
    })
    .catch((fault: unknown) => {
      lag.fault = fault
      return Bun.sleep(AGAIN_MS) // the next question tries again
    })
    .finally(() => coming.delete(log))
}

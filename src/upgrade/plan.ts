// The plan of an upgrade, from the log: the releases of the older form that are to be made anew, and the moves of providers.

import type { Db } from '../db/db.ts'
import {
  isManifest,
  isMove,
  isOlderRelease,
  isState,
  isWithdrawal,
  type OlderRelease,
  type Provider,
  RELEASE_SCHEMA,
  type RegistryEntry,
} from '../proof/price/release.ts'
import { isRelease, lastRevisions, npisIn, standingAfter } from '../proof/price/timeline.ts'
import { registryEntries } from '../registry/state/state.ts'
import { isOfOlderForm, listOlder, type OlderRecord } from './store.ts'

/** A release of the older form, with what the store knows of it. */
export interface DueRelease extends Pick<OlderRecord, 'source_digest' | 'file'> {
  release: OlderRelease
  /** The limits that were set aside for this edition, for any of its revisions. */
  overrides: NonNullable<OlderRelease['overrides']>
}

export interface UpgradePlan {
  /** Whether the store can be served only after an upgrade. */
  isDue: boolean
  /** In the order of the log. */
  releases: DueRelease[]
}

const editionOf = ({ chart, edition }: Pick<OlderRelease, 'chart' | 'edition'>): string => `${chart} ${edition}`

/**
 * Lists the releases to be made anew: those that were not withdrawn and are the last revision of their edition. A
 * replaced revision was in force on no day. An edition that has a release of the present form is done.
 */
export async function upgradePlan(db: Db): Promise<UpgradePlan> {
  const entries = await registryEntries(db)
  const records = new Map((await listOlder(db)).map((record) => [record.release_id, record]))
  const withdrawn = new Set(entries.filter(isWithdrawal).map(({ release_id }) => release_id))
  const upgraded = new Set(entries.filter(isManifest).map(editionOf))
  const older = entries.filter(isOlderRelease)
  const standing = lastRevisions(older.filter(({ release_id }) => !withdrawn.has(release_id)))
  const releases = standing.flatMap((release): DueRelease[] => {
    const record = records.get(release.release_id)
    if (!record || record.standing === 'done' || upgraded.has(editionOf(release))) return []
    const revisions = older.filter((each) => editionOf(each) === editionOf(release)).toReversed()
    const overrides = revisions.flatMap((each) => each.overrides ?? [])
    return [{ release, overrides, source_digest: record.source_digest, file: record.file }]
  })
  return { isDue: await isOfOlderForm(db), releases }
}

/** The move of a provider that the older part of the log ends with. */
interface DueMove extends Provider {
  reason: string
}

/**
 * The moves to be repeated: where another chart spoke for a provider than does now, and a release of the present form names
 * the provider. One that was moved since is left where it is.
 */
export function dueMoves(entries: readonly RegistryEntry[]): DueMove[] {
  const first = entries.findIndex((entry) => isManifest(entry) || isState(entry))
  const before = first < 0 ? entries : entries.slice(0, first)
  const since = entries.slice(before.length)
  const asPresent = before.map((entry) =>
    isOlderRelease(entry) ? { ...entry, schema: RELEASE_SCHEMA } : entry,
  ) as RegistryEntry[]
  const speaks = new Map(standingAfter(entries).providers.map(({ npi, chart }) => [npi, chart]))
  return standingAfter(asPresent).providers.flatMap(({ npi, chart }) => {
    const reason = before.filter(isMove).findLast((move) => move.npi === npi && move.chart === chart)?.reason
    const isNamed = since.filter(isRelease).some((release) => release.chart === chart && npisIn(release).includes(npi))
    const isMoved = since.filter(isMove).some((move) => move.npi === npi)
    const isDue = reason !== undefined && isNamed && !isMoved && speaks.get(npi) !== chart
    return isDue ? [{ npi, chart, reason }] : []
  })
}

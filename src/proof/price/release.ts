// The entries of the registry log: releases, withdrawals, moves of providers, and states of the registry.

import { WITHDRAWAL_REASONS } from '../../tables/withdrawals.ts'
import {
  closed,
  count,
  digest,
  hash,
  instant,
  isDay,
  label,
  listOf,
  matches,
  NAME,
  NPI,
  oneOf,
  orNull,
  token,
} from '../shape.ts'
import { kindOfRows } from './charts.ts'

export const RELEASE_SCHEMA = 'price-release/3'
export const WITHDRAWAL_SCHEMA = 'price-withdrawal/2'
export const MOVE_SCHEMA = 'provider-move/1'
export const STATE_SCHEMA = 'registry-state/2'
/** Entries that versions before this one wrote. They stay in the log, at its beginning, and nothing is in force by them. */
export const OLDER_RELEASE_SCHEMA = 'price-release/2'
export const OLDER_STATE_SCHEMA = 'registry-state/1'

export interface Citation {
  title: string
  url: string
  file: string
  sha256: string
  bytes: number
  media_type: string
  retrieved_at: string
}

/** The source of an edition's period: the publisher's calendar, the file itself, or the operator's word. */
export const PERIOD_SOURCES = ['calendar', 'file', 'operator'] as const
export type PeriodSource = (typeof PERIOD_SOURCES)[number]

export interface Manifest {
  schema: typeof RELEASE_SCHEMA
  release_id: string
  chart: string
  edition: string
  publisher: string
  effective_from: string
  /** The last day of the edition. A later edition ends it sooner. */
  effective_to: string
  period_by: PeriodSource
  /** The publisher's own last day, where the operator moved the last day past it. Left out elsewhere. */
  publisher_until?: string
  citations: Citation[]
  row_count: number
  rows_root: string
  /** Lines of the source without a legible code: nobody can say what they state. */
  unreadable_lines: number
  rejected_count: number
  /** Of a table of pairs, those that ended more than two years before it: they are in the file and not in the release. */
  edits_left_out?: number
  data_class: 'published' | 'sample'
  supersedes: string | null
  recorded_at: string
  /** The NPIs that a hospital's file names, in order. Other charts do not have it. */
  providers?: string[]
  /** The limits that the operator set aside to publish it, and why. Left out if there are none. */
  overrides?: { rule: string; reason: string }[]
}

/** Takes a release out of force. Its rows stay proved. */
export interface Withdrawal {
  schema: typeof WITHDRAWAL_SCHEMA
  release_id: string
  chart: string
  reason: string
  recorded_at: string
}

/** Says that another hospital file speaks for an NPI from now on. */
export interface ProviderMove {
  schema: typeof MOVE_SCHEMA
  npi: string
  chart: string
  reason: string
  recorded_at: string
}

/** The last leaf of every public checkpoint. It commits to the periods of all releases, and to the file of each provider. */
export interface RegistryState {
  schema: typeof STATE_SCHEMA
  timeline_root: string
  timeline_size: number
  providers_root: string
  providers_size: number
  /** The SHA-256 of the tables that the rule of the lookup reads. */
  tables: string
  recorded_at: string
}

/** A release whose rows have an older form. */
export type OlderRelease = Omit<Manifest, 'schema' | 'publisher_until'> & { schema: typeof OLDER_RELEASE_SCHEMA }
export type OlderState = Omit<RegistryState, 'schema' | 'tables'> & { schema: typeof OLDER_STATE_SCHEMA }
export type OlderEntry = OlderRelease | OlderState

export type RegistryEntry = Manifest | Withdrawal | ProviderMove | RegistryState | OlderEntry

const name = matches(NAME)
const npi = matches(NPI)
export const isChart = matches(/^[a-z][a-z0-9-]{0,39}(:[12]\d{9})?$/)

const hospitalName = matches(/^hospital-mrf:[12]\d{9}$/)

export const isCitation = closed({
  title: label,
  url: matches(/^[!-~]{0,300}$/),
  file: matches(/^[\w.-]{1,120}$/),
  sha256: digest,
  bytes: count,
  media_type: matches(/^[a-z]+\/[a-z0-9.+-]+$/),
  retrieved_at: instant,
})
const override = closed({ rule: name, reason: name })
const MANIFEST = {
  release_id: token,
  chart: isChart,
  edition: matches(/^[\w.-]{1,60}$/),
  publisher: label,
  effective_from: isDay,
  effective_to: isDay,
  period_by: oneOf(...PERIOD_SOURCES),
  citations: listOf(isCitation),
  row_count: count,
  rows_root: hash,
  unreadable_lines: count,
  rejected_count: count,
  data_class: oneOf('published', 'sample'),
  supersedes: orNull(token),
  recorded_at: instant,
}
const OPTIONAL = {
  edits_left_out: count,
  providers: listOf(npi, 1_000, 1),
  // An empty list would be a second way to say that there are none.
  overrides: listOf(override, 64, 1),
}
const isManifestShape = closed({ schema: oneOf(RELEASE_SCHEMA), ...MANIFEST }, { ...OPTIONAL, publisher_until: isDay })
const isOlderShape = closed({ schema: oneOf(OLDER_RELEASE_SCHEMA), ...MANIFEST }, OPTIONAL)

export const isManifest = ((value: unknown) => {
  if (!isManifestShape(value) || !isNamedRightly(value as Manifest)) return false
  const { effective_to, publisher_until, period_by } = value as Manifest
  return publisher_until === undefined || (period_by === 'operator' && publisher_until < effective_to)
}) as (value: unknown) => value is Manifest

export const isOlderRelease = ((value: unknown) => isOlderShape(value) && isNamedRightly(value as OlderRelease)) as (
  value: unknown,
) => value is OlderRelease

function isNamedRightly(release: Manifest | OlderRelease): boolean {
  const { release_id, chart, edition, effective_from, effective_to, providers, edits_left_out } = release
  if ((edits_left_out !== undefined) !== (kindOfRows(chart) === 'edits')) return false
  // Only a hospital's file speaks for providers.
  if ((providers !== undefined) !== chart.startsWith('hospital-mrf:')) return false
  const name = `${chart}:${edition}:`
  return (
    release_id.startsWith(name) &&
    /^[1-9]\d{0,8}$/.test(release_id.slice(name.length)) &&
    effective_from <= effective_to
  )
}

export const isWithdrawal = closed({
  schema: oneOf(WITHDRAWAL_SCHEMA),
  release_id: token,
  chart: isChart,
  reason: oneOf(...WITHDRAWAL_REASONS),
  recorded_at: instant,
}) as (value: unknown) => value is Withdrawal

export const isMove = closed({
  schema: oneOf(MOVE_SCHEMA),
  npi,
  chart: hospitalName,
  reason: name,
  recorded_at: instant,
}) as (value: unknown) => value is ProviderMove

const STATE = {
  timeline_root: hash,
  timeline_size: count,
  providers_root: hash,
  providers_size: count,
  recorded_at: instant,
}
export const isState = closed({ schema: oneOf(STATE_SCHEMA), ...STATE, tables: digest }) as (
  value: unknown,
) => value is RegistryState

export const isOlderState = closed({ schema: oneOf(OLDER_STATE_SCHEMA), ...STATE }) as (
  value: unknown,
) => value is OlderState

/** A range of days in which a release of a chart is in force. */
export interface Period {
  chart: string
  from: string
  to: string
  /** Base64 of the leaf hash of the manifest. */
  release: string
}
/** The chart that speaks for a provider. */
export interface Provider {
  npi: string
  chart: string
}

export const isPeriod = closed({ chart: isChart, from: isDay, to: isDay, release: hash }) as (
  value: unknown,
) => value is Period
export const isProvider = closed({ npi, chart: hospitalName }) as (value: unknown) => value is Provider

export const periodKey = ({ chart, from }: Pick<Period, 'chart' | 'from'>): string => `${chart}|${from}`
export const providerKey = ({ npi: number, chart }: Provider): string => `${number}|${chart}`

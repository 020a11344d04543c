// The entries of the registry log: releases, withdrawals, moves of providers, and states of the registry.

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

export const RELEASE_SCHEMA = 'price-release/2'
export const WITHDRAWAL_SCHEMA = 'price-withdrawal/2'
export const MOVE_SCHEMA = 'provider-move/1'
export const STATE_SCHEMA = 'registry-state/1'

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
  citations: Citation[]
  row_count: number
  rows_root: string
  /** Lines of the source without a legible code: nobody can say what they state. */
  unreadable_lines: number
  rejected_count: number
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
  recorded_at: string
}
export type RegistryEntry = Manifest | Withdrawal | ProviderMove | RegistryState

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
const isManifestShape = closed(
  {
    schema: oneOf(RELEASE_SCHEMA),
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
  },
  {
    providers: listOf(npi, 1_000, 1),
    // An empty list would be a second way to say that there are none.
    overrides: listOf(override, 64, 1),
  },
)
export const isManifest = ((value: unknown) => {
  if (!isManifestShape(value)) return false
  const { release_id, chart, edition, effective_from, effective_to, providers } = value as Manifest
  // Only a hospital's file speaks for providers.
  if ((providers !== undefined) !== chart.startsWith('hospital-mrf:')) return false
  const name = `${chart}:${edition}:`
  return (
    release_id.startsWith(name) &&
    /^[1-9]\d{0,8}$/.test(release_id.slice(name.length)) &&
    effective_from <= effective_to
  )
}) as (value: unknown) => value is Manifest

export const isWithdrawal = closed({
  schema: oneOf(WITHDRAWAL_SCHEMA),
  release_id: token,
  chart: isChart,
  reason: name,
  recorded_at: instant,
}) as (value: unknown) => value is Withdrawal

export const isMove = closed({
  schema: oneOf(MOVE_SCHEMA),
  npi,
  chart: hospitalName,
  reason: name,
  recorded_at: instant,
}) as (value: unknown) => value is ProviderMove

export const isState = closed({
  schema: oneOf(STATE_SCHEMA),
  timeline_root: hash,
  timeline_size: count,
  providers_root: hash,
  providers_size: count,
  recorded_at: instant,
}) as (value: unknown) => value is RegistryState

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

export const periodKey = ({ chart, from }: Period): string => `${chart}|${from}`
export const providerKey = ({ npi: number, chart }: Provider): string => `${number}|${chart}`

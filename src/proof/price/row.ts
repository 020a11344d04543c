// What a registry row, a release manifest and a proof block are, byte for byte.
// The shapes are closed: a member that is not named here makes the whole thing invalid.

import { canonical } from '../canonical-json.ts'
import { type Check, closed, count, either, instant, isDay, label, listOf, matches, oneOf, orNull } from './shape.ts'

export const ROW_PROOF = 'agent-trust-registry/row-proof@v1'
export const ABSENCE_PROOF = 'agent-trust-registry/absence-proof@v1'
export const RELEASE_SCHEMA = 'price-release/1'
export const WITHDRAWAL_SCHEMA = 'price-withdrawal/1'
export const MAX_LEAF_BYTES = 16_384

export const BASES = [
  'medicare_pfs',
  'medicare_clfs',
  'medicare_opps',
  'hospital_cash',
  'hospital_gross',
  'hospital_negotiated_low',
  'hospital_negotiated_high',
] as const
export const SETTINGS = ['non_facility', 'facility', 'outpatient', 'inpatient'] as const
export const ABSENCE_REASONS = [
  'bundled',
  'carrier_priced',
  'not_covered',
  'not_valid',
  'anesthesia',
  'no_price_stated',
  'withheld_outlier',
  'withheld_conflict',
] as const

export type Basis = (typeof BASES)[number]
export type Setting = (typeof SETTINGS)[number]
export type AbsenceReason = (typeof ABSENCE_REASONS)[number]

export type Price = { amount: string; currency: 'USD' } | { low: string; high: string; currency: 'USD' }

interface RowBase {
  cpt: string
  modifier: string | null
  region: string
  npi: string | null
  basis: Basis
  setting: Setting | null
  effective_from: string
  flags: string[]
  derivation: { method: string; inputs: Record<string, string> }
  /** Where in the cited files the inputs stand: citation by its place in the manifest, line counted from 1. */
  locator: { citation: number; line: number }[]
}
export type Row = RowBase & ({ kind: 'price'; price: Price } | { kind: 'absence'; reason: AbsenceReason })

export interface Citation {
  title: string
  url: string
  file: string
  sha256: string
  bytes: number
  media_type: string
  retrieved_at: string
}

export interface Manifest {
  schema: typeof RELEASE_SCHEMA
  release_id: string
  chart: string
  edition: string
  publisher: string
  effective_from: string
  citations: Citation[]
  row_count: number
  rows_root: string
  rejected_count: number
  data_class: 'published' | 'sample'
  supersedes: string | null
  recorded_at: string
  /** Which limits the operator set aside to publish it, and why. Not there when none was. */
  overrides?: { rule: string; reason: string }[]
}

/** The log entry that takes a release out of force. What was proved of the release stays proved. */
export interface Withdrawal {
  schema: typeof WITHDRAWAL_SCHEMA
  release_id: string
  chart: string
  reason: string
  recorded_at: string
}

export interface LogProof {
  index: number
  inclusion: string[]
  checkpoint: string
}

export interface RowProof {
  type: typeof ROW_PROOF
  row: { index: number; leaf_hash: string; path: string[] }
  release: Manifest
  log: LogProof
}
export type CitedRow = Row & { proof: RowProof }

export interface Neighbour {
  row: Row
  index: number
  path: string[]
}
export interface AbsenceProof {
  type: typeof ABSENCE_PROOF
  key_prefix: string
  left: Neighbour | null
  right: Neighbour | null
  release: Manifest
  log: LogProof
}

/** `cpt|region|npi|modifier|basis|setting`, empty where null. Unique in a release, and the order of its leaves. */
export const rowKey = (row: Pick<Row, 'cpt' | 'region' | 'npi' | 'modifier' | 'basis' | 'setting'>): string =>
  [row.cpt, row.region, row.npi ?? '', row.modifier ?? '', row.basis, row.setting ?? ''].join('|')

/** The bytes that are hashed, as text: RFC 8785 of the row without its proof. */
export const rowText = (row: Row): string => canonical(row)

const DECIMAL = /^(0|[1-9][0-9]{0,11})\.[0-9]{2}$/
const HEX_256 = /^[0-9a-f]{64}$/
const NAME = /^[a-z][a-z0-9_]*$/
const TOKEN = /^[!-~]{1,300}$/
const URL_TEXT = /^[!-~]{0,300}$/

const price = either(
  closed({ amount: matches(DECIMAL), currency: oneOf('USD') }),
  (value) =>
    closed({ low: matches(DECIMAL), high: matches(DECIMAL), currency: oneOf('USD') })(value) &&
    Number((value as { low: string }).low) < Number((value as { high: string }).high),
)
const inputs: Check = (value) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, text]) => NAME.test(name) && matches(/^[A-Za-z0-9.,_-]{1,64}$/)(text))

/** What may stand in the parts of a key; a null stands there as an empty string. */
export const keyMembers = {
  cpt: matches(/^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/),
  region: matches(/^(national|US-[A-Z]{2}-[0-9]{2})$/),
  npi: orNull(matches(/^[12][0-9]{9}$/)),
  modifier: orNull(matches(/^[A-Z0-9]{2}(-[A-Z0-9]{2}){0,3}$/)),
  basis: oneOf(...BASES),
  setting: oneOf(...SETTINGS, null),
}

const KEY_PARTS = ['cpt', 'region', 'npi', 'modifier', 'basis', 'setting'] as const
/** The parts of a key that a prefix fixes, from the left; only a region may be cut short, after its state. */
export type KeyPrefix = Partial<Record<(typeof KEY_PARTS)[number], string>>
export const STATE_PREFIX = /^US-[A-Z]{2}-$/

/**
 * Reads a key prefix; undefined unless it ends at a part's end, or after the state of a region, and every
 * part is one that a row could have. A prefix that fits no possible row is absent from every release.
 */
export function parseKeyPrefix(prefix: string): KeyPrefix | undefined {
  const texts = prefix.split('|')
  const last = texts.at(-1) ?? ''
  if (texts.length > KEY_PARTS.length) return undefined
  const endsInside = texts.length < KEY_PARTS.length && last !== ''
  if (endsInside && !(texts.length === 2 && STATE_PREFIX.test(last))) return undefined
  const fixed: KeyPrefix = {}
  for (const [i, part] of KEY_PARTS.entries()) {
    const text = texts[i]
    if (text === undefined || (i === texts.length - 1 && text === '')) break
    if (!endsInside || i !== texts.length - 1) {
      const possible = keyMembers[part](text === '' ? null : text)
      if (!possible) return undefined
    }
    fixed[part] = text
  }
  return fixed.cpt === undefined ? undefined : fixed
}

const rowMembers = {
  ...keyMembers,
  effective_from: isDay,
  flags: listOf(matches(NAME)),
  derivation: closed({ method: matches(/^[a-z][a-z0-9-]*\/[1-9][0-9]*$/), inputs }),
  locator: listOf(closed({ citation: count, line: (value) => count(value) && value !== 0 })),
}
export const isRow = either(
  closed({ kind: oneOf('price'), price, ...rowMembers }),
  closed({ kind: oneOf('absence'), reason: oneOf(...ABSENCE_REASONS), ...rowMembers }),
) as (value: unknown) => value is Row

const hash = matches(/^[A-Za-z0-9+/]{43}=$/)
const path = listOf(hash, 63)
export const isCitation = closed({
  title: label,
  url: matches(URL_TEXT),
  file: matches(/^[A-Za-z0-9._-]{1,120}$/),
  sha256: matches(HEX_256),
  bytes: count,
  media_type: matches(/^[a-z]+\/[a-z0-9.+-]+$/),
  retrieved_at: instant,
})
const override = closed({ rule: matches(NAME), reason: matches(NAME) })
export const isManifest = closed(
  {
    schema: oneOf(RELEASE_SCHEMA),
    release_id: matches(TOKEN),
    chart: matches(TOKEN),
    edition: matches(TOKEN),
    publisher: label,
    effective_from: isDay,
    citations: listOf(isCitation),
    row_count: count,
    rows_root: hash,
    rejected_count: count,
    data_class: oneOf('published', 'sample'),
    supersedes: orNull(matches(TOKEN)),
    recorded_at: instant,
  },
  // An empty list would be a second way to say the same thing.
  { overrides: (value) => listOf(override)(value) && (value as unknown[]).length > 0 },
) as (value: unknown) => value is Manifest

export const isWithdrawal = /* @__PURE__ */ closed({
  schema: oneOf(WITHDRAWAL_SCHEMA),
  release_id: matches(TOKEN),
  chart: matches(TOKEN),
  reason: matches(NAME),
  recorded_at: instant,
}) as (value: unknown) => value is Withdrawal

const logProof = closed({ index: count, inclusion: path, checkpoint: (value) => typeof value === 'string' })
export const isRowProof = closed({
  type: oneOf(ROW_PROOF),
  row: closed({ index: count, leaf_hash: hash, path }),
  release: isManifest,
  log: logProof,
}) as (value: unknown) => value is RowProof

const neighbour = orNull(closed({ row: isRow, index: count, path }))
export const isAbsenceProof = closed({
  type: oneOf(ABSENCE_PROOF),
  key_prefix: matches(TOKEN),
  left: neighbour,
  right: neighbour,
  release: isManifest,
  log: logProof,
}) as (value: unknown) => value is AbsenceProof

export const isLogProof = logProof as (value: unknown) => value is LogProof

const published: Check = (value) =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
/** A change of a published figure: an entry of the figures log. */
export const isChangeEntry = closed(
  {
    seq: count,
    release_id: matches(TOKEN),
    released_at: instant,
    metric: matches(NAME),
    old: published,
    new: published,
    old_as_of: orNull(instant),
    new_as_of: instant,
    reason: matches(NAME),
    sdc_rule_version: matches(TOKEN),
  },
  { epsilon: matches(TOKEN), ledger_root: hash },
)

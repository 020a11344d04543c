import { z } from 'zod'
import { ABSENCE_PROOF, ROW_PROOF } from '../../proof/price/proofs.ts'
import { PERIOD_SOURCES, RELEASE_SCHEMA, STATE_SCHEMA } from '../../proof/price/release.ts'
import { ABSENCE_REASONS, BASES, CLASSES, SETTINGS } from '../../proof/price/row.ts'

// The wire form of rows and their proofs, which src/proof/price/ defines, for the documents that describe this service.

/** CMS marks a setting in which the service is rarely or never performed. */
export const NA_FLAG = 'na_indicator'

export const Hash = z.string().meta({
  description: 'A SHA-256 Merkle hash in canonical base64',
  examples: ['vgG0MZyFKcfxndzdE3nRglIXhRDPlRjwSQz9847Jil4='],
})
export const Amount = z
  .string()
  .regex(/^(0|[1-9][0-9]*)\.[0-9]{2,4}$/)
  .meta({ description: 'An exact decimal amount, with two to four decimals', examples: ['95.19'] })
export const Day = z.iso.date()
const Instant = z.iso.datetime()
export const Index = z.int().min(0)
export const Path = z.array(Hash)

const money = {
  currency: z.literal('USD'),
  per: z.string().nullable().meta({
    description:
      'What the amount is for: null for one service, else a dosage such as `10 MG`, MONTH, DAY, MILE or UNIT',
  }),
}
export const Price = z
  .union([z.strictObject({ amount: Amount, ...money }), z.strictObject({ low: Amount, high: Amount, ...money })])
  .meta({ id: 'Price', description: 'One amount, or the range of amounts the source lists under one key' })

export const identity = {
  cpt: z.string().meta({ description: 'CPT or HCPCS code', examples: ['99213'] }),
  modifier: z.string().nullable().meta({ description: 'Modifier, or null for none' }),
  region: z
    .string()
    .meta({ description: '`national`, state `US-XX`, locality `US-XX-LL`, or former bidding area `CBA-…`' }),
  npi: z.string().nullable().meta({ description: 'The provider whose price this is, or null for a schedule' }),
  basis: z.enum(BASES).meta({ description: 'What kind of price it is' }),
  setting: z.enum(SETTINGS).nullable().meta({ description: 'Where the service is performed' }),
  class: z
    .enum(CLASSES)
    .nullable()
    .meta({ description: 'Of a hospital\u2019s price, whether it is the hospital\u2019s or a professional\u2019s' }),
}
const Locator = z
  .array(z.strictObject({ citation: Index, line: z.int().min(1) }))
  .meta({ description: 'Where in `proof.release.citations` the inputs stand: citation by place, line from 1' })
export const evidence = {
  effective_from: Day,
  flags: z.array(z.string()).meta({ description: 'Fixed words, such as `opps_cap` or `far_from_medicare`' }),
  derivation: z
    .strictObject({ method: z.string(), inputs: z.record(z.string(), z.string()) })
    .meta({ description: 'How the price follows from the cited numbers; enough to recompute it' }),
  indicators: z
    .record(z.string(), z.string())
    .meta({ description: 'The publisher\u2019s indicators that a biller needs, as printed' }),
  locator: Locator,
}
export const price = { kind: z.enum(['price', 'rate']), ...identity, price: Price, ...evidence }
export const absence = { kind: z.literal('absence'), ...identity, reason: z.enum(ABSENCE_REASONS), ...evidence }
export const place = {
  kind: z.literal('place'),
  zip: z.string(),
  plus_four: z
    .string()
    .nullable()
    .meta({ description: 'The last four digits from and to; null for the whole ZIP code' }),
  region: z.string().nullable().meta({ description: 'Null where the last four digits decide' }),
  state: z.string().nullable().meta({
    description: 'Of the address; a locality may reach into another one. Null where the last four digits decide',
  }),
  rural: z.boolean().optional().meta({ description: 'Whether equipment has rural prices there' }),
  bidding_area: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'The former bidding area there, or null for none' }),
  effective_from: Day,
  locator: Locator,
}

const Citation = z
  .strictObject({
    title: z.string(),
    url: z.string(),
    file: z.string(),
    sha256: z.string().meta({ description: 'SHA-256 of the cited file, lowercase hex' }),
    bytes: z.int().min(0),
    media_type: z.string(),
    retrieved_at: Instant,
  })
  .meta({ id: 'Citation' })

export const Manifest = z
  .strictObject({
    schema: z.literal(RELEASE_SCHEMA),
    release_id: z.string().meta({ examples: ['cms-pfs:RVU26C:1'] }),
    chart: z.string(),
    edition: z.string(),
    publisher: z.string(),
    effective_from: Day,
    effective_to: Day.meta({ description: 'The last day of the edition; a later edition ends it sooner' }),
    period_by: z.enum(PERIOD_SOURCES).meta({ description: 'Who says until when it holds' }),
    citations: z.array(Citation),
    row_count: z.int().min(0),
    rows_root: Hash,
    unreadable_lines: z.int().min(0).meta({ description: 'Lines of the source without a code that can be read' }),
    rejected_count: z.int().min(0),
    data_class: z.enum(['published', 'sample']),
    supersedes: z.string().nullable(),
    recorded_at: Instant,
    providers: z
      .array(z.string())
      .min(1)
      .optional()
      .meta({ description: 'Of a hospital\u2019s file, the NPIs that it names' }),
    overrides: z
      .array(z.strictObject({ rule: z.string(), reason: z.string() }))
      .min(1)
      .optional()
      .meta({ description: 'Limits that the operator set aside to publish this release, and why; absent when none' }),
  })
  .meta({
    id: 'ReleaseManifest',
    description: 'The log entry of a release; its leaf is the canonical JSON of this object',
  })

export const State = z
  .strictObject({
    schema: z.literal(STATE_SCHEMA),
    timeline_root: Hash,
    timeline_size: z.int().min(0),
    providers_root: Hash,
    providers_size: z.int().min(0),
    recorded_at: Instant,
  })
  .meta({
    id: 'RegistryState',
    'x-spec': 'proof.md',
    description: 'The last entry of the registry log: what is in force, and who speaks for whom',
  })

const period = {
  period: z.strictObject({ chart: z.string(), from: Day, to: Day, release: Hash }),
  index: Index,
  path: Path,
}
export const PeriodProof = z
  .strictObject(period)
  .meta({ id: 'PeriodProof', 'x-spec': 'proof.md', description: 'A leaf of the timeline' })
export const ProviderProof = z
  .strictObject({ provider: z.strictObject({ npi: z.string(), chart: z.string() }), index: Index, path: Path })
  .meta({ id: 'ProviderProof', 'x-spec': 'proof.md', description: 'Which hospital file speaks for an NPI' })
const InForce = z.strictObject({ ...period, state: State }).meta({
  id: 'InForce',
  'x-spec': 'proof.md',
  description: 'The period in which the release is in force, in the timeline of the newest state',
})

export const LogProof = z
  .strictObject({
    index: Index,
    inclusion: Path,
    checkpoint: z.string().meta({ description: 'A C2SP signed checkpoint, verbatim' }),
  })
  .meta({ id: 'LogProof', 'x-spec': 'proof.md' })

export const RowProof = z
  .strictObject({
    type: z.literal(ROW_PROOF),
    row: z.strictObject({ index: Index, leaf_hash: Hash, path: Path }),
    release: Manifest,
    in_force: InForce.nullable(),
    log: LogProof,
  })
  .meta({
    id: 'RowProof',
    description: 'The row in its release, the release in force, and that state in the signed registry log',
  })

export const PriceRow = z.strictObject({ ...price, proof: RowProof }).meta({
  id: 'CitedPrice',
  description: 'A cited price with its proof block. A Medicare amount is a reference, not what a patient owes.',
})
const AbsenceRow = z
  .strictObject({ ...absence, proof: RowProof })
  .meta({ id: 'StatedAbsence', description: 'The source states that it has no price for this code' })
export const PlaceRow = z
  .strictObject({ ...place, proof: RowProof })
  .meta({ id: 'CitedPlace', description: 'The Medicare locality of a ZIP code' })
export const CitedRow = z.union([PriceRow, AbsenceRow, PlaceRow]).meta({ id: 'CitedRow' })

export const BareRow = z.union([z.strictObject(price), z.strictObject(absence), z.strictObject(place)])
export const neighbour = { row: BareRow, index: Index, path: Path }
const Neighbour = z.strictObject(neighbour).nullable()

export const AbsenceProof = z
  .strictObject({
    type: z.literal(ABSENCE_PROOF),
    key_prefix: z.string(),
    left: Neighbour,
    right: Neighbour,
    release: Manifest,
    in_force: InForce,
    log: LogProof,
  })
  .meta({
    id: 'AbsenceProof',
    'x-spec': 'proof.md',
    description: 'Two adjacent rows of a sorted release with the missing key between them',
  })

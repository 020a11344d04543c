import { z } from 'zod'
import { PROOF, PROOF_REF } from '../../proof/envelope.ts'
import { ADJUDICATIONS } from '../../proof/price/edit-row.ts'
import { PERIOD_SOURCES, RELEASE_SCHEMA, STATE_SCHEMA, WITHDRAWAL_SCHEMA } from '../../proof/price/release.ts'
import { ABSENCE_REASONS, BASES, CLASSES, SETTINGS } from '../../proof/price/row.ts'
import { WITHDRAWAL_REASONS } from '../../tables/withdrawals.ts'

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
  code: z
    .string()
    .meta({ description: 'CPT or HCPCS code, or one of another kind with its prefix', examples: ['99213', 'DRG-470'] }),
  region: z
    .string()
    .meta({ description: '`national`, state `US-XX`, locality `US-XX-LL`, or former bidding area `CBA-…`' }),
  npi: z.string().nullable().meta({ description: 'The provider whose price this is, or null for a schedule' }),
  basis: z.enum(BASES).meta({ description: 'What kind of price it is' }),
  payer: z.string().nullable().meta({ description: 'Whose own price it is; null for a price that is no payer\u2019s' }),
  modifier: z.string().nullable().meta({ description: 'Modifier, or null for none' }),
  setting: z.enum(SETTINGS).nullable().meta({ description: 'Where the service is performed' }),
  class: z
    .enum(CLASSES)
    .nullable()
    .meta({ description: 'Of a hospital\u2019s price, whether it is the hospital\u2019s or a professional\u2019s' }),
}
const Locator = z
  .array(z.strictObject({ citation: Index, line: z.int().min(1) }))
  .meta({ description: 'Where in `citations` of the release the inputs stand: citation by place, line from 1' })
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

export const hospital = {
  kind: z.literal('hospital'),
  region: z.string().meta({ description: 'The state', examples: ['US-IL'] }),
  zip: z.string(),
  npi: z.string(),
  name: z.string().nullable().meta({
    description: 'The name that the list of the operator has, in a closed alphabet: a name, and nothing else',
  }),
  effective_from: Day,
  locator: Locator,
}

/** A list of five, which generators of clients do not know as a tuple. */
const Edits = z
  .array(z.array(z.union([z.string(), z.int(), z.null()])).length(5))
  .min(1)
  .optional()
/** A limit, pairs or primary codes, in one shape: docs/spec/row.md says which kind has which members. */
export const edit = {
  kind: z.enum(['limit', 'edits', 'add_on']),
  code: z.string(),
  units: z.int().min(0).optional(),
  adjudication: z.literal([...ADJUDICATIONS]).optional(),
  rationale: z.int().min(0).optional(),
  edits: Edits.meta({ description: 'Code, modifier indicator, first day, last day or null, rationale' }),
  primaries: Edits.meta({ description: 'Code or CCCCC, type, first day, last day or null, note or null' }),
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
    publisher_until: Day.optional().meta({
      description: 'The publisher\u2019s own last day, where the operator prolonged the edition',
    }),
    citations: z.array(Citation),
    row_count: z.int().min(0),
    rows_root: Hash,
    unreadable_lines: z.int().min(0).meta({ description: 'Lines of the source without a code that can be read' }),
    rejected_count: z.int().min(0),
    edits_left_out: z.int().min(0).optional().meta({
      description: 'Of a table of pairs, those that ended more than two years before it',
    }),
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
    tables: z.string().meta({ description: 'SHA-256 of the tables that the rule of the lookup reads, lowercase hex' }),
    recorded_at: Instant,
  })
  .meta({
    id: 'RegistryState',
    'x-spec': 'proof.md',
    description: 'The last entry of the registry log: what is in force, and who speaks for whom',
  })

const Period = z.strictObject({ chart: z.string(), from: Day, to: Day, release: Hash })
const Provider = z.strictObject({ npi: z.string(), chart: z.string() })
const Withdrawal = z
  .strictObject({
    schema: z.literal(WITHDRAWAL_SCHEMA),
    release_id: z.string(),
    chart: z.string(),
    reason: z.string(),
    recorded_at: Instant,
  })
  .meta({ id: 'Withdrawal', description: 'The log entry that takes a release out of force' })
const BareRow = z.union([
  z.strictObject(price),
  z.strictObject(absence),
  z.strictObject(place),
  z.strictObject(hospital),
  z.strictObject(edit),
])

/** Some leaves of a tree, each with its index, and the nodes that are missing to reach the root. */
const setOf = (leaf: z.ZodType) =>
  z.strictObject({
    leaves: z
      .array(z.tuple([Index, leaf]))
      .min(1)
      .optional(),
    hashes: z.array(Hash).min(1).optional(),
  })

export const Proof = z
  .strictObject({
    type: z.literal(PROOF),
    log: z.strictObject({
      index: Index,
      inclusion: z.array(Hash).min(1).optional(),
      checkpoint: z.string().meta({ description: 'A C2SP signed checkpoint, verbatim' }),
    }),
    state: State,
    timeline: setOf(Period).optional(),
    providers: setOf(Provider).optional(),
    entries: setOf(z.union([Manifest, Withdrawal])).optional(),
    releases: z
      .array(z.strictObject({ release: Manifest, rows: setOf(BareRow).optional() }))
      .min(1)
      .optional(),
  })
  .meta({
    id: 'Proof',
    'x-spec': 'proof.md',
    description: 'Everything that proves the answer, stated once, under one signed checkpoint of the registry log',
  })

export const RowPointer = z.strictObject({ release: Index, index: Index, leaf_hash: Hash }).meta({
  id: 'RowPointer',
  'x-spec': 'proof.md',
  description: 'The row is this leaf of a release of the proof: `release` is its place in `proof.releases`',
})
const prolonged = {
  prolonged: z
    .strictObject({ publisher_until: Day })
    .optional()
    .meta({ description: 'The publisher\u2019s own period ended on this day; the operator prolonged the edition' }),
}
const shown = { proof: RowPointer, ...prolonged }
export const ShownPrice = z.strictObject({ ...price, ...shown }).meta({ id: 'ShownPrice' })
export const ShownPlace = z
  .strictObject({ ...place, ...shown })
  .meta({ id: 'ShownPlace', description: 'The Medicare locality of a ZIP code' })
export const ShownHospital = z
  .strictObject({ ...hospital, ...shown })
  .meta({ id: 'ShownHospital', description: 'A hospital of the list, with its place and its name' })
const ShownAbsence = z
  .strictObject({ ...absence, ...shown })
  .meta({ id: 'StatedAbsence', description: 'The source states that it has no price for this code' })
/** A row of prices: a price, a factor or a stated absence. */
export const ShownRow = z.union([ShownPrice, ShownAbsence]).meta({ id: 'ShownRow' })
export const ShownEdit = z
  .strictObject({ ...edit, ...shown })
  .meta({ id: 'ShownEdit', 'x-long': true, description: 'A limit of units, pairs of codes, or primary codes' })
export const ShownAnyRow = z.union([ShownPrice, ShownAbsence, ShownPlace, ShownHospital, ShownEdit])
export const prolongedMember = prolonged

/** A row as an answer of its own: the pointer stands in `row`, and the proof beside it. */
const whole = { row: RowPointer, ...prolonged, proof: Proof }
const Withdrawn = z
  .strictObject({ reason: z.enum(WITHDRAWAL_REASONS), recorded_at: z.string() })
  .meta({ id: 'Withdrawn', description: 'The release of the row was withdrawn: do not use its amount' })
/** The row of a permalink, whose release may be withdrawn. */
const cited = {
  ...whole,
  about: z
    .strictObject({ withdrawn: Withdrawn })
    .optional()
    .meta({ description: 'What is not proved: the word of the service. A verifier does not look at it' }),
}
export const CitedRow = z
  .union([
    z.strictObject({ ...price, ...cited }),
    z.strictObject({ ...absence, ...cited }),
    z.strictObject({ ...place, ...cited }),
    z.strictObject({ ...hospital, ...cited }),
    z.strictObject({ ...edit, ...cited }).meta({ 'x-spec': 'row.md' }),
  ])
  .meta({ id: 'CitedRow', description: 'A row of a release, with its whole proof' })
export const wholeRow = whole

export const ProofRef = z
  .strictObject({ type: z.literal(PROOF_REF), release_id: z.string(), index: Index, leaf_hash: Hash, href: z.string() })
  .meta({ id: 'ProofRef', description: 'Where the whole proof is; the leaf hash binds the row to it' })
export const AnswerRef = z
  .strictObject({ type: z.literal(PROOF_REF), href: z.string() })
  .meta({ id: 'AnswerRef', description: 'Where the same answer is with its whole proof' })

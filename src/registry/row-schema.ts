import { z } from 'zod'
import {
  ABSENCE_PROOF,
  ABSENCE_REASONS,
  type AbsenceProof as AbsenceProofType,
  BASES,
  type CitedRow as CitedRowType,
  RELEASE_SCHEMA,
  ROW_PROOF,
  SETTINGS,
} from '../proof/price/row.ts'

// The wire form of what src/proof/price/row.ts defines, for the documents that describe this service.

/** CMS marks a setting in which the service is rarely or never performed. */
export const NA_FLAG = 'na_indicator'

const Hash = z.string().meta({
  description: 'A SHA-256 Merkle hash in canonical base64',
  examples: ['vgG0MZyFKcfxndzdE3nRglIXhRDPlRjwSQz9847Jil4='],
})
const Amount = z
  .string()
  .regex(/^(0|[1-9][0-9]*)\.[0-9]{2}$/)
  .meta({ description: 'An exact decimal amount', examples: ['95.19'] })
const Day = z.iso.date()
const Instant = z.iso.datetime()

export const Price = z
  .union([
    z.strictObject({ amount: Amount, currency: z.literal('USD') }),
    z.strictObject({ low: Amount, high: Amount, currency: z.literal('USD') }),
  ])
  .meta({ id: 'Price', description: 'One amount, or the range of amounts the source lists under one key' })

const identity = {
  cpt: z.string().meta({ description: 'CPT or HCPCS code', examples: ['99213'] }),
  modifier: z.string().nullable().meta({ description: 'Modifier, or null for none' }),
  region: z.string().meta({ description: '`national` or a CMS locality as `US-XX-LL`' }),
  npi: z.string().nullable().meta({ description: 'The provider whose price this is, or null for a schedule' }),
  basis: z.enum(BASES).meta({ description: 'What kind of price it is' }),
  setting: z.enum(SETTINGS).nullable().meta({ description: 'Where the service is performed' }),
}
const evidence = {
  effective_from: Day,
  flags: z.array(z.string()).meta({ description: 'Fixed words, such as `na_indicator` or `opps_cap`' }),
  derivation: z
    .strictObject({ method: z.string(), inputs: z.record(z.string(), z.string()) })
    .meta({ description: 'How the price follows from the cited numbers; enough to recompute it' }),
  locator: z
    .array(z.strictObject({ citation: z.int().min(0), line: z.int().min(1) }))
    .meta({ description: 'Where in `proof.release.citations` the inputs stand: citation by place, line from 1' }),
}
const price = { kind: z.literal('price'), ...identity, price: Price, ...evidence }
const absence = { kind: z.literal('absence'), ...identity, reason: z.enum(ABSENCE_REASONS), ...evidence }

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

const Manifest = z
  .strictObject({
    schema: z.literal(RELEASE_SCHEMA),
    release_id: z.string().meta({ examples: ['cms-pfs:RVU26C:1'] }),
    chart: z.string(),
    edition: z.string(),
    publisher: z.string(),
    effective_from: Day,
    citations: z.array(Citation),
    row_count: z.int().min(0),
    rows_root: Hash,
    rejected_count: z.int().min(0),
    data_class: z.enum(['published', 'sample']),
    supersedes: z.string().nullable(),
    recorded_at: Instant,
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

export const LogProof = z
  .strictObject({
    index: z.int().min(0),
    inclusion: z.array(Hash),
    checkpoint: z.string().meta({ description: 'A C2SP signed checkpoint, verbatim' }),
  })
  .meta({ id: 'LogProof' })

const RowProof = z
  .strictObject({
    type: z.literal(ROW_PROOF),
    row: z.strictObject({ index: z.int().min(0), leaf_hash: Hash, path: z.array(Hash) }),
    release: Manifest,
    log: LogProof,
  })
  .meta({ id: 'RowProof', description: 'The row in its release, and the release in the signed registry log' })

export const PriceRow = z.strictObject({ ...price, proof: RowProof }).meta({
  id: 'CitedPrice',
  description: 'A cited price with its proof block. A Medicare amount is a reference, not what a patient owes.',
})

const AbsenceRow = z
  .strictObject({ ...absence, proof: RowProof })
  .meta({ id: 'StatedAbsence', description: 'The source states that it has no price for this code' })

export const CitedRow: z.ZodType<CitedRowType> = z
  .discriminatedUnion('kind', [PriceRow, AbsenceRow])
  .meta({ id: 'CitedRow' }) as unknown as z.ZodType<CitedRowType>

const BareRow = z.discriminatedUnion('kind', [z.strictObject({ ...price }), z.strictObject({ ...absence })])
const Neighbour = z.strictObject({ row: BareRow, index: z.int().min(0), path: z.array(Hash) }).nullable()

export const AbsenceProof = z
  .strictObject({
    type: z.literal(ABSENCE_PROOF),
    key_prefix: z.string(),
    left: Neighbour,
    right: Neighbour,
    release: Manifest,
    log: LogProof,
  })
  .meta({
    id: 'AbsenceProof',
    description: 'Two adjacent rows of a sorted release with the missing key between them',
  }) as unknown as z.ZodType<AbsenceProofType>

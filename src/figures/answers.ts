// The shapes of the answers about figures. They are closed: a member that is not named here cannot be sent.

import { z } from 'zod'
import { Links, Page } from '../paging.ts'
import { FIGURES_PROOF } from '../proof/body.ts'
import { FIGURES_STATE } from '../proof/figures.ts'
import { CASE_BANDS, SAVINGS_BANDS, WITHHOLDABLE } from './rule/provider.ts'
import { METRICS } from './rule/tally.ts'
import { DEFINITIONS } from './state.ts'

const Instant = z.iso.datetime().meta({ description: 'RFC 3339, UTC' })
const Rate = z.number().min(0).max(1).meta({ description: 'A share, rounded half-even to 0.01' })
const Amount = z
  .string()
  .regex(/^[0-9]+\.[0-9]{2}$/)
  .meta({ description: 'US dollars as a decimal string' })
const Floor10 = z.int().min(0).multipleOf(10)
const RuleVersion = z.string().meta({ description: 'Version of the published disclosure rule' })

const described = <V extends z.ZodType>(metric: keyof typeof DEFINITIONS, value: V) =>
  z
    .strictObject({
      value: value.nullable(),
      standard_error: value.nullable().optional().meta({
        description:
          'How far noise and rounding move the value, in its own unit; null if it is withheld, and absent without noise',
      }),
      suppressed: z.boolean().meta({ description: 'True when the value is withheld; it is then null, not zero' }),
      reason: z
        .enum(['no_data', 'small_cell', 'dominance', 'not_with_noise'])
        .nullable()
        .meta({ description: 'Why the value is withheld' }),
      as_of: Instant.nullable().meta({ description: 'The release at which this value last changed' }),
      definition: z.string(),
    })
    .meta({ description: DEFINITIONS[metric] })

const LogProof = z
  .strictObject({
    index: z.int().min(0),
    inclusion: z.array(z.string()).meta({ description: 'Sibling hashes from the leaf upwards, base64' }),
    checkpoint: z.string().meta({ description: 'C2SP signed checkpoint of the figures log' }),
  })
  .meta({ id: 'FiguresLogProof', 'x-spec': 'figures.md', description: 'The place of an entry in the figures log' })

const DataClass = z
  .enum(['published', 'sample'])
  .nullable()
  .meta({ id: 'LedgerClass', description: '`sample` if any case of the ledger is invented' })

/** The members that the answer and the state have in common. */
const sharedMembers = {
  cases_floor10: Floor10.nullable().meta({ description: 'All cases, rounded down to a multiple of 10' }),
  settlements_floor10: Floor10.nullable().meta({ description: 'Settlements, rounded down to a multiple of 10' }),
  as_of: Instant.nullable().meta({ description: 'When the release was made' }),
  release_id: z.string().nullable(),
  metrics: z.strictObject({
    w: described('w', Rate),
    r: described('r', Rate),
    p: described('p', Rate),
    savings_total: described('savings_total', Amount),
    savings_median: described('savings_median', Amount),
  }),
  sdc_rule_version: RuleVersion,
  data_class: DataClass,
  noise: z
    .strictObject({
      mechanism: z.literal('discrete_laplace'),
      epsilon: z.string().meta({ description: 'Of each of w, r, p and savings, for what `unit` says' }),
      windows: z
        .literal('disjoint')
        .meta({ description: 'Each case is counted in one window, whose noise is drawn once' }),
    })
    .optional()
    .meta({ description: 'Present if the figures have noise' }),
  exact: z
    .literal(true)
    .optional()
    .meta({ description: 'Present if the figures have no noise: who knows all cases but one can learn that one' }),
  unit: z
    .enum(['case', 'person'])
    .nullable()
    .optional()
    .meta({ description: 'What the noise protects: one case, or all that one person adds to a window' }),
  counts_standard_error: z
    .int()
    .min(0)
    .nullable()
    .optional()
    .meta({ description: 'The standard error of `cases_floor10` and of `settlements_floor10`, in cases' }),
}

const MedianBand = z
  .strictObject({ low: Amount, high: Amount.nullable() })
  .nullable()
  .optional()
  .meta({ description: 'The median of settlements is at least `low` and below `high`; null if it is withheld' })

export const StateEntry = z
  .strictObject({
    schema: z.literal(FIGURES_STATE),
    ...sharedMembers,
    median_band: MedianBand,
    recorded_at: Instant.meta({ description: 'When this state was written into the log' }),
  })
  .meta({
    id: 'FiguresState',
    'x-spec': 'figures.md',
    description: 'An entry of the figures log: what stands after a release, and nothing of before',
  })

export type StateEntry = z.infer<typeof StateEntry>

export const FiguresBody = z
  .strictObject({
    w: Rate.nullable().meta({ description: 'Win rate' }),
    r: Rate.nullable().meta({ description: 'Recurring rate' }),
    p: Rate.nullable().meta({ description: 'Share of settlements without certified-mail escalation' }),
    savings: z.strictObject({
      total: Amount.nullable(),
      median: Amount.nullable(),
      median_band: MedianBand,
      currency: z.literal('USD'),
    }),
    cases_floor10: sharedMembers.cases_floor10,
    settlements_floor10: sharedMembers.settlements_floor10,
    counts_standard_error: sharedMembers.counts_standard_error,
    provenance: z.literal('service_outcomes_ledger'),
    as_of: sharedMembers.as_of,
    release_id: sharedMembers.release_id,
    metrics: sharedMembers.metrics,
    pii_policy: z.literal('aggregate_only'),
    sdc_rule_version: sharedMembers.sdc_rule_version,
    data_class: sharedMembers.data_class,
    noise: sharedMembers.noise,
    exact: sharedMembers.exact,
    unit: sharedMembers.unit,
    proof: z
      .strictObject({ type: z.literal(FIGURES_PROOF), state: StateEntry, log: LogProof })
      .meta({ description: 'That these figures are the last entry of the figures log' }),
  })
  .meta({ description: 'Aggregate dispute metrics; withheld values are null, and null is never zero' })
export type FiguresBody = z.infer<typeof FiguresBody>

/** A published value: a share or a count as a number, an amount as a decimal string, null when withheld. */
const PublishedValue = z.union([z.number(), Amount]).nullable()

/** One entry of the figures log. Its canonical JSON (RFC 8785) is the leaf, byte for byte. */
export const ChangeEntry = z.strictObject({
  seq: z.int().min(0).meta({ description: 'Index in the figures log, counted from 0' }),
  release_id: z.string(),
  released_at: Instant,
  metric: z.enum(METRICS),
  old: PublishedValue.meta({ description: 'The previous published value; null if it was withheld or there was none' }),
  new: PublishedValue.meta({ description: 'The new published value; null if it is withheld' }),
  old_as_of: Instant.nullable(),
  new_as_of: Instant,
  reason: z.enum(['initial', 'scheduled', 'correction', 'method_change', 'suppression_on', 'suppression_off']),
  sdc_rule_version: RuleVersion,
  ledger_root: z.string().optional().meta({
    description:
      'Salted Merkle root over the ledger that the release was made from. An auditor with the cases and their salts can check it; it tells others nothing',
  }),
  epsilon: z.string().optional().meta({
    description:
      'Privacy budget spent on this metric, for each case or person that is counted for the first time; present if there is noise',
  }),
})
export type ChangeEntry = z.infer<typeof ChangeEntry>

/** Added to an entry. The canonical JSON of the other members is the entry in the log. */
const withProof = {
  proof: z
    .strictObject({ log: LogProof })
    .meta({ description: 'Remove this member; the canonical JSON of the rest is the log entry' }),
}

export const ChangePage = z
  .strictObject({
    data: z.array(ChangeEntry.extend(withProof)),
    states: z.array(StateEntry.extend(withProof).meta({ id: 'ProvedState', 'x-spec': 'figures.md' })).meta({
      description:
        'The states between these changes, so that every place of the log can be accounted for. Empty if changes were selected with `metric`, `since` or `until`',
    }),
    data_class: DataClass,
    page: Page,
    links: Links,
  })
  .meta({
    id: 'FigureChanges',
    'x-long': true,
    description: 'Changes of published figures, all proved under one checkpoint',
  })

const BandedRate = z
  .union([z.number().min(0).max(1), z.enum(['>=0.90', '<=0.10'])])
  .nullable()
  .meta({ description: 'A share rounded to 0.05, or only `>=0.90` or `<=0.10` if it is extreme; null when withheld' })
const Quarter = z.string().regex(/^[0-9]{4}-Q[1-4]$/)

export const ProviderStats = z
  .strictObject({
    npi: z.string(),
    window: z.strictObject({ from: Quarter, to: Quarter, granularity: z.enum(['quarter', 'year']) }).meta({
      description:
        'The last eight calendar quarters. `quarter`: cases are counted when they enter the ledger. `year`, of exact figures: all cases of every year in the window are counted',
    }),
    case_band: z.enum(CASE_BANDS).meta({ description: 'How many cases, as a band; never a count' }),
    win_rate: BandedRate,
    no_escalation_rate: BandedRate,
    median_savings_band: z
      .enum(SAVINGS_BANDS)
      .nullable()
      .meta({ description: 'The band, in US dollars, of the median recovered in a settlement; null when withheld' }),
    suppressed: z.boolean().meta({ description: 'True when any value is withheld' }),
    reasons: z
      .array(z.strictObject({ field: z.enum(WITHHOLDABLE), reason: z.enum(['small_cell', 'dominance']) }))
      .meta({ description: 'Why each withheld value is withheld' }),
    as_of: Instant.nullable().meta({
      description:
        'The quarterly refresh of this answer. Without noise a value is kept from an earlier refresh if too few cases have changed since',
    }),
    sdc_rule_version: RuleVersion,
    data_class: DataClass,
  })
  .meta({ description: 'Redacted negotiation statistics of one organisation; no personal information' })

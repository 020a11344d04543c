import { payerIdAs } from './payer-names.ts'
import { type StatedAmount, statedAmount } from './stated-amount.ts'

// What one line states for one payer and plan.

/** As cells and members have it. */
export interface RawPayer {
  payer: string
  plan: string
  dollars: StatedAmount
  percentage: string
  formula: string
  methodology: string
  median: StatedAmount
  tenth: StatedAmount
  ninetieth: StatedAmount
  estimate: StatedAmount
  count: string
}

export const PLACES = ['dollars', 'by_day', 'percentage', 'median', 'tenth', 'ninetieth', 'estimate'] as const
export type Place = (typeof PLACES)[number]

export interface PayerCharge {
  id: string
  stated: Partial<Record<Place, StatedAmount>>
  hasFormula: boolean
  /** As rows name it; nothing for a word that is none of the template's. */
  methodology: string
}

const METHODS: Record<string, string> = {
  'fee schedule': 'fee_schedule',
  'case rate': 'case_rate',
  'percent of total billed charges': 'percent_of_charges',
  'percent of total billed charge': 'percent_of_charges',
  'per diem': 'per_diem',
  other: 'other',
}

export function payerCharge(raw: RawPayer): PayerCharge {
  const methodology =
    METHODS[
      raw.methodology
        .toLowerCase()
        .replaceAll(/[^a-z]+/g, ' ')
        .trim()
    ] ?? ''
  const wasPaid = raw.count.trim() !== '0'
  const stated: PayerCharge['stated'] = {
    [methodology === 'per_diem' ? 'by_day' : 'dollars']: raw.dollars,
    percentage: percentageOf(raw.percentage),
    ...(wasPaid && { median: raw.median, tenth: raw.tenth, ninetieth: raw.ninetieth }),
    estimate: raw.estimate,
  }
  for (const place of PLACES) if (stated[place]?.kind === 'none') delete stated[place]
  return {
    id: payerIdAs(raw.payer, raw.plan),
    stated,
    hasFormula: statedAmount(raw.formula).kind !== 'none',
    methodology,
  }
}

function percentageOf(cell: string): StatedAmount {
  const stated = statedAmount(cell.trim().replace(/%$/, ''))
  return stated.kind === 'dollars' && Number(stated.text) > 1_000 ? { kind: 'unreadable' } : stated
}

// One sentence that says what was verified: made of the decision that was proved and of the question, and of nothing else that
// a service says.

import type { Decision, PriceDecision } from '../../proof/lookup/decision.ts'
import type { Price } from '../../proof/price/row.ts'

export interface AskedLookup {
  cpt: string
  as_of: string
  region?: string | undefined
  npi?: string | undefined
  modifier?: string | undefined
}

export function claimOf(decision: Decision, { cpt, as_of, region, npi, modifier }: AskedLookup): string {
  const code = modifier && !cpt.includes('-') ? `${cpt}-${modifier}` : cpt
  const place = npi ? `hospital ${npi}` : region || 'national'
  const said = decision.outcome === 'price' ? priceText(decision) : `no price (${reasonOf(decision)})`
  return `${code}, ${place}, ${as_of}: ${said}.`
}

const reasonOf = (decision: Exclude<Decision, PriceDecision>): string =>
  (decision.outcome === 'absent' ? decision.row.reason : decision.outcome).replaceAll('_', ' ')

function priceText({ row, ignored, adjustment }: PriceDecision): string {
  const { basis, setting, price } = row
  const modifier = adjustment?.modifier ?? row.modifier
  return [
    adjustment ? `${adjustment.amount} ${price.currency}` : amountText(price),
    basis.replaceAll('_', ' '),
    ...(setting ? [setting.replaceAll('_', ' ')] : []),
    ...(modifier ? [`modifier ${modifier}`] : []),
    ...(ignored.length > 0 ? [`unchanged by ${ignored.join(', ')}`] : []),
  ].join(', ')
}

function amountText(price: Price): string {
  const amount = 'amount' in price ? price.amount : `${price.low} to ${price.high}`
  return `${amount} ${price.currency}${price.per === null ? '' : ` for ${price.per}`}`
}

import { canonical } from '../../proof/canonical-json.ts'
import type { Row } from '../../proof/price/row.ts'

// A row as flat columns, for those who read tables. Nothing is lost: the row that is hashed can be made of them again.

export interface Column {
  name: string
  type: 'text' | 'day' | 'decimal'
  optional: boolean
  /** A day is an ISO date, and a decimal has two places. */
  value(row: Row): string | null
}

const text = (name: string, value: (row: Row) => string): Column => ({ name, type: 'text', optional: false, value })
const optional = (name: string, value: Column['value'], type: Column['type'] = 'text'): Column => ({
  name,
  type,
  optional: true,
  value,
})

const priceOf = (row: Row): { amount?: string; low?: string; high?: string } => (row.kind === 'price' ? row.price : {})

export const COLUMNS: readonly Column[] = [
  text('cpt', (row) => row.cpt),
  optional('modifier', (row) => row.modifier),
  text('region', (row) => row.region),
  optional('npi', (row) => row.npi),
  text('basis', (row) => row.basis),
  optional('setting', (row) => row.setting),
  text('kind', (row) => row.kind),
  optional('amount', (row) => priceOf(row).amount ?? null, 'decimal'),
  optional('low', (row) => priceOf(row).low ?? null, 'decimal'),
  optional('high', (row) => priceOf(row).high ?? null, 'decimal'),
  optional('currency', (row) => (row.kind === 'price' ? row.price.currency : null)),
  optional('reason', (row) => (row.kind === 'absence' ? row.reason : null)),
  { name: 'effective_from', type: 'day', optional: false, value: (row) => row.effective_from },
  text('flags', (row) => row.flags.join(' ')),
  text('method', (row) => row.derivation.method),
  text('inputs', (row) => canonical(row.derivation.inputs)),
  text('locator', (row) => canonical(row.locator)),
]

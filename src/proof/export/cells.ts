// The way from the cells of a table back to the row that was hashed.

import { canonical, parseJson } from '../canonical-json.ts'
import type { AnyRow } from '../price/row.ts'
import { type Column, NO_AREA } from './columns.ts'

export type Cells = readonly (string | null)[]

/**
 * The text of a row as it was hashed; undefined unless the cells are exactly those that the row makes. So a cell that is no
 * part of the row, such as an amount beside an absence, cannot say anything.
 */
export function rowTextOf(columns: readonly Column[], cells: Cells): string | undefined {
  try {
    const row = rowOf(Object.fromEntries(columns.map(({ name }, i) => [name, cells[i] ?? null])))
    const isSame = cells.length === columns.length && columns.every(({ value }, i) => value(row) === cells[i])
    return isSame ? canonical(row) : undefined
  } catch {
    return undefined
  }
}

function rowOf(cell: Readonly<Record<string, string | null>>): AnyRow {
  const { kind, effective_from, region } = cell
  const json = (name: string): unknown => parseJson(cell[name] ?? '')
  const common = { kind, effective_from, region, locator: json('locator') }
  if (kind === 'place') {
    const { zip, plus_four, state, rural = null, bidding_area: area = null } = cell
    return {
      ...common,
      zip,
      plus_four,
      state,
      ...(rural === null ? {} : { rural: rural === 'true' }),
      ...(area === null ? {} : { bidding_area: area === NO_AREA ? null : area }),
    } as unknown as AnyRow
  }
  const { code, npi, basis, payer, modifier, setting, class: billed, reason, amount, low, high, currency, per } = cell
  const ends = amount === null ? { low, high } : { amount }
  return {
    ...common,
    ...{ code, npi, basis, payer, modifier, setting, class: billed },
    ...(kind === 'absence' ? { reason } : { price: { ...ends, currency, per } }),
    flags: cell['flags'] === '' ? [] : cell['flags']?.split(' '),
    derivation: { method: cell['method'], inputs: json('inputs') },
    indicators: json('indicators'),
  } as unknown as AnyRow
}

// The way from the cells of a table back to the row that was hashed.

import { canonical, parseJson } from '../canonical-json.ts'
import { isEditKind } from '../price/edit-row.ts'
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

function rowOf(cell: CellsByName): AnyRow {
  const { kind, effective_from } = cell
  const json = (name: string): unknown => parseJson(cell[name] ?? '')
  const common = { kind, effective_from, locator: json('locator') }
  if (isEditKind(kind)) return { ...common, code: cell['code'], ...editOf(cell, json) } as unknown as AnyRow
  if (kind === 'place') {
    const { zip, plus_four, region, state, rural = null, bidding_area: area = null } = cell
    return {
      ...common,
      zip,
      plus_four,
      region,
      state,
      ...(rural === null ? {} : { rural: rural === 'true' }),
      ...(area === null ? {} : { bidding_area: area === NO_AREA ? null : area }),
    } as unknown as AnyRow
  }
  if (kind === 'hospital') {
    const { region, zip, npi, name } = cell
    return { ...common, region, zip, npi, name } as unknown as AnyRow
  }
  const {
    code,
    region,
    npi,
    basis,
    payer,
    modifier,
    setting,
    class: billed,
    reason,
    amount,
    low,
    high,
    currency,
    per,
  } = cell
  const ends = amount === null ? { low, high } : { amount }
  return {
    ...common,
    ...{ code, region, npi, basis, payer, modifier, setting, class: billed },
    ...(kind === 'absence' ? { reason } : { price: { ...ends, currency, per } }),
    flags: cell['flags'] === '' ? [] : cell['flags']?.split(' '),
    derivation: { method: cell['method'], inputs: json('inputs') },
    indicators: json('indicators'),
  } as unknown as AnyRow
}

type CellsByName = Readonly<Record<string, string | null>>

function editOf(cell: CellsByName, json: (name: string) => unknown): object {
  if (cell['kind'] === 'edits') return { edits: json('edits') }
  if (cell['kind'] === 'add_on') return { primaries: json('primaries') }
  const { units, adjudication, rationale } = cell
  return { units: Number(units), adjudication: Number(adjudication), rationale: Number(rationale) }
}

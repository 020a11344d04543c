import { dollars } from '../proof/physician-fee.ts'
import { type Row, rowKey } from '../proof/row.ts'
import type { Rejects } from '../registry/staging.ts'
import { csvRecords, unreadable } from './csv.ts'
import { CODE, moneyCents, reject } from './rejects.ts'
import type { Source } from './source.ts'

/** Every row of a clinical laboratory schedule, in key order. An L line is priced locally: it states no national price. */
export function laboratoryRows(source: Source, effective_from: string, rejects: Rejects): Row[] {
  let header: string[] | undefined
  const rows = new Map<string, Row>()
  for (const { line, cells } of csvRecords(source.text)) {
    if (!header) {
      if (cells[0]?.trim() === 'YEAR') header = cells.map((cell) => cell.trim())
      continue
    }
    const cell = (name: string): string => (cells[header?.indexOf(name) ?? -1] ?? '').trim()
    const row = laboratoryRow(cell, line, effective_from)
    if (typeof row === 'string') reject(rejects, row, line)
    else if (row && rows.has(rowKey(row))) reject(rejects, 'R10', line)
    else if (row) rows.set(rowKey(row), row)
  }
  if (!header) throw unreadable('this is not a laboratory fee schedule: it has no line that begins with YEAR')
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

/** A row, the rule that refuses it, or nothing for a blank line. */
function laboratoryRow(cell: (name: string) => string, line: number, effective_from: string): Row | string | undefined {
  const cpt = cell('HCPCS')
  const modifier = cell('MOD')
  const rate = cell('RATE')
  if (cpt === '' && rate === '') return undefined
  if (!CODE.test(cpt) || !/^([A-Z0-9]{2})?$/.test(modifier)) return 'R03'
  const base = {
    cpt,
    modifier: modifier === '' ? null : modifier,
    region: 'national',
    npi: null,
    basis: 'medicare_clfs',
    setting: null,
    effective_from,
    flags: [],
    locator: [{ citation: 0, line }],
  } as const
  const indicator = cell('INDICATOR')
  if (indicator === 'L')
    return {
      ...base,
      kind: 'absence',
      reason: 'carrier_priced',
      flags: [],
      locator: [...base.locator],
      derivation: { method: 'clfs-indicator/1', inputs: { indicator } },
    }
  const cents = moneyCents(rate)
  if (cents === undefined) return 'R02'
  return {
    ...base,
    kind: 'price',
    price: { amount: dollars(cents), currency: 'USD' },
    flags: [],
    locator: [...base.locator],
    derivation: { method: 'verbatim/1', inputs: { rate } },
  }
}

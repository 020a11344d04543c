import type { Parts } from '../proof/physician-fee.ts'
import { csvRecords, unreadable } from './csv.ts'
import type { Source } from './source.ts'

/** One Medicare locality and its geographic cost indices. */
export interface Locality {
  region: string
  /** The contractor that pays there. Locality numbers are unique only together with it, or with the state. */
  mac: string
  line: number
  gpci: Parts
  /** Which of the two work columns was used, where the file has both. */
  work_floor: 'with_floor' | 'without_floor'
}

const NATION: Parts = { work: '1.000', practice: '1.000', malpractice: '1.000' }

/** The national amount is the formula with every index at one. */
export const NATIONAL = { region: 'national', gpci: NATION } as const

/** Localities sorted by region. Columns are found by name: they move from year to year. */
export function readGpci(source: Source): Locality[] {
  let columns: { [name: string]: number } | undefined
  const localities = new Map<string, Locality>()
  for (const { line, cells } of csvRecords(source.text)) {
    if (cells.some((cell) => /Locality Number/i.test(cell))) columns = findColumns(cells)
    else if (columns && /^[0-9]{5}$/.test(cells[0]?.trim() ?? '')) {
      const locality = readLocality(cells, columns, line)
      if (localities.has(locality.region)) throw unreadable('a locality is listed twice', line)
      localities.set(locality.region, locality)
    }
  }
  if (!columns || localities.size === 0) throw unreadable('this is not a GPCI file: it has no localities')
  return [...localities.values()].sort((a, b) => (a.region < b.region ? -1 : 1))
}

function findColumns(cells: readonly string[]): { [name: string]: number } {
  const find = (pattern: RegExp): number => cells.findIndex((cell) => pattern.test(cell))
  const floored = find(/PW GPCI.*\(with 1\.0 floor\)/i)
  const columns = {
    state: find(/^\s*State/i),
    locality: find(/Locality Number/i),
    work: floored >= 0 ? floored : find(/PW GPCI/i),
    practice: find(/PE GPCI/i),
    malpractice: find(/MP GPCI/i),
    floored: floored >= 0 ? 1 : 0,
  }
  if (Object.values(columns).some((at) => at < 0)) throw unreadable('a GPCI column is missing')
  return columns
}

function readLocality(cells: readonly string[], columns: { [name: string]: number }, line: number): Locality {
  const cell = (name: string): string => (cells[columns[name] ?? -1] ?? '').trim()
  const state = cell('state')
  const number = cell('locality').padStart(2, '0')
  const gpci = { work: cell('work'), practice: cell('practice'), malpractice: cell('malpractice') }
  const sound = /^[A-Z]{2}$/.test(state) && /^[0-9]{2}$/.test(number) && Object.values(gpci).every(isIndex)
  if (!sound) throw unreadable('a locality has a value that is not one', line)
  return {
    region: `US-${state}-${number}`,
    mac: (cells[0] ?? '').trim(),
    line,
    gpci,
    work_floor: columns['floored'] ? 'with_floor' : 'without_floor',
  }
}

const isIndex = (text: string): boolean => /^[0-9](\.[0-9]{1,3})?$/.test(text)

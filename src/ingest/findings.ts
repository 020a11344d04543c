// The rules for cells and lines of a source, and the rows of lines that they refuse.

import { NOTHING, roundedAmount, statedAmount } from '../proof/price/derivation.ts'
import type { Row } from '../proof/price/row.ts'

/** Rule R03: a code of the wrong shape is refused, whatever type the source says it has. */
export const CODE = /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/

/** A code as its cell has it, without the stray bytes that some editions of CMS's have before or behind one. */
export function codeIn(cell: string): string {
  const isStray = (at: number): boolean => !/[!-~]/.test(cell[at] ?? '')
  // Not one pattern for both ends: on a cell full of blanks it would take the square of their number.
  let [from, to] = [0, cell.length]
  while (from < to && isStray(from)) from++
  while (to > from && isStray(to - 1)) to--
  return cell.slice(from, to)
}

/** A number without what spreadsheets print in it: `$1,579.16 ` is `1579.16`. */
export const bareNumber = (text: string): string => text.replaceAll(/[$,\s]/g, '')

/** Whether a number means "unknown", or has more digits than a row can state among its inputs. */
export const isPlaceholder = (text: string): boolean => text.length > MAX_NUMBER || /^9{6,}(\.9*)?$/.test(text)
const MAX_NUMBER = 64

/** Whether a field of a CMS schedule is filled with nines. Rates there are padded with zeros. */
function isFilled(rate: string): boolean {
  if (rate.length > MAX_NUMBER) return true
  const bare = rate.trim().replace(/^0+(?=[0-9])/, '')
  return isPlaceholder(bare.replace(/\.0+$/, '')) || bare === '99999.99'
}

/** Rule R02 for a rate of such a schedule: the amount that it states, with up to four decimals. */
export const scheduleAmount = (rate: string): string | undefined =>
  isFilled(rate) ? undefined : statedAmount(rate.trim())

/** The amount of a rate with more than four decimals, rounded half up to the cent. */
export const roundedScheduleAmount = (rate: string): string | undefined =>
  isFilled(rate) ? undefined : roundedAmount(rate.trim())

/** The input of a row whose rate states no amount: `blank`, `NA`, or the zero as printed. Undefined for any other rate. */
export function noAmount(rate: string): string | undefined {
  const bare = rate
    .replaceAll(/[$\s]/g, '')
    .replace(/^(?=\.0)/, '0')
    .replace(/\.$/, '')
  // A spreadsheet prints a zero as a dash, and CMS prints a lone dot.
  if (/^-?$/.test(bare)) return 'blank'
  const stated = /^N\/?A$/i.test(bare) ? 'NA' : bare
  return NOTHING.test(stated) ? stated : undefined
}

/** Rules that refuse a line whose code can be read. */
export type LineRule = 'R02' | 'R03' | 'R14'
type RowParts = Pick<Row, 'code' | 'modifier' | 'npi' | 'basis' | 'effective_from'> &
  Partial<Pick<Row, 'setting' | 'class'>>

/** The row of a line that a rule refuses: it says that the line is there, but not what it says. */
export function unreadableRow(parts: RowParts, rule: LineRule, line: number): Extract<Row, { kind: 'absence' }> {
  return {
    payer: null,
    setting: null,
    class: null,
    ...parts,
    kind: 'absence',
    region: 'national',
    reason: 'unreadable',
    flags: [],
    indicators: {},
    derivation: { method: 'row-rule/1', inputs: { rule } },
    locator: [{ citation: 0, line }],
  }
}

/** The finding that a refused line counts as: R03 by itself is for lines without a code that can be read. */
export const findingFor = (rule: LineRule): string => (rule === 'R03' ? 'R03_field' : rule)

import { utf8 } from '../../proof/bytes.ts'
import { isNpi } from '../../proof/lookup/npi.ts'
import { type Row, rowKey } from '../../proof/price/row.ts'
import { FAR_FLAG } from '../../registry/release/row-rules.ts'
import { fail, isOneOf, perSource, type Reread, type SourceInput } from '../reread.ts'
import type { Source } from '../source.ts'
import { AmountsReader, rowsOfCode, type StatedAmounts, type StatedLine } from './file.ts'

/**
 * Checks that the row is the one that the whole file makes under its key: one amount picked out of several would be a
 * price that the hospital did not give.
 */
export function rereadHospital(): Reread {
  const tables = perSource((source: SourceInput) => ('stated' in source ? source.stated : statedIn(source)))
  return (row, places) => {
    const [first] = places
    if (!first || row.npi === null) return fail('inputs_not_at_line')
    const { named_npis, lines, ofCode } = tables(first.source)
    const npis = named_npis.filter(isNpi)
    if (places.some(({ source, line }) => source !== first.source || !lines.has(line))) return fail('line_not_found')
    // A file before version 3 names no provider: only the release says whose it is.
    if (npis.length > 0 && !npis.includes(row.npi)) return fail('inputs_not_at_line')

    const stated = ofCode.get(row.code) ?? []
    const whole = rowUnder(row, row.npi, stated)
    if (!whole) return fail('inputs_not_at_line')
    if (row.kind === 'absence') {
      // A withheld row has no amounts: the lines that it cites must be those of the amounts in the file.
      const isWithheld = row.reason === 'withheld_conflict' && whole.kind === 'price'
      return isWithheld ? isOneOf(row, [{ ...row, locator: whole.locator }]) : isOneOf(row, [whole])
    }
    const texts = amountsOf(row)
    const npi = row.npi
    const stands = places.every(({ line }, i) => {
      const alone = rowUnder(
        row,
        npi,
        stated.filter((each) => each.line === line),
      )
      return alone !== undefined && amountsOf(alone).includes(texts[i])
    })
    if (!stands || places.length !== texts.length) return fail('inputs_not_at_line')
    if (amountsOf(whole).join() !== texts.join()) return fail('other_amounts_in_file')
    // An amount may be on several lines: any of them will do.
    return isOneOf(unmarked(row), [{ ...whole, locator: row.locator }])
  }
}

/** The row that some lines make under the key of another. */
const rowUnder = (row: Row, npi: string, lines: readonly StatedLine[]): Row | undefined =>
  rowsOfCode(row.code, lines, [npi], row.effective_from).find((each) => rowKey(each) === rowKey(row))

/** The row without its comparison: the price that it was compared with is not in the hospital's file. */
function unmarked(row: Row): Row {
  const { compared_release: _, compared_amount: __, ...indicators } = row.indicators
  return { ...row, indicators, flags: row.flags.filter((flag) => flag !== FAR_FLAG) }
}

/** The amounts a hospital's row was made from, in the order of its locator. */
const amountsOf = ({ derivation: { inputs } }: Row): (string | undefined)[] =>
  'amount' in inputs ? [inputs['amount']] : [inputs['low'], inputs['high']]

/** Whether the file has a line for a code. */
export const findsHospitalCode = (source: SourceInput, cpt: string): boolean =>
  ('stated' in source ? source.stated : statedIn(source)).ofCode.has(cpt)

function statedIn(source: Source): StatedAmounts {
  const reader = new AmountsReader()
  reader.push(utf8(source.text))
  return reader.end()
}

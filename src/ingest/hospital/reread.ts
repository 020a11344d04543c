import { utf8 } from '../../proof/bytes.ts'
import { isNpi } from '../../proof/lookup/npi.ts'
import type { Row } from '../../proof/price/row.ts'
import { FAR_FLAG } from '../../registry/release/row-rules.ts'
import { fail, isOneOf, OK, perSource, type Reread, type SourceInput } from '../reread.ts'
import type { Source } from '../source.ts'
import { AmountsReader, hospitalRows, type StatedAmounts } from './file.ts'

/**
 * The amounts must stand on the cited lines, and the rest of the file must not state others under the same key:
 * one amount picked out of several would be a price that the hospital did not give.
 */
export function rereadHospital(): Reread {
  const tables = perSource((source: SourceInput) => ('stated' in source ? source.stated : statedIn(source)))
  return (row, places) => {
    const [first] = places
    if (!first || row.npi === null) return fail('inputs_not_at_line')
    const { named_npis, lines, ofCode } = tables(first.source)
    const npis = named_npis.filter(isNpi)
    if (places.some(({ source, line }) => source !== first.source || !lines.has(line))) return fail('line_not_found')
    // A file before version 3 names no provider: whose it is rests on the release, not on the file.
    if (npis.length > 0 && !npis.includes(row.npi)) return fail('inputs_not_at_line')

    const inVariant = (ofCode.get(row.cpt) ?? []).filter(
      (each) => each.modifier === row.modifier && each.setting === row.setting && each.class === row.class,
    )
    // That nothing is stated holds of all bases together.
    if (row.kind === 'absence' && row.reason === 'no_price_stated')
      return isOneOf(row, hospitalRows(inVariant, [row.npi], row.effective_from))
    const stated = inVariant.filter(({ basis }) => basis === row.basis)
    const [whole] = hospitalRows(stated, [row.npi], row.effective_from)
    if (!whole) return fail('inputs_not_at_line')
    // An amount that cannot be read is said of the first line that has one.
    if (row.kind === 'absence' && row.reason === 'unreadable') return isOneOf(row, [whole])
    // What is withheld has no amounts of its own: those that the file states must still stand there.
    const withheld = row.kind === 'absence'
    const texts = withheld ? amountsOf(whole) : amountsOf(row)
    const stands = places.every(({ line }, i) =>
      stated.some((each) => each.line === line && each.dollars === Number(texts[i])),
    )
    if (!stands || places.length !== texts.length) return fail('inputs_not_at_line')
    if (withheld) return OK
    if (!sameTexts(amountsOf(whole), texts)) return fail('other_amounts_in_file')
    // The same amount may stand on several lines: any of them will do.
    return isOneOf(unmarked(row), [{ ...whole, locator: row.locator }])
  }
}

/** What it was compared with is in another release, not in the hospital's file. */
function unmarked(row: Row): Row {
  const { compared_release: _, compared_amount: __, ...indicators } = row.indicators
  return { ...row, indicators, flags: row.flags.filter((flag) => flag !== FAR_FLAG) }
}

/** The amounts a hospital's row was made from, in the order of its locator. */
const amountsOf = ({ derivation: { inputs } }: Row): (string | undefined)[] =>
  'amount' in inputs ? [inputs['amount']] : [inputs['low'], inputs['high']]

const sameTexts = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i])

/** Whether the file has a line for a code. */
export const findsHospitalCode = (source: SourceInput, cpt: string): boolean =>
  ('stated' in source ? source.stated : statedIn(source)).ofCode.has(cpt)

function statedIn(source: Source): StatedAmounts {
  const reader = new AmountsReader()
  reader.push(utf8(source.text))
  return reader.end()
}

// Rows that every edition of a chart has, with bounds that years of editions have kept: a file that lacks them, or has other
// amounts in them, is another file under the right name, or its columns have moved.

import { compareAmounts } from '../../proof/price/money.ts'
import type { AnyRow, Row } from '../../proof/price/row.ts'
import type { Canary, PublisherEntry } from '../../tables/publishers.ts'
import type { ReleaseFile } from '../rows/release-file-store.ts'

type Rows = Pick<ReleaseFile, 'rowsUnder'>

/** A sentence for each canary that a release does not have, and one if it has too many rows. */
export function canariesMissedBy(
  rows: Rows,
  rowCount: number,
  { canaries, most_rows }: Pick<PublisherEntry, 'canaries' | 'most_rows'>,
): string[] {
  const missed = canaries.flatMap((canary) => missedText(rows, canary) ?? [])
  return rowCount > most_rows ? [...missed, `${rowCount} rows are more than ${most_rows}`] : missed
}

function missedText(rows: Rows, canary: Canary): string | undefined {
  if ('zip' in canary) {
    const { zip, region } = canary
    const places = rowsOf(rows, `${zip}|`)
    return places.some((row) => row.kind === 'place' && row.region === region)
      ? undefined
      : `${zip} is not in ${region}`
  }
  const { code, region = 'national', setting, modifier, least, most } = canary
  const name = [
    code,
    ...(modifier === undefined ? [] : [modifier]),
    region,
    ...(setting === undefined ? [] : [setting]),
  ].join(' ')
  const stated = rowsOf(rows, `${code}|${region}|`).filter(
    (row): row is Row =>
      row.kind !== 'place' && row.modifier === (modifier ?? null) && (setting === undefined || row.setting === setting),
  )
  const amounts = stated.flatMap((row) => ('price' in row && 'amount' in row.price ? row.price.amount : []))
  const [amount] = amounts
  if (amount === undefined) return `${name} has no price`
  const isWithin = amounts.every((each) => compareAmounts(least, each) <= 0 && compareAmounts(each, most) <= 0)
  return isWithin ? undefined : `${name} is ${amount}, which is not from ${least} to ${most}`
}

const rowsOf = (rows: Rows, prefix: string): AnyRow[] =>
  rows.rowsUnder(prefix).map(({ body }) => JSON.parse(body) as AnyRow)

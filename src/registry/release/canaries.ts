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
    const isThere = rowsOf(rows, `${zip}|`).some((row) => row.kind === 'place' && row.region === region)
    return isThere ? undefined : `${zip} is not in ${region}`
  }
  if ('with' in canary) {
    const { code } = canary
    const others = rowsOf(rows, code).flatMap((row) =>
      row.kind === 'edits'
        ? row.edits.map(([other]) => other)
        : row.kind === 'add_on'
          ? row.primaries.map(([other]) => other)
          : [],
    )
    return others.includes(canary.with) ? undefined : `${code} has no edit with ${canary.with}`
  }
  if ('most_units' in canary) {
    const { code, least_units, most_units } = canary
    const [limit] = rowsOf(rows, code).flatMap((row) => (row.kind === 'limit' ? row.units : []))
    if (limit === undefined) return `${code} has no limit of units`
    const isWithin = least_units <= limit && limit <= most_units
    return isWithin ? undefined : `${code} has a limit of ${limit}, which is not from ${least_units} to ${most_units}`
  }
  return missedPrice(rows, canary)
}

function missedPrice(rows: Rows, canary: Extract<Canary, { least: string }>): string | undefined {
  const { code, region = 'national', setting, modifier, least, most } = canary
  const name = [code, modifier ?? [], region, setting ?? []].flat().join(' ')
  const isMeant = (row: Row): boolean =>
    row.modifier === (modifier ?? null) && (setting === undefined || row.setting === setting)
  const amounts = rowsOf(rows, `${code}|${region}|`).flatMap((row) =>
    (row.kind === 'price' || row.kind === 'rate') && isMeant(row) && 'amount' in row.price ? row.price.amount : [],
  )
  const [amount] = amounts
  if (amount === undefined) return `${name} has no price`
  const isWithin = amounts.every((each) => compareAmounts(least, each) <= 0 && compareAmounts(each, most) <= 0)
  return isWithin ? undefined : `${name} is ${amount}, which is not from ${least} to ${most}`
}

const rowsOf = (rows: Rows, prefix: string): AnyRow[] =>
  rows.rowsUnder(prefix).map(({ body }) => JSON.parse(body) as AnyRow)

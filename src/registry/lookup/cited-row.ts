import { type AnyRow, rowKey } from '../../proof/price/row.ts'
import type { RowInRelease } from './answer-proof.ts'
import type { LookupResult } from './find.ts'

/** A row that the rule chose, as it is stored. */
export function citable({ trace }: Pick<LookupResult, 'trace'>, chart: string, row: AnyRow): RowInRelease {
  const key = rowKey(row)
  for (const { release, shown } of trace.lists) {
    const stored = release.chart === chart ? shown.find(({ row_key }) => row_key === key) : undefined
    if (stored) return { release, stored }
  }
  throw new Error('the rule chose a row that it did not read')
}

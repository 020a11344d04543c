// How the service takes, judges and shows the editions of each chart, as docs/spec/tables/editions.json has it. A verifier
// needs none of it.

import { charts } from '../../docs/spec/tables/editions.json'
import type { ChartName, Setting } from './charts.ts'
import { frozen } from './frozen.ts'

export interface EditionEntry {
  reader: string
  kind: string
  publisher: string
  title: string
  calendar: {
    next: 'quarter' | 'calendar_year' | 'fiscal_year' | 'year_later'
    due_before_days: number
    stale_after_days: number
    expired_after_days: number
    expired_after_days_in_new_year?: number
  }
  judged_on_reading: readonly string[]
  row_rules: 'none' | 'alone' | 'beside_others'
  breaker: { far_move_pct: 25 | 100; holds_conflicts: boolean; loss_unit: 'lines' | 'combinations' } | null
  comparable: { preference: number; settings: readonly (Setting | null)[] } | null
  least_lines: number
  /** Why an entry is as it is, where that is not plain. */
  why?: string
}

export const EDITION_ENTRIES = frozen(charts as Readonly<Record<ChartName, EditionEntry>>)

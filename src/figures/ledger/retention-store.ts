import type { Db } from '../../db/db.ts'
import { type Histogram, METRICS, type Metric } from '../rule/tally.ts'

/** The answers of removed cases, by figure; only figures that counted any of them. */
export type Carryover = Partial<Record<Metric, Histogram>>

export async function carryover(db: Db): Promise<Carryover> {
  const rows = await db.query<{ metric: Metric; answer: number; case_count: number }>(
    'SELECT metric, answer, case_count FROM outcome_carried ORDER BY metric, answer',
  )
  const of: Partial<Record<Metric, [number, number][]>> = {}
  for (const { metric, answer, case_count } of rows) {
    const histogram = of[metric] ?? []
    histogram.push([answer, case_count])
    of[metric] = histogram
  }
  return of
}

export async function putCarryover(tx: Db, of: Record<Metric, Histogram>): Promise<void> {
  await tx.query('DELETE FROM outcome_carried')
  await tx.insertMany(
    'outcome_carried',
    ['metric', 'answer', 'case_count'],
    METRICS.flatMap((metric) => of[metric].map(([answer, cases]) => [metric, answer, cases])),
  )
}

import type { Rejects } from '../registry/release/staging.ts'

/** The least lines that an edition of a schedule can have: well below what each of the last years had. */
const LEAST_LINES: { readonly [chart: string]: number } = { 'cms-pfs': 15_000, 'cms-clfs': 1_000, 'cms-opps': 10_000 }

/** Rule W03: a file that was cut at the end of a line looks sound, and is short. */
export function checkCount(chart: string, lines: number, rejects: Rejects): void {
  if (lines < (LEAST_LINES[chart] ?? 0)) rejects.set('W03', { count: 1, lines: [] })
}

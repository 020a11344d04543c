export const DAY_MS = 86_400_000

/** The day of an instant in UTC, as an ISO date. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Returns the current day of a clock. The text is made once a day, because each request needs it. */
export function dayClock(now: () => number): () => string {
  let [number, text] = [Number.NaN, '']
  return () => {
    const at = now()
    const today = Math.floor(at / DAY_MS)
    if (today !== number) [number, text] = [today, dayOf(at)]
    return text
  }
}

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)
export const plusDays = (day: string, days: number): string => dayOf(startOf(day) + days * DAY_MS)
export const daysBetween = (from: string, to: string): number => Math.floor((startOf(to) - startOf(from)) / DAY_MS)

/** When the next edition of a series begins: with the quarter, with the year, with the federal year, or a year after the last one. */
export type Rhythm = 'quarter' | 'calendar_year' | 'fiscal_year' | 'year_later'

/** The first day after the period of an edition that takes effect on `day`. */
export function nextPeriod(rhythm: Rhythm, day: string): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  if (rhythm === 'calendar_year') return dayOf(Date.UTC(year + 1, 0, 1))
  // The federal year begins on the first of October.
  if (rhythm === 'fiscal_year') return dayOf(Date.UTC(month < 10 ? year : year + 1, 9, 1))
  // A year after the 29th of February is the first of March.
  if (rhythm === 'year_later') return dayOf(Date.UTC(year + 1, month - 1, date))
  return dayOf(Date.UTC(year, Math.floor((month - 1) / 3) * 3 + 3, 1))
}

/** The last day of the period of an edition that takes effect on `day`. */
export const periodEnd = (rhythm: Rhythm, day: string): string => plusDays(nextPeriod(rhythm, day), -1)

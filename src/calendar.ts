export const DAY_MS = 86_400_000

/** The day of an instant in UTC, as an ISO date. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

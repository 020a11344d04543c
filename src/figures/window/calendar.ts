// When releases are due, and when windows may be closed.

import { type Rule2, sumWindows } from '../rule/rule-2.ts'
import type { FigureWindow } from './store.ts'

/** The first Tuesday of a month, 00:00 UTC. Month 12 is January of the next year. */
function slotOf(year: number, month: number): number {
  const weekday = new Date(Date.UTC(year, month, 1)).getUTCDay()
  return Date.UTC(year, month, 1 + ((2 - weekday + 7) % 7))
}

/** The release calendar (rule F4): the next release after `now`. */
export function nextReleaseAt(now: number): number {
  const date = new Date(now)
  for (let month = date.getUTCMonth(); ; month++) {
    const slot = slotOf(date.getUTCFullYear(), month)
    if (slot > now) return slot
  }
}

/** The latest release of the calendar that was due at `now`. */
export function lastReleaseAt(now: number): number {
  const date = new Date(now)
  for (let month = date.getUTCMonth(); ; month--) {
    const slot = slotOf(date.getUTCFullYear(), month)
    if (slot <= now) return slot
  }
}

/**
 * When the window after these may be closed: in the next quarter, or in the next month if the ledger is large. Noised
 * counts decide whether it is large, so that the calendar reveals nothing about exact counts.
 */
export function nextWindowAt(windows: readonly FigureWindow[], rule: Rule2): number {
  const last = windows.at(-1)
  if (!last) return 0
  const { r_yes, r_no } = sumWindows(windows.map(({ tally }) => tally))
  const date = new Date(last.closed_at)
  const month = date.getUTCMonth()
  const next = r_yes + r_no >= rule.month_from_cases ? month + 1 : month - (month % 3) + 3
  return Date.UTC(date.getUTCFullYear(), next)
}

/** When the release is due that closes the next window, unless it is made earlier by hand. */
export const nextWindowRelease = (windows: readonly FigureWindow[], now: number, rule: Rule2): number =>
  nextReleaseAt(Math.max(now, nextWindowAt(windows, rule) - 1))

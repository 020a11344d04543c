// The stretch of the timeline that a page of a list accounts for: where it begins and ends is proved, so that pages join without
// a gap.

import type { Evidence } from '../evidence.ts'
import { ensure } from '../fault.ts'
import type { ProvedPage } from '../list/checked-list.ts'
import { type Period, periodKey } from '../price/release.ts'
import type { Indexed } from '../tree/sorted-leaves.ts'

type Timeline = Pick<Evidence, 'timeline' | 'state'>

/** The leaves `[from, to)` of the timeline: all of them must be shown. */
export function leavesIn({ timeline: { all } }: Timeline, from: number, to: number): Period[] {
  const shown = all.filter(({ index }) => index >= from && index < to)
  ensure(shown.length === Math.max(0, to - from), 'releases_left_out')
  return shown.map(({ leaf }) => leaf)
}

const leafAt = ({ timeline: { all } }: Timeline, index: number): Indexed<Period> | undefined =>
  all.find((each) => each.index === index)

/** Whether the timeline, or its part of one chart, begins at an index. */
export function beginsAt(evidence: Timeline, index: number, chart: string | undefined): boolean {
  if (index === 0) return true
  const before = chart === undefined ? undefined : leafAt(evidence, index - 1)
  return before !== undefined && periodKey(before.leaf) < `${chart}|`
}

/** Whether it ends there. */
export function endsAt(evidence: Timeline, index: number, chart: string | undefined): boolean {
  if (index === evidence.state.timeline_size) return true
  const after = chart === undefined ? undefined : leafAt(evidence, index)
  return after !== undefined && after.leaf.chart !== chart && periodKey(after.leaf) > `${chart}|`
}

/** Where the timeline, or its part of one chart, ends after an index, as far as is shown. */
export const endOf = ({ timeline: { all }, state }: Timeline, from: number, chart: string | undefined): number =>
  all.find(({ index, leaf }) => index >= from && chart !== undefined && periodKey(leaf) > `${chart}|~`)?.index ??
  state.timeline_size

type ListPage = { checkpoint: string; page?: ProvedPage }

/** Whether a page continues another one: under one checkpoint, without anything in force between them. */
export const isNextPage = (next: ListPage, { checkpoint, page }: ListPage): boolean =>
  page?.to !== undefined && page.has_more && next.checkpoint === checkpoint && next.page?.from === page.to

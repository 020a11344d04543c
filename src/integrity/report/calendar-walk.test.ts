import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import editionFile from '../../../docs/spec/tables/editions.json'
import { CHARTS } from '../../registry/charts.ts'
import { freshness } from './freshness.ts'

// Walks through three years, one of them a leap year. The expected status of each day is computed from the table of editions
// by the rules of the specification, without the code that is tested.

const PAGE = readFileSync(join(import.meta.dir, '../../../docs/spec/integrity-report.md'), 'utf8')
const FOR_EVER = '2099-12-31'

/** All days from 2027 to 2029, and enough before and after. Differences of days are differences of indexes here. */
const DAYS: string[] = []
for (let at = Date.UTC(2025, 0, 1); at < Date.UTC(2032, 0, 1); at += 24 * 60 * 60 * 1000)
  DAYS.push(new Date(at).toISOString().slice(0, 10))
const dayIndexes = new Map(DAYS.map((day, i) => [day, i]))
const indexOfDay = (day: string): number => dayIndexes.get(day) ?? Number.NaN
const WALK = DAYS.filter((day) => day >= '2027-01-01' && day <= '2029-12-31')

interface CalendarRule {
  kinds: string[]
  begins: string
  due: number
  stale: number
  expired: (next: string) => number
}

/** The calendars of the table, each with the kinds of chart that have it. */
const DOCUMENTED: CalendarRule[] = [
  ...Map.groupBy(Object.values(editionFile.charts), ({ calendar }) => JSON.stringify(calendar)).values(),
].map((entries) => {
  const [first] = entries as [(typeof entries)[number]]
  const { next, due_before_days, stale_after_days, expired_after_days, ...rest } = first.calendar
  const inNewYear = 'expired_after_days_in_new_year' in rest ? rest.expired_after_days_in_new_year : undefined
  return {
    kinds: entries.map(({ kind }) => kind),
    begins: next,
    due: due_before_days,
    stale: stale_after_days,
    expired: (begin) => (begin.endsWith('-01-01') && inNewYear !== undefined ? inNewYear : expired_after_days),
  }
})

/** The day on which the edition after this one is due to begin. */
function nextBegin({ begins }: CalendarRule, from: string): string {
  const known = nextDays.get(`${begins} ${from}`) ?? nextByPage(begins, from)
  nextDays.set(`${begins} ${from}`, known)
  return known
}
const nextDays = new Map<string, string>()

/** The days of a year on which editions begin, by rhythm. */
const FIRST_DAYS: Record<string, readonly string[]> = {
  quarter: ['01-01', '04-01', '07-01', '10-01'],
  calendar_year: ['01-01'],
  fiscal_year: ['10-01'],
}

function nextByPage(begins: string, from: string): string {
  if (begins === 'year_later') {
    const later = `${Number(from.slice(0, 4)) + 1}${from.slice(4)}`
    return dayIndexes.has(later) ? later : `${Number(from.slice(0, 4)) + 1}-03-01`
  }
  const firsts = FIRST_DAYS[begins]
  if (!firsts) throw new Error(`the page does not say when an edition begins: ${begins}`)
  return DAYS.find((day) => day > from && firsts.some((first) => day.endsWith(`-${first}`))) ?? ''
}

function expected(documented: CalendarRule, from: string, to: string, day: string): [string, string] {
  const next = nextBegin(documented, from)
  const late = indexOfDay(day) - indexOfDay(next)
  if (day > to) return ['expired', 'period_has_ended']
  if (late >= documented.expired(next)) return ['expired', 'next_edition_long_overdue']
  if (late >= documented.stale) return ['stale', 'next_edition_overdue']
  if (late >= 0) return ['due', 'next_edition_has_taken_effect']
  if (-late <= documented.due) return ['due', 'next_edition_expected_soon']
  return ['fresh', 'covers_today']
}

const chartOfKind = (kind: string) => {
  const chart = CHARTS.find((each) => each.kind === kind)
  if (!chart) throw new Error(`there is no kind ${kind}`)
  return chart
}

test('the specification says when the next edition of each chart begins', () => {
  const begins = [...PAGE.matchAll(/^\| `(\w+)` \| (on the next|a year)\b/gm)].map(([, next]) => next)
  expect(begins.sort()).toEqual([...new Set(DOCUMENTED.map((documented) => documented.begins))].sort())
})

/** How an operator may load the editions of a chart: which one is the latest on a day, and its last day. */
const OPERATORS: Record<string, (documented: CalendarRule, day: string) => { from: string; to: string }> = {
  'loads each edition on its first day': (documented, day) => {
    const from = latestBegun(documented, day)
    return { from, to: DAYS[indexOfDay(nextBegin(documented, from)) - 1] ?? '' }
  },
  'loads one edition and no other': (documented) => {
    const from = '2026-10-01'
    return { from, to: DAYS[indexOfDay(nextBegin(documented, from)) - 1] ?? '' }
  },
  'loads one edition and lets it hold for ever': () => ({ from: '2026-10-01', to: FOR_EVER }),
  'loads each edition forty days late, and lets it hold for two months longer': (documented, day) => {
    const from = latestBegun(documented, DAYS[indexOfDay(day) - 40] ?? '')
    return { from, to: DAYS[indexOfDay(nextBegin(documented, from)) + 60] ?? FOR_EVER }
  },
}

/** The edition in force on a day, in a series without a gap that began long ago (a hospital's at the end of February). */
function latestBegun(documented: CalendarRule, day: string): string {
  let from = documented.begins === 'year_later' ? '2025-02-28' : '2025-01-01'
  for (let next = nextBegin(documented, from); next <= day; next = nextBegin(documented, from)) from = next
  return from
}

for (const [how, latest] of Object.entries(OPERATORS))
  test(`on every day of three years, every kind of chart has the documented status, if its operator ${how}`, () => {
    const seen = new Set<string>()
    for (const documented of DOCUMENTED)
      for (const kind of documented.kinds) {
        const { calendar } = chartOfKind(kind)
        for (const day of WALK) {
          const { from, to } = latest(documented, day)
          const { status, status_reason, effective_to, next_effective_expected } = freshness(calendar, from, day, to)
          const found = [kind, day, status, status_reason, effective_to, next_effective_expected]
          const right = [kind, day, ...expected(documented, from, to, day), to, nextBegin(documented, from)]
          if (found.join() !== right.join()) expect(found).toEqual(right)
          seen.add(status)
        }
      }
    expect(WALK).toHaveLength(1_096)
    expect(seen.size).toBeGreaterThanOrEqual(2)
  })

test('a hospital file of a leap day is judged a year later to the day', () => {
  const { calendar } = chartOfKind('hospital_mrf')
  const on = (day: string) => freshness(calendar, '2028-02-29', day).status
  expect(['2029-01-29', '2029-01-30', '2029-03-01', '2029-03-02', '2029-04-04', '2029-04-05'].map(on)).toEqual([
    'fresh',
    'due',
    'due',
    'stale',
    'stale',
    'expired',
  ])
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { daysBetween } from '../../calendar.ts'
import { CHARTS } from '../../registry/charts.ts'
import { freshness as freshnessBy } from './freshness.ts'

function freshness(kind: string, from: string, today: string) {
  const chart = CHARTS.find((each) => each.kind === kind)
  if (!chart) throw new Error(`there is no kind ${kind}`)
  return freshnessBy(chart.calendar, from, today)
}
const status = (kind: string, from: string, today: string) => freshness(kind, from, today).status

test('a quarterly chart is judged by the quarter that is needed today, not by its age', () => {
  const cases = [
    ['2026-07-01', '2026-07-01', 'fresh'],
    ['2026-07-01', '2026-08-31', 'fresh'],
    ['2026-07-01', '2026-09-01', 'due'],
    ['2026-07-01', '2026-10-01', 'due'],
    ['2026-07-01', '2026-10-15', 'due'],
    ['2026-07-01', '2026-10-16', 'stale'],
    ['2026-07-01', '2026-11-14', 'stale'],
    ['2026-07-01', '2026-11-15', 'expired'],
    ['2026-10-01', '2026-11-15', 'fresh'],
    ['2024-01-01', '2026-11-15', 'expired'],
  ] as const
  for (const [from, today, expected] of cases)
    expect([from, today, status('cms_pfs', from, today)]).toEqual([from, today, expected])
})

test('after the first of January an old physician schedule expires at once, because the conversion factor has changed', () => {
  expect(status('cms_pfs', '2026-10-01', '2027-01-15')).toBe('due')
  expect(status('cms_pfs', '2026-10-01', '2027-01-16')).toBe('expired')
  expect(freshness('cms_pfs', '2026-10-01', '2027-01-16')).toMatchObject({
    next_effective_expected: '2027-01-01',
    effective_to: '2026-12-31',
    expected_by: '2027-01-16',
    criteria: { expired_after_days: 15 },
  })
})

test('the laboratory and outpatient schedules have 45 days, at the new year as in any quarter', () => {
  for (const kind of ['cms_clfs', 'cms_opps'] as const) {
    const days = ['2027-01-15', '2027-01-16', '2027-02-14', '2027-02-15']
    expect(days.map((day) => status(kind, '2026-10-01', day))).toEqual(['due', 'stale', 'stale', 'expired'])
  }
})

test('a hospital file is good for a year and five weeks', () => {
  const from = '2026-01-01'
  const on = (age: number) => new Date(Date.parse(`${from}T00:00:00Z`) + age * 86_400_000).toISOString().slice(0, 10)
  const states = [0, 334, 335, 365, 366, 399, 400].map((age) => status('hospital_mrf', from, on(age)))
  expect(states).toEqual(['fresh', 'fresh', 'due', 'due', 'stale', 'stale', 'expired'])
})

test('an edition for a calendar year lasts until the year ends, whenever it began', () => {
  const annual = { next: 'calendar_year', due_before_days: 30, stale_after_days: 15, expired_after_days: 45 } as const
  for (const from of ['2026-01-01', '2026-04-01'])
    expect(freshnessBy(annual, from, '2026-12-01')).toMatchObject({
      cadence: 'yearly',
      effective_to: '2026-12-31',
      next_effective_expected: '2027-01-01',
    })
  const days = ['2026-12-01', '2026-12-02', '2027-01-15', '2027-01-16', '2027-02-15']
  expect(days.map((day) => freshnessBy(annual, '2026-01-01', day).status)).toEqual([
    'fresh',
    'due',
    'due',
    'stale',
    'expired',
  ])
})

test('a chart never gets fresher with time', () => {
  const order = ['fresh', 'due', 'stale', 'expired']
  const day = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-12-31'), noInvalidDate: true })
  const iso = (date: Date) => date.toISOString().slice(0, 10)
  fc.assert(
    fc.property(
      fc.constantFrom('cms_pfs', 'cms_opps', 'hospital_mrf'),
      day,
      fc.nat(900),
      fc.nat(900),
      (kind, from, a, b) => {
        const later = (days: number) => iso(new Date(from.getTime() + days * 86_400_000))
        const [early, late] = [Math.min(a, b), Math.max(a, b)].map((days) => freshness(kind, iso(from), later(days)))
        if (!early || !late) throw new Error('two reports were asked for')
        expect(order.indexOf(early.status)).toBeLessThanOrEqual(order.indexOf(late.status))
        expect(early.age_days).toBe(daysBetween(iso(from), later(Math.min(a, b))))
      },
    ),
  )
})

test('an edition that has ended is expired, whatever the calendar says, and one that is to last keeps its own end', () => {
  const chart = CHARTS.find((each) => each.kind === 'cms_pfs')
  if (!chart) throw new Error('there is no physician schedule')
  const on = (today: string, effective_to: string) => freshnessBy(chart.calendar, '2026-07-01', today, effective_to)
  expect(on('2026-09-30', '2026-09-30')).toMatchObject({ status: 'due', effective_to: '2026-09-30' })
  expect(on('2026-10-01', '2026-09-30')).toMatchObject({ status: 'expired', status_reason: 'period_has_ended' })
  expect(on('2026-07-20', '2026-07-15').status).toBe('expired')
  expect(on('2026-08-01', '2099-12-31')).toMatchObject({ status: 'fresh', effective_to: '2099-12-31' })
  expect(on('2026-10-20', '2099-12-31')).toMatchObject({ status: 'stale', effective_to: '2099-12-31' })
})

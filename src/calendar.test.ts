import { expect, test } from 'bun:test'
import { dayClock, periodEnd } from './calendar.ts'

test('an edition ends with its quarter, with its year, or a year after it began', () => {
  expect(periodEnd('quarter', '2026-01-01')).toBe('2026-03-31')
  expect(periodEnd('quarter', '2024-03-09')).toBe('2024-03-31')
  expect(periodEnd('quarter', '2026-10-01')).toBe('2026-12-31')
  expect(periodEnd('calendar_year', '2026-04-01')).toBe('2026-12-31')
  expect(periodEnd('year_later', '2026-03-31')).toBe('2027-03-30')
  expect(periodEnd('year_later', '2023-06-01')).toBe('2024-05-31')
  expect(periodEnd('year_later', '2024-02-29')).toBe('2025-02-28')
})

test('the day changes at midnight UTC, forwards and backwards', () => {
  let now = Date.parse('2026-11-15T23:59:59.999Z')
  const today = dayClock(() => now)
  expect(today()).toBe('2026-11-15')
  now += 1
  expect([today(), today()]).toEqual(['2026-11-16', '2026-11-16'])
  now -= 1
  expect(today()).toBe('2026-11-15')
})

import { expect, test } from 'bun:test'
import { periodEnd } from './calendar.ts'

test('an edition ends with its quarter, with its year, or a year after it began', () => {
  expect(periodEnd('quarter', '2026-01-01')).toBe('2026-03-31')
  expect(periodEnd('quarter', '2024-03-09')).toBe('2024-03-31')
  expect(periodEnd('quarter', '2026-10-01')).toBe('2026-12-31')
  expect(periodEnd('calendar_year', '2026-04-01')).toBe('2026-12-31')
  expect(periodEnd('year_later', '2026-03-31')).toBe('2027-03-30')
  expect(periodEnd('year_later', '2023-06-01')).toBe('2024-05-31')
  expect(periodEnd('year_later', '2024-02-29')).toBe('2025-02-28')
})

import { expect, test } from 'bun:test'
import { instant, isDay } from './shape.ts'

test('a day is one that exists, in any year, and nothing stands beside it', () => {
  for (const day of ['2026-07-31', '2024-02-29', '2000-02-29', '0400-02-29', '0096-02-29', '9999-12-31', '2026-02-28'])
    expect([day, isDay(day)]).toEqual([day, true])
  for (const day of ['2026-02-29', '1900-02-29', '2100-02-29', '2026-04-31', '2026-00-01', '2026-13-01', '2026-01-00'])
    expect([day, isDay(day)]).toEqual([day, false])
  for (const other of ['02026-01-01', '2026-01-010', '2026-01-01\n', ' 2026-01-01', '', 20260101, null, ['2026-01-01']])
    expect([other, isDay(other)]).toEqual([other, false])
})

test('an instant is a day that exists and a time that exists, in UTC, and nothing stands beside it', () => {
  const good = '2026-07-01T23:59:59'
  for (const time of [`${good}Z`, `${good}.1Z`, `${good}.123Z`]) expect([time, instant(time)]).toEqual([time, true])
  for (const other of [
    good,
    `${good}.Z`,
    `${good}.1234Z`,
    `${good}+00:00`,
    `0${good}Z`,
    `${good}Z0`,
    `${good}Z\n`,
    '2026-07-01 23:59:59Z',
    '2026-02-30T00:00:00Z',
    '2026-07-01T24:00:01Z',
    '2026-07-01T00:60:00Z',
    '2026-07-01T00:00:60Z',
    Date.UTC(2026, 6, 1),
  ])
    expect([other, instant(other)]).toEqual([other, false])
})

import { expect, test } from 'bun:test'
import { preferredEncoding } from './compression.ts'

test('a caller gets the coding with the greatest weight, and of equal ones the cheapest', () => {
  const table: [string, string][] = [
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=0.9, br;q=0.8, zstd;q=0.1', 'gzip'],
    ['GZIP ; Q=0.5 , br;q=0.4', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0.1, br', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, *;q=0', 'identity'],
    ['gzip;q=2', 'identity'],
    ['gzip;q=0.0000', 'identity'],
    ['gzip;q=1;q=0', 'gzip'],
    ['gzip;q=0, gzip;q=1', 'identity'],
    ['br;level=3;q=0.5', 'br'],
    [',,;;,', 'identity'],
    ['compress, deflate, exi', 'identity'],
  ]
  for (const [header, coding] of table) expect([header, preferredEncoding(header)]).toEqual([header, coding as 'br'])
})

test('of a header with thousands of parts the first ones are read', () => {
  expect(preferredEncoding(`gzip${',a'.repeat(5_000)}`)).toBe('gzip')
  expect(preferredEncoding(`${','.repeat(5_000)}gzip`)).toBe('identity')
  expect(preferredEncoding(`${','.repeat(63)}gzip`)).toBe('gzip')
})

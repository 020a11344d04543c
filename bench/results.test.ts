import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { committed, pageWith, type Results, tables } from './results.ts'

test('the page about performance has the table of the last run', () => {
  const page = readFileSync(join(import.meta.dir, '../docs/performance.md'), 'utf8')
  expect(pageWith(page, committed())).toBe(page)
})

test('a floor that is missed is marked, and so is what was not measured', () => {
  const line = (figure: string, isMet?: boolean) => ({
    what: 'w',
    floor: 'f',
    figure,
    ...(isMet !== undefined && { isMet }),
  })
  const results: Results = {
    x64: { at: '2026-11-19', machine: 'm', lines: [line('1', true), line('2', false), line('not measured: no wrk')] },
  }
  expect(tables(results).split('\n').slice(-3)).toEqual([
    '| w | f | 1 | met |',
    '| w | f | 2 | MISSED |',
    '| w | f | not measured: no wrk |  |',
  ])
})

import { expect, test } from 'bun:test'
import { ProgressLine, progressText, summaryText } from './progress.ts'

const writing = (rows: number) =>
  ({ phase: 'writing', rows, bytes: rows * 1024 * 1024, absences: 0, withheld: 0, row_total: 200 }) as const

test('a person sees how much is done, how fast, and how long it will take', () => {
  expect(progressText(writing(50), 10, false)).toBe('25%  50 rows  50.0 MiB  5 rows/s  30 s left')
  expect(progressText(writing(50), 10, true)).toBe(
    '[######------------------] 25%  50 rows  50.0 MiB  5 rows/s  30 s left',
  )
  expect(progressText({ ...writing(50), row_total: undefined }, 0, false)).toBe('50 rows  50.0 MiB  0 rows/s')
  const reading = { phase: 'reading', bytes: 3 * 1024 * 1024, bytes_total: 4 * 1024 * 1024, lines: 6_000 } as const
  expect(progressText(reading, 3, false)).toBe('75%  3.0 MiB read  1.0 MiB/s  2,000 lines/s  1 s left')
})

test('the progress of publishing is the rows that are compared with the release before', () => {
  expect(progressText({ phase: 'comparing', rows: 50, row_total: 200 }, 10, false)).toBe(
    '25%  50 rows compared with the previous release  5 rows/s  30 s left',
  )
})

function screen(isTTY: boolean) {
  const texts: string[] = []
  let clock = 0
  const line = new ProgressLine({ isTTY, write: (text) => texts.push(text) }, () => clock)
  return {
    texts,
    line,
    at(ms: number, rows: number) {
      clock = ms
      line.update(writing(rows))
    },
  }
}

test('a terminal has one line that is redrawn and finally cleared', () => {
  const { texts, line, at } = screen(true)
  at(50, 1)
  expect(texts).toEqual([])
  at(150, 2)
  at(160, 3)
  at(300, 100)
  expect(texts.length).toBe(2)
  expect(texts.every((text) => text.startsWith('\r[') && !text.includes('\n'))).toBe(true)
  line.clear()
  line.clear()
  expect(texts.slice(2)).toEqual(['\r\u001b[K'])
})

test('a log file gets a line at the beginning, each further minute and at the end, and none for short work', () => {
  const { texts, line, at } = screen(false)
  for (let ms = 0; ms < 5_000; ms += 100) at(ms, 1)
  line.clear()
  expect(texts).toEqual([])
  for (let ms = 5_000; ms <= 190_000; ms += 100) at(ms, ms / 1000)
  line.clear()
  line.clear()
  expect(texts.map((text) => /^\d+% {2}(\d+) rows .* 1 rows\/s .*\n$/.exec(text)?.[1])).toEqual([
    '5',
    '65',
    '125',
    '185',
    '190',
  ])
})

test('the speed of a later phase does not depend on when the last line was written', () => {
  const texts: string[] = []
  const clock = { ms: 0 }
  const line = new ProgressLine({ write: (text) => texts.push(text) }, () => clock.ms)
  const reading = { phase: 'reading', bytes: 0, bytes_total: 1, lines: 0 } as const
  for (; clock.ms <= 40_000; clock.ms += 1_000) line.update(reading)
  for (; clock.ms <= 66_000; clock.ms += 1_000) line.update(writing(2 * (clock.ms / 1000 - 40)))
  expect(texts).toHaveLength(2)
  expect(texts[1]).toContain(' 2 rows/s ')
})

test('a summary names each broken rule and its first lines', () => {
  const summary = {
    release_id: 'cms-pfs:RVU26C:1',
    state: 'staged',
    rows: 2_104_235,
    absences: 9_835,
    rejected: 7,
    seconds: 20.04,
    rows_per_second: 105_000,
    checks: [
      { rule: 'R03', severity: 'reject', failed: 7, sample_lines: [1, 2, 3, 4, 5, 6, 7] },
      { rule: 'R09', severity: 'flag', failed: 0, sample_lines: [] },
      { rule: 'W01', severity: 'flag', failed: 1, sample_lines: [12] },
    ],
    judged_without: [],
    shares_npis_with: [],
  }
  const text = summaryText(summary)
  expect(text).toContain('rows      2,104,235\n')
  expect(text).toContain('seconds   20.0\n')
  expect(text).toMatch(/R03 +reject +7 +1, 2, 3, 4, 5, \.\.\. /)
  expect(text).toMatch(/W01 +flag +1 +12 /)
  expect(text).not.toContain('R09')
  expect(text).not.toContain('NOTE')
  expect(summaryText({ ...summary, checks: [] })).not.toContain('rule')
  const noted = { ...summary, judged_without: ['cms-opps'], shares_npis_with: ['hospital-mrf:1234567893'] }
  expect(summaryText(noted)).toMatch(/NOTE: prices were not compared with cms-opps/)
  expect(summaryText({ ...summary, ended: '2025-12-31' })).toMatch(/NOTE: its last day was 2025-12-31.*--effective-to/)
  expect(summaryText(noted)).toMatch(/NOTE: it shares NPIs with hospital-mrf:1234567893/)
})

test('the time that is left is not told from the first moments of the work', () => {
  const comparing = (rows: number) => ({ phase: 'comparing', rows, row_total: 1_400_000 }) as const
  expect(progressText(comparing(4_000), 5, false)).not.toContain('left')
  expect(progressText(comparing(140_000), 5, false)).toContain('45 s left')
})

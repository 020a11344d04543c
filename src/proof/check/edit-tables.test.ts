import { describe, expect, test } from 'bun:test'
import type { AddOnRow, EditsRow, LimitRow } from '../price/edit-row.ts'
import { answersByHistory, firstDayOfHistory, limitOn, pairOn, primariesOn } from './edit-tables.ts'

const at = { effective_from: '2026-07-01', locator: [{ citation: 0, line: 7 }] }
const PAIRS: EditsRow = {
  ...at,
  kind: 'edits',
  code: '80053',
  edits: [
    ['80048', 0, '2019-01-01', null, 11],
    ['82947', 1, '2019-01-01', '2025-12-31', 11],
    ['82947', 1, '2026-04-01', '2026-06-30', 11],
    ['84443', 9, '2026-01-01', '2026-01-01', 1],
    ['85025', 1, '2026-01-01', '2026-06-30', 1],
    ['85025', 0, '2026-07-01', null, 1],
  ],
}

describe('a pair is in force', () => {
  test.each([
    ['80048', '2019-01-01', 'never separable'],
    ['80048', '2018-12-31', undefined],
    ['80048', '2099-12-31', 'never separable'],
    ['82947', '2025-12-31', 'separable'],
    ['82947', '2026-01-01', undefined],
    ['82947', '2026-03-31', undefined],
    ['82947', '2026-04-01', 'separable'],
    ['84443', '2026-01-01', undefined],
    ['85025', '2026-06-30', 'separable'],
    ['85025', '2026-07-01', 'never separable'],
    ['99213', '2026-07-01', undefined],
  ] as const)('%s on %s: %s', (code, day, said) => {
    const found = pairOn(PAIRS, code, day)
    expect(found && (found.separable ? 'separable' : 'never separable')).toBe(said)
  })
})

test('a limit holds from the first day of its row', () => {
  const limit: LimitRow = { ...at, kind: 'limit', code: '99213', units: 1, adjudication: 2, rationale: 2 }
  expect(['2026-06-30', '2026-07-01'].map((day) => limitOn(limit, day)?.units)).toEqual([undefined, 1])
})

test('an add-on code needs the primary codes of the day, and none that CMS suspended', () => {
  const addOn: AddOnRow = {
    ...at,
    kind: 'add_on',
    code: '90472',
    primaries: [
      ['90460', 1, '2024-01-01', null, null],
      ['90471', 1, '2013-01-01', '2025-12-31', null],
      ['90473', 1, '2013-01-01', null, 5],
    ],
  }
  expect(primariesOn(addOn, '2025-12-31')).toEqual({ codes: ['90460', '90471'], by_contractor: false })
  expect(primariesOn(addOn, '2026-01-01')).toEqual({ codes: ['90460'], by_contractor: false })
  expect(primariesOn(addOn, '2012-12-31')).toBeUndefined()
  const open = (primary: string, type: 2 | 3) =>
    primariesOn({ ...addOn, primaries: [[primary, type, '2020-01-01', null, null]] }, '2026-01-01')
  expect(open('CCCCC', 2)).toEqual({ codes: [], by_contractor: true })
  expect(open('90471', 3)).toEqual({ codes: ['90471'], by_contractor: true })
})

test('pairs also answer for two years before their edition, and limits do not', () => {
  expect(firstDayOfHistory('2026-07-01')).toBe('2024-07-01')
  const days = ['2024-06-30', '2024-07-01', '2026-06-30', '2026-07-01']
  const by = (chart: string) => days.map((day) => answersByHistory(chart, '2026-07-01', day))
  expect(by('ncci-ptp-practitioner')).toEqual([false, true, true, false])
  expect(by('ncci-add-on')).toEqual([false, true, true, false])
  expect(by('ncci-mue-practitioner')).toEqual([false, false, false, false])
  expect(by('cms-pfs')).toEqual([false, false, false, false])
})

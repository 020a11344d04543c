import { describe, expect, test } from 'bun:test'
import { isLong } from '../../../test/support/long.ts'
import { naiveSheet } from '../../../test/support/naive-table.ts'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { verifyDerivation } from '../../proof/price/derivation.ts'
import type { Row } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { ROW_MODIFIERS } from '../../tables/row-modifiers.ts'
import { readSource, type Source } from '../source.ts'
import { reader as equipment } from './equipment.ts'
import { checked, refusal, saying, source } from './fixture.ts'

const STATES =
  'AL AR AZ CA CO CT DC DE FL GA IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY AK HI PR VI'
const states = STATES.split(' ')
const columns = states.flatMap((state) => [`${state} (NR)`, `${state} (R)`])
const HEAD = ['HCPCS', 'Mod', 'Mod2', 'JURIS', 'CATG', 'Ceiling', 'Floor', ...columns, 'Description']
/** A line with these amounts in Alabama and Arkansas, and none elsewhere. */
const line = (code: string, mods: [string, string], amounts: [string, string, string, string]): string[] => [
  ...[code, ...mods, 'D', 'IN', '9.50', '0', ...amounts],
  ...columns.slice(4).map(() => '0'),
  'x',
]
const file = (...lines: string[][]) => source([['January 2027 Fee Schedule'], HEAD, ...lines], 'fees.csv')
const inStates = (rows: readonly Row[], ...only: string[]) =>
  rows
    .filter(({ region }) => only.includes(region.slice(3)))
    .map((row) => [row.code, row.region.slice(3), row.modifier, row.setting, saying(row)])

describe('the equipment schedule', () => {
  test('states an amount for each state, and another for rural areas where there is one', () => {
    const { rows, edition, effective_from, cited } = equipment.open(
      [file(line('E0001', ['', ''], ['1.50', '0', '$2.00', '2.25']), line('E0002', ['', ''], ['0', '0', '', '3']))],
      {},
      new Map(),
    )
    expect([edition, effective_from]).toEqual(['DMEPOS27Q1', '2027-01-01'])
    expect(inStates(rows, 'AL', 'AR', 'VI')).toEqual([
      ['E0001', 'AL', null, 'non_rural', '1.50'],
      ['E0001', 'AR', null, 'non_rural', '2.00'],
      ['E0001', 'AR', null, 'rural', '2.25'],
      ['E0001', 'VI', null, 'non_rural', 'no_price_stated'],
      ['E0002', 'AL', null, 'non_rural', 'no_price_stated'],
      ['E0002', 'AR', null, 'rural', '3.00'],
      ['E0002', 'VI', null, 'non_rural', 'no_price_stated'],
    ])
    const reread = equipment.reread()
    for (const row of rows) {
      expect([row, verifyDerivation(row)]).toEqual([row, { ok: true }])
      expect(row.indicators).toEqual({ jurisdiction: 'D', category: 'IN', ceiling: '9.50' })
      expect(checked(reread, row, cited)).toEqual({ ok: true })
    }
    expect(['E0002', 'E0003'].map((code) => equipment.finds(cited[0] as Source, code))).toEqual([true, false])
    // A code has something to say in every state.
    for (const code of ['E0001', 'E0002'])
      expect(new Set(rows.filter(({ code: each }) => each === code).map(({ region }) => region)).size).toBe(53)
  })

  test('has modifiers in the order of a key, and rent by the month or the day', () => {
    const lines = [
      line('E0001', ['RR', 'KH'], ['1.50', '0', '0', '0']),
      line('E0935', ['RR', ''], ['1.50', '0', '0', '0']),
    ]
    const { rows } = equipment.open([file(...lines, line('E0001', ['NU', ''], ['5', '0', '0', '0']))], {}, new Map())
    const priced = rows.flatMap((row) => (row.kind === 'price' ? [[row.code, row.modifier, row.price.per]] : []))
    expect(priced).toEqual([
      ['E0001', 'KH-RR', 'MONTH'],
      ['E0001', 'NU', null],
      ['E0935', 'RR', 'DAY'],
    ])
  })

  test('keeps what cannot be read, without hiding the line beside it', () => {
    const rejects: Findings = new Map()
    const lines = [
      line('E0001', ['', ''], ['1.50', '0', 'much', '0']),
      line('E0001', ['?', ''], ['7.50', '0', '0', '0']),
      line('junk', ['', ''], ['1.50', '0', '0', '0']),
    ]
    const { rows } = equipment.open([file(...lines)], {}, rejects)
    expect(inStates(rows, 'AL', 'AR')).toEqual([
      ['E0001', 'AL', null, 'non_rural', '1.50'],
      ['E0001', 'AL', null, null, 'unreadable'],
      ['E0001', 'AR', null, 'non_rural', 'unreadable'],
      ['E0001', 'AR', null, null, 'unreadable'],
    ])
    for (const row of rows) expect([row, verifyDerivation(row)]).toEqual([row, { ok: true }])
    // A line is counted for each of its rows, as the rows of a release are.
    expect([...rejects].map(([rule, { count, lines: at }]) => [rule, count, at[0]])).toEqual([
      ['R02', 1, 3],
      ['R03_field', 53, 4],
      ['R03', 1, 5],
    ])
    expect(refusal(() => equipment.open([source([['x']], 'x.csv')], {}, new Map()))).toStartWith(
      'this is not a DMEPOS fee schedule with a column for each state, which CMS has as CSV and xlsx',
    )
  })
})

const FILES = ['cms-dmepos/DMEPOS26_JAN.xlsx', 'cms-dmepos/DMEPEN26_JAN.xlsx']

testOnPublished(
  'every amount of January 2026 is in the release, and no code is missing in any state',
  FILES,
  async () => {
    const given = await Promise.all(FILES.map((each) => readSource(published(each))))
    const rejects: Findings = new Map()
    const { rows, edition, cited, line_total } = equipment.open(given.toReversed(), {}, rejects)
    expect([edition, rejects.size, line_total]).toEqual(['DMEPOS26Q1', 0, 3_515 + 50])

    const expected = new Map<string, string>()
    const codes = new Set<string>()
    for (const [citation, { bytes }] of given.entries()) {
      const [header, last, first] = citation === 0 ? [7, 3_522, 'H'] : [5, 55, 'D']
      const cells = naiveSheet(bytes)
      const at = (column: number, row: number): string => cells.get(`${letters(column)}${row}`) ?? ''
      const start = [...Array(26).keys()].find((column) => letters(column) === first) ?? 0
      for (let row = header + 1; row <= last; row++) {
        const mods = [at(1, row), at(2, row)].filter(Boolean).sort().join('-')
        codes.add(at(0, row))
        for (let column = start; column < start + 106; column++) {
          const [, state, mark] = /^([A-Z]{2}) ?\((N?R)\)$/.exec(at(column, header)) ?? []
          const cents = Math.round(Number(at(column, row)) * 100)
          const setting = mark === 'NR' ? 'non_rural' : 'rural'
          if (cents > 0) expected.set(`${at(0, row)} ${mods} ${state} ${setting}`, (cents / 100).toFixed(2))
        }
      }
    }
    const priced = rows.filter(({ kind }) => kind === 'price')
    const named = (row: Row): string => `${row.code} ${row.modifier ?? ''} ${row.region.slice(3)} ${row.setting}`
    const wrong = priced.filter((row) => expected.get(named(row)) !== saying(row))
    expect([wrong.map(named), priced.length, expected.size]).toEqual([[], expected.size, 225_804])
    const seen = Map.groupBy(rows, ({ code }) => code)
    expect([...seen.keys()].sort()).toEqual([...codes].sort())
    const silent = [...seen].filter(([, own]) => new Set(own.map(({ region }) => region)).size !== 53)
    expect(silent.map(([code]) => code)).toEqual([])
    const unpriced = [...seen].filter(([, own]) => own.every(({ kind }) => kind === 'absence')).map(([code]) => code)
    expect(unpriced).toContain('E2511')
    const modifiers = new Set(rows.flatMap(({ modifier }) => modifier?.split('-') ?? []))
    expect([...modifiers].filter((modifier) => !ROW_MODIFIERS.has(modifier))).toEqual([])
    for (const [i, row] of rows.entries())
      if ((isLong || i % 11 === 0) && !verifyDerivation(row).ok) throw new Error(`does not follow: ${named(row)}`)
    const reread = equipment.reread()
    for (let i = 0; i < rows.length; i += 997) expect(checked(reread, rows[i] as Row, cited)).toEqual({ ok: true })
  },
)

/** 0 is A, 26 is AA. */
const letters = (column: number): string =>
  (column >= 26 ? String.fromCharCode(64 + Math.floor(column / 26)) : '') + String.fromCharCode(65 + (column % 26))

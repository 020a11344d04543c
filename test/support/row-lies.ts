import type { AnyRow, Row } from '../../src/proof/price/row.ts'
import { aFee, aRow, type MemoryRelease } from '../../src/proof/registry-fixture.ts'
import type { AlarmCode } from '../../tools/monitor/alarm.ts'
import { days, edited, flipped, gone, LAB, type Lie, type Proves, rows, serving, smuggle } from './lie.ts'

/** So many rows that they take more than one tile. */
const twoBundles = Array.from({ length: 300 }, (_, i) => aRow({ code: String(80_000 + i) }))

/** Lies about rows and in answers. */
export const ROW_LIES: [AlarmCode, string, Lie, Proves][] = [
  [
    'row_hashes_missing',
    'no row hashes',
    (operator) => {
      smuggle(operator, rows)
      serving(operator, '2026D:1/tile/0/', gone)
    },
    ['entry'],
  ],
  [
    'row_hashes_wrong',
    'a row hash is altered',
    (operator) => {
      smuggle(operator, rows)
      serving(operator, '2026D:1/tile/0/', flipped)
    },
    ['entry'],
  ],
  [
    'row_hashes_wrong',
    'a tile above the row hashes is altered',
    (operator) => {
      smuggle(operator, twoBundles)
      serving(operator, '2026D:1/tile/1/', flipped)
    },
    ['entry'],
  ],
  [
    'row_hashes_missing',
    'row hashes that are gone when a row turns out to be another',
    (operator) => {
      smuggle(operator, twoBundles)
      let asked = 0
      operator.tamper = (path, response) => {
        if (path.includes('2026D:1/tile/entries/000')) return flipped(response)
        return path.includes('2026D:1/tile/0/000') && asked++ > 0 ? gone() : response
      }
    },
    ['entry'],
  ],
  [
    'row_hashes_wrong',
    'row hashes that are others the second time',
    (operator) => {
      smuggle(operator, twoBundles)
      let asked = 0
      operator.tamper = (path, response) => {
        if (path.includes('2026D:1/tile/entries/001')) return flipped(response)
        return path.includes('2026D:1/tile/0/001') && asked++ > 0 ? flipped(response) : response
      }
    },
    ['entry'],
  ],
  [
    'rows_unreadable',
    'rows are not served',
    (operator) => {
      smuggle(operator, rows)
      serving(operator, '2026D:1/tile/entries/', () => new Response(null, { status: 403 }))
    },
    ['entry'],
  ],
  [
    'rows_unsorted',
    'rows in another order',
    (operator) => smuggle(operator, [...rows].reverse()),
    ['entry', 'row', 'row_before'],
  ],
  [
    'rows_unsorted',
    'rows in another order where one bundle ends and the next begins',
    (operator) => {
      const [last, next] = twoBundles.slice(255, 257) as [Row, Row]
      smuggle(operator, twoBundles.with(255, next).with(256, last))
    },
    ['entry', 'row', 'row_before'],
  ],
  [
    'rows_unsorted',
    'two prices under one key, in a release that was withdrawn at once',
    (operator) => {
      smuggle(operator, [...rows, aRow({ code: '80050', amount: '99.99' })])
      operator.registry.withdraw(operator.registry.releases.at(-1) as MemoryRelease)
    },
    ['entry', 'row', 'row_before'],
  ],
  [
    'row_altered',
    'a row is altered on its way',
    (operator) => {
      smuggle(operator, rows)
      serving(operator, '2026D:1/tile/entries/', flipped)
    },
    ['entry'],
  ],
  [
    'row_altered',
    'a row of a full tile is altered on its way',
    (operator) => {
      smuggle(operator, twoBundles)
      serving(operator, '2026D:1/tile/entries/000', flipped)
    },
    ['entry'],
  ],
  [
    'row_not_of_release',
    'a physician’s fee among the first of many rows',
    (operator) => smuggle(operator, [aFee({ code: '79999' }), ...twoBundles]),
    ['entry', 'row'],
  ],
  [
    'row_not_of_release',
    'a physician’s fee in the laboratory schedule',
    (operator) => smuggle(operator, [aFee({ code: '99213' })]),
    ['entry', 'row'],
  ],
  [
    'row_not_of_release',
    'a row that says more than a row may',
    (operator) => smuggle(operator, [{ ...aRow({ code: '80053' }), note: 'free text' } as unknown as AnyRow]),
    ['entry', 'row'],
  ],
  [
    'page_unverified',
    'another price on a page',
    (operator) => serving(operator, '/api/registry', edited('10.56', '10.57')),
    [],
  ],
  [
    'arithmetic_wrong',
    'a price that does not follow from its inputs',
    (operator) => {
      const price = { amount: '99.99', currency: 'USD', per: null }
      operator.registry.publish([{ ...aFee({ code: '99213' }), price } as Row], { chart: 'cms-pfs' })
    },
    ['entry', 'row'],
  ],
  ['answer_unverified', 'another price', (operator) => serving(operator, '/reference', edited('10.56', '10.57')), []],
  [
    'answer_unverified',
    'the row of another place',
    async (operator, first) => {
      const other = JSON.stringify(await operator.registry.cite(first, 1))
      operator.tamper = (path, response) => (/\/rows\/.*\/[02]$/.test(path) ? new Response(other) : response)
    },
    [],
  ],
  [
    'answer_forked',
    'answers from another history',
    (operator) => {
      const other = operator.registry.snapshot()
      other.publish([aRow({ code: '80047', amount: '1.00' }), ...rows.slice(1)], {
        ...LAB,
        release_id: 'cms-clfs:2026C:2',
      })
      days(operator, 3)
      operator.answering = other
    },
    ['fork'],
  ],
  [
    'answer_ahead',
    'answers from a log that nobody is shown',
    (operator) => {
      operator.answering = operator.registry.snapshot().append()
    },
    [],
  ],
  [
    'answer_stale',
    'answers of before',
    (operator) => {
      operator.answering = operator.registry.snapshot()
      days(operator, 1)
    },
    ['entry'],
  ],
  [
    'withdrawn_served',
    'answers from a release that was withdrawn',
    (operator, first) => {
      operator.answering = operator.registry.snapshot()
      operator.registry.withdraw(first)
    },
    ['entry'],
  ],
]

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BASES, type Manifest, parseKeyPrefix, type Row, rowKey, SETTINGS } from './price/row.ts'
import { absenceAnswers, type Question, rowAnswers, rowFits } from './question.ts'

const release = (chart = 'cms-pfs'): Manifest => ({ chart, effective_from: '2026-07-01' }) as Manifest
const aRow = (given: Partial<Row> = {}): Row =>
  ({
    kind: 'price',
    cpt: '99213',
    region: 'national',
    npi: null,
    modifier: null,
    basis: 'medicare_pfs',
    setting: 'non_facility',
    ...given,
  }) as Row

const keys = fc.record({
  cpt: fc.constantFrom('99213', 'G0101', '0001U'),
  region: fc.constantFrom('national', 'US-CA-18'),
  npi: fc.constantFrom(null, '1234567893'),
  modifier: fc.constantFrom(null, '26', '26-TC'),
  basis: fc.constantFrom(...BASES),
  setting: fc.constantFrom(...SETTINGS, null),
})

test('every key, and every part of one that ends where a part ends, is a prefix', () => {
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 6 }), (key, count) => {
      const parts = rowKey(key).split('|')
      const prefix = parts.slice(0, count).join('|') + (count < 6 ? '|' : '')
      const read = parseKeyPrefix(prefix)
      expect(read?.cpt).toBe(key.cpt)
      if (count > 1) expect(read?.region).toBe(key.region)
      if (count > 2) expect(read?.npi).toBe(key.npi ?? '')
      if (count > 3) expect(read?.modifier).toBe(key.modifier ?? '')
      if (count > 4) expect(read?.basis).toBe(key.basis)
      expect(read?.setting).toBe(count > 5 && key.setting !== null ? key.setting : undefined)
    }),
  )
})

test('a prefix that ends inside a part is refused, but for a region cut after its state', () => {
  fc.assert(
    fc.property(keys, fc.nat(80), (key, length) => {
      const whole = rowKey(key)
      const prefix = whole.slice(0, length)
      const atAnEnd = length >= whole.length || prefix.endsWith('|') || /^[^|]{5}\|US-CA-$/.test(prefix)
      expect(parseKeyPrefix(prefix) !== undefined).toBe(prefix !== '' && atAnEnd)
    }),
    { numRuns: 500 },
  )
})

test.each([
  '',
  '|',
  '9921|',
  '992133|',
  '99213',
  '99213|nation',
  '99213|NATIONAL|',
  '99213|US-CA|',
  '99213|US-CA-1',
  '99213|US-CA-18',
  '99213|US-|',
  '99213||',
  '99213|national|12345|',
  '99213|national||2|',
  '99213|national||||',
  '99213|national|||medicare|',
  '99213|national|||medicare_pfs|facil',
  '99213|national|||medicare_pfs|facility|',
  'g0101|',
])('%j fits no possible row, or ends inside a part', (prefix) => {
  expect(parseKeyPrefix(prefix)).toBeUndefined()
})

const asks = (given: Partial<Question> = {}): Question => ({ cpt: '99213', ...given })

test('a row answers a question that takes a lookup\u2019s defaults to it', () => {
  expect(rowAnswers(asks(), aRow(), release())).toBe(true)
  expect(rowAnswers(asks({ cpt: ' g0101 ' }), aRow({ cpt: 'G0101' }), release())).toBe(true)
  expect(rowAnswers(asks({ region: 'NATIONAL' }), aRow(), release())).toBe(true)
  expect(rowAnswers(asks({ region: 'us-ca-18' }), aRow({ region: 'US-CA-18' }), release())).toBe(true)
  expect(rowAnswers(asks({ region: 'US-AK' }), aRow({ region: 'US-AK-01' }), release())).toBe(true)
  expect(rowAnswers(asks({ setting: 'non_facility', basis: 'medicare_pfs' }), aRow(), release())).toBe(true)
  expect(rowAnswers(asks({ as_of: '2026-07-01' }), aRow(), release())).toBe(true)
})

test('a row about anything else does not answer', () => {
  const others: [Partial<Question>, Partial<Row>][] = [
    [{}, { cpt: '99214' }],
    [{}, { region: 'US-CA-18' }],
    [{}, { npi: '1234567893' }],
    [{}, { modifier: '26' }],
    [{ region: 'US-CA-18' }, {}],
    [{ region: 'US-CA-18' }, { region: 'US-CA-05' }],
    [{ region: 'US-CA' }, { region: 'US-CO-01' }],
    [{ region: 'ZIP-90001' }, { region: 'US-CA-18' }],
    [{ npi: '1234567893' }, {}],
    [{ modifier: '26' }, {}],
    [{ modifier: '26' }, { modifier: 'TC' }],
    [{ setting: 'facility' }, {}],
    [{ basis: 'medicare_clfs' }, {}],
    [{ as_of: '2026-06-30' }, {}],
  ]
  for (const [question, row] of others) {
    const answers = rowAnswers(asks(question), aRow(row), release())
    expect([question, row, answers]).toEqual([question, row, false])
  }
})

test('a stated absence may stand on the national row, but for the same code, provider and modifier', () => {
  const bundled = { kind: 'absence', reason: 'bundled' } as const
  expect(rowAnswers(asks({ region: 'US-CA-18' }), aRow(bundled), release())).toBe(true)
  expect(rowAnswers(asks({ region: 'US-CA-18' }), aRow({ ...bundled, region: 'US-CA-05' }), release())).toBe(false)
  expect(rowAnswers(asks({ modifier: '26' }), aRow(bundled), release())).toBe(false)
  expect(rowAnswers(asks({ npi: '1234567893' }), aRow(bundled), release())).toBe(false)
})

test('an absence answers if its prefix is as wide as the question or wider', () => {
  const answers = (prefix: string, question: Partial<Question> = {}, chart?: string): boolean => {
    const read = parseKeyPrefix(prefix)
    if (!read) throw new Error(`not a prefix: ${prefix}`)
    return absenceAnswers(asks(question), read, release(chart))
  }
  for (const prefix of ['99213|', '99213|national|', '99213|national||', '99213|national|||'])
    expect([prefix, answers(prefix)]).toEqual([prefix, true])
  for (const prefix of ['99214|national|', '99213|US-CA-', '99213|national|1234567893|', '99213|national||26|'])
    expect([prefix, answers(prefix)]).toEqual([prefix, false])
  expect(answers('99213|national|||medicare_pfs|facility')).toBe(false)
  expect(answers('99213|national|||medicare_pfs|facility', { setting: 'facility' })).toBe(true)
  expect(answers('99213|national|||medicare_pfs|', { basis: 'medicare_clfs' })).toBe(false)
  expect(answers('99213|national|||medicare_clfs|')).toBe(false)
  expect(answers('99213|national|||medicare_pfs|')).toBe(true)
  expect(answers('99213|national||26|', { modifier: '26' })).toBe(true)
  expect(answers('99213|US-CA-', { region: 'US-CA' })).toBe(true)
  expect(answers('99213|US-CA-', { region: 'US-CA-18' })).toBe(true)
  expect(answers('99213|US-CA-', { region: 'US-CO-01' })).toBe(false)
  expect(answers('99213|US-AK-01|', { region: 'US-AK' })).toBe(true)
  expect(answers('99213|national|', { as_of: '2026-06-30' })).toBe(false)
})

test('that a hospital does not list a code says nothing about Medicare, and the other way round', () => {
  const prefix = parseKeyPrefix('99213|national|') ?? {}
  const npi = '1234567893'
  expect(absenceAnswers(asks(), prefix, release('hospital-mrf:1234567893'))).toBe(false)
  expect(absenceAnswers(asks({ npi }), prefix, release('cms-pfs'))).toBe(false)
  expect(absenceAnswers(asks({ npi }), prefix, release('hospital-mrf:1234567893'))).toBe(true)
})

test('on a page, what was not asked for is not compared', () => {
  expect(rowFits(asks(), aRow({ region: 'US-CA-18', modifier: '26', npi: '1234567893' }), release())).toBe(true)
  expect(rowFits(asks(), aRow({ cpt: '99214' }), release())).toBe(false)
  expect(rowFits(asks({ region: 'national' }), aRow({ region: 'US-CA-18' }), release())).toBe(false)
  expect(rowFits(asks({ npi: '1234567893' }), aRow(), release())).toBe(false)
})

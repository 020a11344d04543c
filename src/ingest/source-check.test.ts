import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { published, testOnPublished } from '../../test/support/published-files.ts'
import { toHex, utf8 } from '../proof/bytes.ts'
import { verifyDerivation } from '../proof/price/derivation.ts'
import type { Row } from '../proof/price/row.ts'
import { sha256 } from '../proof/sha256.ts'
import type { SourceFault } from '../proof/whole/reasons.ts'
import type { Findings } from '../registry/release/rules.ts'
import { scheduleAmount } from './findings.ts'
import { loaded } from './hospital/fixture.ts'
import type { SourceVerdict } from './reread.ts'
import { type Locality, readGpci } from './schedules/gpci.ts'
import { reader } from './schedules/laboratory.ts'
import { namedKind } from './schedules/physician-edition.ts'
import { physicianLines } from './schedules/physician-lines.ts'
import { physicianRows as rowsOfLines } from './schedules/physician-rows.ts'
import { citation, readSource, type Source } from './source.ts'
import { type SourceCheck, sourceCheck } from './source-check.ts'

const SAMPLE = join(import.meta.dir, '../../sample')
const DAY = '2026-10-01'
const HOSPITAL = '1234567893_sample-hospital_standardcharges.csv'
const sample = (file: string): Promise<Source> => readSource(join(SAMPLE, file))

const cite = (sources: readonly Source[]) =>
  sources.map((source) => citation(source, 'A price list', { url: 'about:test', retrieved_at: '2026-10-01T00:00:00Z' }))
const reasonOf = (verdict: SourceVerdict): SourceFault | 'ok' => (verdict.ok ? 'ok' : verdict.reason)

/** A source with other text under the same name, as a careless or dishonest hand would leave it. */
function rewritten(source: Source, change: (text: string) => string): Source {
  const text = change(source.text)
  return { file: source.file, text, bytes: utf8(text), sha256: toHex(sha256(utf8(text))) }
}

const physicianRows = (rvus: Source, localities: readonly Locality[], effective_from: string, rejects: Findings) => [
  ...rowsOfLines(physicianLines(rvus, rejects), localities, {
    basis: 'medicare_pfs',
    effective_from,
    conversion_factor_kind: namedKind(rvus),
  }),
]

interface Chart {
  sources: Source[]
  rows: Row[]
}
async function physician(): Promise<Chart> {
  const sources = await Promise.all(['PPRRVU-SAMPLE26D.csv', 'GPCI-SAMPLE26.csv'].map(sample))
  const [rvus, gpci] = sources as [Source, Source]
  return { sources, rows: [...physicianRows(rvus, readGpci(gpci), DAY, new Map())] }
}
async function laboratory(): Promise<Chart> {
  const source = await sample('CLFS-SAMPLE26Q4.csv')
  return { sources: [source], rows: reader.open([source], { effective_from: DAY }, new Map()).rows }
}
const hospitalRows = async ({ text }: Source, npis: readonly string[] = []): Promise<Row[]> =>
  (await loaded(text, { npis })).rows
async function hospital(): Promise<Chart> {
  const source = await sample(HOSPITAL)
  return { sources: [source], rows: await hospitalRows(source) }
}
const CHARTS = { physician, laboratory, hospital }

/** The verdict on a row by the files it was made from, or by others given in their place. */
const check = ({ sources }: Chart, row: Row, given = sources): SourceFault | 'ok' => {
  const atSource = checks.get(given) ?? sourceCheck(given)
  checks.set(given, atSource)
  return reasonOf(atSource(row, cite(sources)))
}
const checks = new WeakMap<readonly Source[], SourceCheck>()

const atLine = (row: Row, line: number, place = 0): Row => ({
  ...row,
  locator: row.locator.map((each, i) => (i === place ? { ...each, line } : each)),
})
const withInputs = (row: Row, inputs: Record<string, string>): Row => ({
  ...row,
  derivation: { ...row.derivation, inputs: { ...row.derivation.inputs, ...inputs } },
})
const find = ({ rows }: Chart, fits: (row: Row) => boolean): Row => {
  const row = rows.find(fits)
  if (!row) throw new Error('the sample has no such row')
  return row
}

describe.each(Object.entries(CHARTS))('the %s chart', (_, chart) => {
  test('has only rows that follow from their inputs and stand in their files', async () => {
    const { sources, rows } = await chart()
    const atSource = sourceCheck(sources)
    for (const row of rows) {
      expect([row, verifyDerivation(row)]).toEqual([row, { ok: true }])
      expect([row, atSource(row, cite(sources))]).toEqual([row, { ok: true }])
    }
    expect(rows.length).toBeGreaterThan(10)
  })

  test('is checked only against the very files it cites', async () => {
    const made = await chart()
    const { sources } = made
    const row = find(made, ({ locator }) => new Set(locator.map((at) => at.citation)).size === sources.length)
    expect(check(made, row, [])).toBe('source_missing')
    for (const [i, source] of sources.entries()) {
      const others = sources.filter((_, at) => at !== i)
      expect(check(made, row, others)).toBe('source_missing')
      expect(check(made, row, [...others, rewritten(source, (text) => `${text} `)])).toBe('source_hash_mismatch')
      const renamed = { ...source, file: 'renamed.csv' }
      expect(check(made, row, [renamed, ...others])).toBe('ok')
    }
  })

  test('has no row whose lines can be moved', async () => {
    const made = await chart()
    for (const row of made.rows)
      for (const [place, { line }] of row.locator.entries()) {
        expect(check(made, atLine(row, 1, place))).toBe('line_not_found')
        expect(check(made, atLine(row, 1_000_000, place))).toBe('line_not_found')
        if (row.basis.startsWith('medicare'))
          expect(['line_not_found', 'inputs_not_at_line']).toContain(check(made, atLine(row, line + 1, place)))
      }
  })

  test('has no row whose inputs can be exchanged, even with the amount to match', async () => {
    const made = await chart()
    for (const row of made.rows) {
      for (const name of Object.keys(row.derivation.inputs))
        expect([name, check(made, withInputs(row, { [name]: '7.77' }))]).toEqual([name, 'inputs_not_at_line'])
      expect(check(made, { ...row, code: '00001' })).toBe('inputs_not_at_line')
      expect(check(made, { ...row, modifier: 'ZZ' })).toBe('inputs_not_at_line')
      expect(check(made, { ...row, flags: ['made_up'] })).toBe('inputs_not_at_line')
    }
  })
})

test('a price of one locality is not that of another, nor of the nation', async () => {
  const made = await physician()
  const row = find(made, ({ region }) => region === 'US-CA-05')
  expect(check(made, { ...row, region: 'US-AL-00' })).toBe('inputs_not_at_line')
  expect(check(made, { ...row, region: 'national' })).toBe('inputs_not_at_line')
  expect(check(made, { ...row, locator: row.locator.slice(0, 1) })).toBe('inputs_not_at_line')
  const swapped = { ...row, locator: row.locator.map(({ citation: at, line }) => ({ citation: 1 - at, line })) }
  expect(check(made, swapped)).toBe('source_unreadable')
})

test('a citation number without a citation has no file', async () => {
  const made = await laboratory()
  const [row] = made.rows as [Row]
  expect(check(made, { ...row, locator: [{ citation: 3, line: 6 }] })).toBe('source_missing')
})

test('a file of the right digest and the wrong kind is not read as if it were right', async () => {
  const [row] = (await laboratory()).rows as [Row]
  const { sources } = await hospital()
  expect(reasonOf(sourceCheck(sources)(row, cite(sources)))).toBe('source_unreadable')
  expect(check({ sources, rows: [] }, { ...row, basis: 'medicare_opps' })).toBe('source_unreadable')
})

test('a mark NA that the file does not have, or has, must be as in the file', async () => {
  const made = await physician()
  const marked = find(made, ({ derivation }) => derivation.method === 'pfs-na/1')
  expect(check(made, marked)).toBe('ok')
  const other = marked.setting === 'facility' ? 'non_facility' : 'facility'
  expect(check(made, { ...marked, setting: other })).toBe('inputs_not_at_line')
  const plain = find(made, ({ kind, region }) => kind === 'price' && region === 'national')
  const { code, modifier, setting, locator, indicators } = plain
  expect(check(made, { ...marked, code, modifier, setting, locator, indicators })).toBe('inputs_not_at_line')
})

test('the same code in the other edition has other values', async () => {
  const made = await physician()
  const [, gpci] = made.sources as [Source, Source]
  const older = { sources: [await sample('PPRRVU-SAMPLE26A.csv'), gpci], rows: [] }
  const verdicts = new Set(made.rows.map((row) => check(older, row)))
  expect([...verdicts].sort()).toEqual(['inputs_not_at_line', 'ok'])
})

describe('a hospital that states several amounts under one key', () => {
  test('cannot be quoted with one of them', async () => {
    const made = await hospital()
    const row = find(made, ({ derivation }) => derivation.method === 'range/1')
    const { low = '' } = row.derivation.inputs
    const picked: Row = {
      ...row,
      kind: 'price',
      price: { amount: low, currency: 'USD', per: null },
      derivation: { method: 'verbatim/1', inputs: { amount: low } },
      locator: row.locator.slice(0, 1),
    }
    expect(verifyDerivation(picked)).toEqual({ ok: true })
    expect(check(made, picked)).toBe('other_amounts_in_file')
  })

  test('may be cited on any line that has the amount, for its own NPIs only', async () => {
    const source = await sample(HOSPITAL)
    const rows = (text: string) =>
      rewritten(source, (whole) => [...whole.split('\n').slice(0, 3), text, text, ''].join('\n'))
    const line = source.text.split('\n')[3] ?? ''
    const twice = rows(line)
    const made = { sources: [twice], rows: await hospitalRows(twice) }
    const [row] = made.rows as [Row]
    expect(check(made, atLine(row, 5))).toBe('ok')
    expect(check(made, { ...row, npi: '2000000010' })).toBe('ok')
    expect(check(made, { ...row, npi: '1194866210' })).toBe('inputs_not_at_line')
    const nameless = rewritten(twice, (text) => text.replace('1234567893|2000000010', ''))
    const given = { sources: [nameless], rows: await hospitalRows(nameless, ['1194866210']) }
    expect(given.rows.map((each) => check(given, each))).toEqual(given.rows.map(() => 'ok'))
  })
})

test('ten digits are not read as nine', () => {
  expect(['1234567890', '0000000001.50', '1000', '12.3400', '999999999'].map(scheduleAmount)).toEqual([
    undefined,
    '1.50',
    '1000.00',
    '12.34',
    undefined,
  ])
})

/** A decimal of up to `places` places, as CMS might print it. */
const decimal = (most: number, places: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: most * 10 ** places }), fc.integer({ min: 1, max: places }))
    .map(([units, shown]) => (units / 10 ** places).toFixed(shown))

test('whatever values a file has, its rows follow from their inputs and are found again in it', async () => {
  const [rvus, gpci] = (await physician()).sources as [Source, Source]
  const rvuHead = rvus.text.split(/\r?\n/).slice(0, 10)
  const gpciHead = gpci.text.split(/\r?\n/).slice(0, 3)
  const rvu = fc.oneof(fc.constant('0.00'), decimal(300, 2))
  const line = fc.record({
    status: fc.constantFrom('A', 'A', 'A', 'R', 'T', 'B', 'C', 'E', 'I', 'J', 'M', 'N', 'P', 'X'),
    values: fc.tuple(rvu, rvu, rvu, rvu, rvu, rvu, rvu),
    na: fc.tuple(fc.constantFrom('', 'NA'), fc.constantFrom('', 'NA')),
    factor: decimal(60, 4).filter((text) => text.includes('.') && Number(text) > 20),
  })
  const index = decimal(2, 3).filter((text) => Number(text) >= 0.2)
  const indices = fc.tuple(index, index, index, index)
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 8 }),
      fc.array(indices, { minLength: 1, maxLength: 3 }),
      (lines, places) => {
        const printed = lines.map(({ status, values: [w, nf, f, mp, onf, of, omp], na, factor }, i) => {
          const cells = Array.from({ length: 32 }, () => '')
          Object.assign(cells, { 0: `G00${10 + i}`, 3: status, 5: w, 6: nf, 7: na[0], 8: f, 9: na[1], 10: mp })
          Object.assign(cells, { 25: factor, 29: onf, 30: of, 31: omp })
          return cells.join(',')
        })
        const states = places.map((place, i) => ['01112', 'CA', `0${i}`, 'somewhere', ...place].join(','))
        const sources = [
          rewritten(rvus, () => [...rvuHead, ...printed, ''].join('\r\n')),
          rewritten(gpci, () => [...gpciHead, ...states, ''].join('\r\n')),
        ] as [Source, Source]
        const rejects = new Map()
        const rows = [...physicianRows(sources[0], readGpci(sources[1]), DAY, rejects)]
        expect(rejects.size).toBe(0)
        const atSource = sourceCheck(sources)
        for (const row of rows) {
          expect([row, verifyDerivation(row)]).toEqual([row, { ok: true }])
          expect([row, atSource(row, cite(sources))]).toEqual([row, { ok: true }])
          if (row.kind === 'price' && 'amount' in row.price) {
            const amount = (Number(row.price.amount) + 0.01).toFixed(2)
            const forged = { ...row, price: { ...row.price, amount } }
            expect(verifyDerivation(forged)).toEqual({ ok: false, reason: 'price_mismatch' })
          }
        }
      },
    ),
    { numRuns: 100 },
  )
})

/** Chooses one in so many, the same on every run, from a start that a multiplier scatters. */
const scattered = <T>(items: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, i) => items[(i * 2_654_435_761) % items.length] as T)

const RVU25D = ['PPRRVU2025_Oct.csv.gz', 'GPCI2025.csv'].map((file) => `cms-pfs/2025-rvu25d/${file}`)
testOnPublished('two hundred rows of RVU25D check back to their lines', RVU25D, async () => {
  const sources = await Promise.all(RVU25D.map(published).map(readSource))
  const [rvus, gpci] = sources as [Source, Source]
  const localities = readGpci(gpci)
  expect(localities.length).toBe(109)
  const rows = [
    ...physicianRows(
      rvus,
      scattered(localities, 5).sort((a, b) => (a.region < b.region ? -1 : 1)),
      '2025-10-01',
      new Map(),
    ),
  ]
  checkBack(rows, sources, 200)
})

const VINEYARD = ['hospital-mrf/real/1194866210_marthas-vineyard-hospital_v3_tall_COMPLETE.csv.gz']
testOnPublished('fifty rows of a hospital\u2019s own file check back to their lines', VINEYARD, async () => {
  const source = await readSource(published(VINEYARD[0] as string))
  checkBack(await hospitalRows(source), [source], 50)
})

function checkBack(rows: readonly Row[], sources: readonly Source[], count: number): void {
  const atSource = sourceCheck(sources)
  const chosen = scattered(rows, count)
  expect(new Set(chosen).size).toBeGreaterThan(count * 0.8)
  for (const row of chosen) {
    expect([row, verifyDerivation(row)]).toEqual([row, { ok: true }])
    expect([row, atSource(row, cite(sources))]).toEqual([row, { ok: true }])
    expect(reasonOf(atSource(atLine(row, 2), cite(sources)))).toBe('line_not_found')
  }
}

test('a code that the physician schedule lists twice in two ways is withheld, and both lines are cited', async () => {
  const gpci = await sample('GPCI-SAMPLE26.csv')
  const rvus = rewritten(await sample('PPRRVU-SAMPLE26D.csv'), (text) => {
    const line = text.split('\n').find((each) => each.startsWith('99213,,')) ?? ''
    return text.replace(line, `${line}\n${line.replace(',1.30,', ',9.99,')}`)
  })
  const rows = physicianRows(rvus, readGpci(gpci), DAY, new Map()).filter(({ code }) => code === '99213')
  expect(rows).toEqual([
    expect.objectContaining({ kind: 'absence', reason: 'withheld_conflict', region: 'national', modifier: null }),
  ])
  const [row] = rows as [Row]
  const check = sourceCheck([rvus, gpci])
  expect([verifyDerivation(row), check(row, cite([rvus, gpci]))]).toEqual([{ ok: true }, { ok: true }])
  const elsewhere = { ...row, locator: [...row.locator].reverse() }
  expect(reasonOf(check(elsewhere, cite([rvus, gpci])))).not.toBe('ok')
})

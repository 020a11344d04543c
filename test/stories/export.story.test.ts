import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { fromBase64, toBase64, utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { isRow } from '../../src/proof/price/row.ts'
import { type Hash, joinRight, leafHash, nodeHash } from '../../src/proof/tree/merkle.ts'
import { csvCell } from '../../src/registry/export/export.ts'
import { findLogged } from '../../src/registry/store.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { editFile, replacing } from '../support/release-file.ts'
import { atr } from '../support/service.ts'

const NPI = '1234567893'
const CHART = `hospital-mrf:${NPI}`
const RELEASE = `${CHART}:TEST1:1`
const OWN = { basis: 'hospital_cash', npi: NPI, setting: 'outpatient' } as const

/** More rows than are read at a time, prices, ranges and absences, with and without each part that may be empty. */
const manyRows = () =>
  Array.from({ length: 2_100 }, (_, i) => {
    const code = String(10_000 + i)
    if (i % 7 === 0) return anAbsence({ code, reason: 'withheld_conflict', ...OWN })
    if (i % 5 === 0) return aPrice({ code, price: { low: '1.00', high: '2.005', currency: 'USD' }, ...OWN })
    const compared = { compared_release: 'cms-pfs:TEST1:1', compared_amount: '100.00' }
    return aPrice({
      code,
      modifier: i % 3 === 0 ? '26' : null,
      class: i % 2 === 0 ? 'facility' : null,
      flags: ['na_indicator', 'opps_cap'],
      indicators: i % 4 === 0 ? compared : {},
      ...OWN,
    })
  })

const aWhole = () => aRelease({ chart: CHART, rows: manyRows() })

async function exported(app: TestApp, format: string, out: string) {
  const args = ['export', RELEASE, '--format', format, '--out', out, '--json']
  const { code, out: text, err } = await atr(args, { DATA_DIR: app.config.DATA_DIR })
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(text) as { file: string; rows: number; bytes: number; sha256: string; rows_root: string }
}

/** The tree over these leaves, split as RFC 6962 splits it. */
function rootOf(leaves: readonly Hash[]): Hash {
  if (leaves.length <= 1) return leaves[0] ?? joinRight([])
  let left = 1
  while (left * 2 < leaves.length) left *= 2
  return nodeHash(rootOf(leaves.slice(0, left)), rootOf(leaves.slice(left)))
}
const rootOfTexts = (texts: readonly string[]): string => toBase64(rootOf(texts.map((text) => leafHash(utf8(text)))))

/** The row that flat cells were made of, as the text that is hashed. */
function rowText(cells: Record<string, string | null>): string {
  const { amount, low, high, currency, per, reason, flags, method, inputs, indicators, locator, ...rest } = cells
  const price = amount === null ? { low, high, currency, per } : { amount, currency, per }
  const row = {
    ...rest,
    ...(rest['kind'] === 'price' ? { price } : { reason }),
    flags: flags ? flags.split(' ') : [],
    derivation: { method, inputs: JSON.parse(inputs ?? '') as unknown },
    indicators: JSON.parse(indicators ?? '') as unknown,
    locator: JSON.parse(locator ?? '') as unknown,
  }
  if (!isRow(row)) throw new Error('the cells do not make a row')
  return canonical(row)
}

function readCsv(text: string): Record<string, string | null>[] {
  const lines = text.split('\r\n').slice(0, -1)
  const cells = (line: string): string[] =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
      .map(([, cell = '']) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell))
      .slice(0, 21)
  const [names = [], ...rows] = lines.map(cells)
  return rows.map((row) =>
    Object.fromEntries(names.map((name, i) => [name, row[i] === '' && name !== 'flags' ? null : (row[i] ?? null)])),
  )
}

async function inDuckDb(sql: string, file: string) {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  return connection.runAndReadAll(sql.replace('FILE', `read_parquet('${file}')`))
}

/** The cells as DuckDB reads them. Amounts have as many of the four decimals as they need, and two at least. */
async function readParquet(file: string): Promise<Record<string, string | null>[]> {
  const table = await inDuckDb('SELECT * FROM FILE', file)
  return table.getRowObjectsJson().map((row) => {
    const cells = row as Record<string, string | null>
    const amounts = ['amount', 'low', 'high'].map((name) => [name, cells[name]?.replace(/0{1,2}$/, '') ?? null])
    return { ...cells, ...Object.fromEntries(amounts) }
  })
}

test('every format holds the whole release: the published root follows from each of them', async () => {
  await using app = await testApp()
  await app.publish(aWhole())
  const release = await findLogged(app.installation.db, RELEASE)
  const root = release?.manifest.rows_root ?? ''
  expect(fromBase64(root)).toHaveLength(32)
  const texts: Record<string, (file: string) => string[] | Promise<string[]>> = {
    ndjson: (file) => readFileSync(file, 'utf8').split('\n').slice(0, -1),
    csv: (file) => readCsv(readFileSync(file, 'utf8')).map(rowText),
    parquet: async (file) => (await readParquet(file)).map(rowText),
  }
  const folder = join(app.folder.path, 'exports')
  mkdirSync(folder)
  for (const [format, read] of Object.entries(texts)) {
    const { file, rows, bytes, sha256, rows_root } = await exported(app, format, folder)
    expect([basename(file), rows, rows_root]).toEqual([`hospital-mrf_${NPI}_TEST1_1.${format}`, 2_100, root])
    const content = readFileSync(file)
    expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256])
    expect([format, rootOfTexts(await read(file))]).toEqual([format, root])
    expect(spawnSync('sha256sum', ['-c', `${basename(file)}.sha256`], { cwd: folder }).status).toBe(0)
  }
  expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([])
})

const NOT_ITS_ROWS =
  'failed: row_not_in_release\nA row is not in the release: it was changed or left out, or is of another edition.\n'

test('an export of each format is verified on the command line: every row of its release, and no other', async () => {
  await using app = await testApp()
  await app.publish(aWhole())
  const other = await app.publish(aRelease())
  const file = (name: string): string => join(app.folder.path, name)
  const saved = async (name: string, path: string): Promise<string> => {
    writeFileSync(file(name), await (await app.request(path)).text())
    return file(name)
  }
  const policy = await saved('policy', '/log/policy')
  const row = await saved('row', `/rows/${encodeURIComponent(RELEASE)}/0`)
  const elsewhere = await saved('elsewhere', `/rows/${other}/0`)
  const verified = (name: string, asked: string, proof: string) =>
    atr(['verify', file(name), '--policy', policy, '--asked', asked, '--row', proof])
  for (const format of ['ndjson', 'csv', 'parquet']) {
    const name = `rows.${format}`
    await exported(app, format, file(name))
    const { code, out, err } = await verified(name, RELEASE, row)
    expect([format, code, err]).toEqual([format, 0, ''])
    expect(out).toMatch(/^ok\n/)
    expect(out).toContain(`the export has all 2100 rows of ${RELEASE}, and no other\n`)
    expect(out).toContain('checked: the hashes of 2100 rows, 0 log entries\n')
    expect(out).toContain('recomputed: 1 rows, the first one; ')
    // One amount is another one; or, where the rows are compressed, one byte.
    const bytes = readFileSync(file(name))
    const at = format === 'parquet' ? Math.floor(bytes.length / 3) : bytes.indexOf('2.005')
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(file(`lie.${format}`), bytes)
    const lie = await verified(`lie.${format}`, RELEASE, row)
    expect([format, lie.code, lie.out, lie.err]).toEqual([format, 1, NOT_ITS_ROWS, ''])
    expect((await verified(name, other, elsewhere)).out).toBe(NOT_ITS_ROWS)
    expect((await verified(name, RELEASE, elsewhere)).code).toBe(1)
  }
  const lines = readFileSync(file('rows.ndjson'), 'utf8').split('\n')
  writeFileSync(file('short.ndjson'), lines.toSpliced(7, 1).join('\n'))
  expect((await verified('short.ndjson', RELEASE, row)).out).toBe(NOT_ITS_ROWS)
  const unasked = await atr(['verify', file('rows.csv'), '--policy', policy])
  expect([unasked.code, unasked.out, unasked.err]).toEqual([2, '', expect.stringContaining('name its release')])
})

test('DuckDB reads the Parquet export as the table it is', async () => {
  await using app = await testApp()
  await app.publish(aWhole())
  const file = join(app.folder.path, 'rows.parquet')
  await exported(app, 'parquet', file)
  const ask = async (sql: string) => (await inDuckDb(sql, file)).getRowsJson()
  expect(await ask('SELECT COUNT(*), COUNT(amount), COUNT(low), COUNT(reason) FROM FILE')).toEqual([
    ['2100', '1440', '360', '300'],
  ])
  expect(await ask('SELECT SUM(amount), MIN(effective_from), TYPEOF(ANY_VALUE(amount)) FROM FILE')).toEqual([
    ['17769.6000', '2026-01-01', 'DECIMAL(16,4)'],
  ])
  expect(await ask("SELECT code, modifier, flags FROM FILE WHERE code = '10003'")).toEqual([
    ['10003', '26', 'na_indicator opps_cap'],
  ])
})

test('an export is the same bytes each time', async () => {
  await using app = await testApp()
  await app.publish(aWhole())
  for (const format of ['ndjson', 'csv', 'parquet']) {
    const [one, two] = [join(app.folder.path, `1.${format}`), join(app.folder.path, `2.${format}`)]
    expect((await exported(app, format, one)).sha256).toBe((await exported(app, format, two)).sha256)
  }
})

test('no cell of a CSV export can be run by a spreadsheet', async () => {
  for (const [cell, safe] of [
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1.00', "'-1.00"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
    ['12.34', '12.34'],
    ['US-CA-18', 'US-CA-18'],
    ['', ''],
  ] as const)
    expect(csvCell(cell)).toBe(safe)
  await using app = await testApp()
  await app.publish(aWhole())
  const { file } = await exported(app, 'csv', join(app.folder.path, 'x.csv'))
  const cells = readCsv(readFileSync(file, 'utf8')).flatMap((row) => Object.values(row))
  expect(cells.filter((cell) => /^['=+\-@\t\r]/.test(cell ?? ''))).toEqual([])
})

const ndjson = ['--format', 'ndjson']

test('what cannot be exported is refused, and leaves no file', async () => {
  await using app = await testApp()
  await app.publish(aWhole())
  const env = { DATA_DIR: app.config.DATA_DIR }
  const file = join(app.folder.path, 'x.ndjson')
  const refusals: [string[], number, string][] = [
    [[], 2, 'one release'],
    [['cms-pfs:NONE:1', '--out', file, ...ndjson], 1, 'release_not_found'],
    [[RELEASE, ...ndjson], 2, '--out'],
    [[RELEASE, '--out', file], 2, '--format'],
    [[RELEASE, '--out', file, '--format', 'xlsx'], 2, 'ndjson'],
    [[RELEASE, '--out', join(app.folder.path, 'no/such/x'), ...ndjson], 1, 'cannot be written'],
  ]
  for (const [args, code, said] of refusals)
    expect([args, await atr(['export', ...args], env)]).toMatchObject([
      args,
      { code, err: expect.stringContaining(said) },
    ])
  expect(existsSync(file)).toBe(false)
  await exported(app, 'ndjson', file)
  expect((await atr(['export', RELEASE, '--out', file, ...ndjson], env)).code).toBe(1)
})

test('a release whose stored rows were changed is not exported', async () => {
  await using app = await testApp()
  await app.publish(aWhole())
  await editFile(app.config, 1, replacing('"12.34"', '"99.99"'))
  const file = join(app.folder.path, 'x.ndjson')
  const { code, err } = await atr(['export', RELEASE, '--out', file, ...ndjson], { DATA_DIR: app.config.DATA_DIR })
  expect([code, err]).toEqual([3, expect.stringContaining('atr fsck')])
  expect([existsSync(file), existsSync(`${file}.partial`)]).toEqual([false, false])
})

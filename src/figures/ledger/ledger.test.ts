import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Problem } from '../../problem.ts'
import { aCase, cases, fileOf, HEADER, NPI, openFigures, refusal, streamOf } from '../fixture.ts'
import { Complaints } from './csv.ts'
import { importProviders, insertProviders } from './directory.ts'
import { correctOutcomes, deleteOutcomes, importOutcomes } from './ledger.ts'
import { COLUMNS, readOutcome, roundedTo50 } from './outcome.ts'

const options = { now: () => Date.parse('2026-11-03T00:00:00Z'), data_class: 'published' } as const

async function refusedWith(lines: readonly string[], header = HEADER): Promise<Problem> {
  await using figures = await openFigures()
  const file = streamOf(`${[header, ...lines].join('\n')}\n`)
  const problem = (await refusal(importOutcomes(figures.db, file, options))) as Problem
  expect(problem).toBeInstanceOf(Problem)
  expect(problem.code).toBe('outcomes_refused')
  expect(await figures.db.query('SELECT * FROM outcome')).toEqual([])
  expect(await figures.db.query('SELECT * FROM outcome_batch')).toEqual([])
  return problem
}

/** All texts of a problem that could reach a caller or a log. */
const everything = (problem: Problem): string =>
  [problem.message, problem.detail, problem.stack, JSON.stringify(problem.extra), String(problem.cause)].join('\n')

test('a file with any other header is refused whole', async () => {
  const headers = [
    `${HEADER},notes`,
    HEADER.replace('case_ref', 'patient_name'),
    HEADER.split(',').reverse().join(','),
    HEADER.replace(',recovered', ''),
    HEADER.toUpperCase(),
    `\uFEFF${HEADER}`,
    `"${HEADER}"`,
    '',
  ]
  for (const header of headers) {
    const problem = await refusedWith(cases(3), header)
    expect(problem.extra.members).toMatchObject({ refused: 1, places: [{ line: 1, rule: 'header' }] })
    expect(everything(problem)).not.toContain('patient_name')
  }
})

test('an empty file and a file with only a header are refused', async () => {
  await using figures = await openFigures()
  expect(await refusal(importOutcomes(figures.db, streamOf(''), options))).toMatchObject({ code: 'outcomes_refused' })
  expect((await refusedWith([])).extra.members).toMatchObject({ places: [{ line: 2, column: 1, rule: 'no_cases' }] })
})

test('each rule is named with its line and column', async () => {
  const broken: [string, number, string][] = [
    [aCase({ case_ref: '42' }), 1, 'not_a_uuid_v4'],
    [aCase({ case_ref: 'c0ffee00-0000-1000-8000-000000000000' }), 1, 'not_a_uuid_v4'],
    [aCase({ outcome_year: '2014' }), 2, 'year_out_of_range'],
    [aCase({ outcome_year: '2027' }), 2, 'year_out_of_range'],
    [aCase({ state: 'ZZ' }), 3, 'not_a_state'],
    [aCase({ npi: '1234567890' }), 4, 'npi_check_digit'],
    [aCase({ npi: NPI }), 4, 'npi_not_in_directory'],
    [aCase({ closed: 'yes' }), 5, 'not_a_boolean'],
    [aCase({ closed: '0' }), 6, 'settled_but_not_closed'],
    [aCase({ recurring: '' }), 7, 'not_a_boolean'],
    [aCase({ certified_mail: '2' }), 8, 'not_a_boolean'],
    [aCase({ recovered: '-5' }), 9, 'not_an_amount'],
    [aCase({ recovered: '12345678' }), 9, 'not_an_amount'],
    [aCase({ recovered: '1e3' }), 9, 'not_an_amount'],
    [`${aCase()},`, 10, 'column_count'],
    ['', 2, 'column_count'],
    ['x'.repeat(2000), 1, 'line_too_long'],
  ]
  for (const [text, column, rule] of broken) {
    const { members } = (await refusedWith([aCase(), text])).extra
    expect(members).toEqual({ refused: 1, places: [{ line: 3, column, rule }] })
  }
})

test('personal data is refused in every column, and never repeated', async () => {
  const planted: [string, string][] = [
    ['078-05-1120', 'looks_like_ssn'],
    ['078051120', 'looks_like_ssn'],
    ['(212) 555-0147', 'looks_like_phone'],
    ['212.555.0147', 'looks_like_phone'],
    ['+12125550147', 'looks_like_phone'],
    ['jane.roe@example.org', 'looks_like_email'],
    ['1961-04-12', 'looks_like_date'],
    ['04/12/1961', 'looks_like_date'],
    ['19610412', 'looks_like_date'],
  ]
  for (const [value, rule] of planted) {
    for (const [i, column] of HEADER.split(',').entries()) {
      const problem = await refusedWith([aCase({ [column]: value })])
      expect(problem.extra.members).toEqual({ refused: 1, places: [{ line: 2, column: i + 1, rule }] })
      expect(everything(problem)).not.toContain(value)
    }
    const extra = await refusedWith([`${aCase()},${value}`])
    expect(extra.extra.members).toEqual({ refused: 1, places: [{ line: 2, column: 10, rule }] })
    expect(everything(extra)).not.toContain(value)
  }
})

test('no field of any refused line is repeated, whatever it holds', () => {
  const field = fc.string({ minLength: 12 }).filter((text) => !/[,\r\n]/.test(text))
  fc.assert(
    fc.property(fc.array(field, { minLength: 9, maxLength: 9 }), (fields) => {
      const complaints = new Complaints()
      expect(readOutcome(fields, 2, { year: 2026, columns: COLUMNS, digest: () => 0 }, complaints)).toBeUndefined()
      try {
        complaints.refuse('outcomes_refused')
      } catch (error) {
        for (const text of fields) expect(everything(error as Problem)).not.toContain(text)
      }
    }),
  )
})

test('a refusal counts every place and shows the first five', async () => {
  const { members } = (await refusedWith(cases(8, { state: 'ZZ', recovered: 'x' }))).extra
  expect(members?.['refused']).toBe(16)
  expect(members?.['places']).toEqual([
    { line: 2, column: 3, rule: 'not_a_state' },
    { line: 2, column: 9, rule: 'not_an_amount' },
    { line: 3, column: 3, rule: 'not_a_state' },
    { line: 3, column: 9, rule: 'not_an_amount' },
    { line: 4, column: 3, rule: 'not_a_state' },
  ])
})

test('amounts are kept in steps of fifty dollars, ties to even, at most 50,000', () => {
  const kept: [string, number][] = [
    ['0', 0],
    ['24.99', 0],
    ['25', 0],
    ['25.01', 1],
    ['75', 2],
    ['125.00', 2],
    ['1000.5', 20],
    ['49999.99', 1000],
    ['50000', 1000],
    ['9999999.99', 1000],
  ]
  for (const [dollars, steps] of kept) expect(roundedTo50(dollars)).toBe(steps)
})

test('rounding never changes whether a case was won', () => {
  expect(roundedTo50('499.99')).toBe(9)
  expect(roundedTo50('500')).toBe(10)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 200_000 }), (cents) => {
      const steps = roundedTo50((cents / 100).toFixed(2)) as number
      expect(steps >= 10).toBe(cents >= 50_000)
      expect(Math.abs(steps * 5000 - cents)).toBeLessThan(5000)
    }),
  )
})

test('every accepted spelling is kept in its one form', async () => {
  await using figures = await openFigures()
  await insertProviders(figures.db, [NPI])
  const text = `${HEADER}\r\nC0FFEE00-0000-4000-8000-0000000000AA,2015,PR,${NPI},true,false,1,0,75.5`
  const imported = await importOutcomes(figures.db, streamOf(text, 1), { ...options, data_class: 'sample' })
  expect(imported).toEqual({ batch_id: 1, cases: 1, already_imported: false })
  expect(await figures.db.query('SELECT * FROM outcome')).toEqual([
    {
      case_ref: 'c0ffee00-0000-4000-8000-0000000000aa',
      outcome_year: 2015,
      batch_id: 1,
      state: 'PR',
      npi: NPI,
      closed: 1,
      settled: 0,
      recurring: 1,
      certified_mail: 0,
      recovered_50: 2,
      person: null,
    },
  ])
})

test('importing the same bytes again changes nothing and says so', async () => {
  await using figures = await openFigures()
  const lines = cases(1200)
  const first = await figures.import(lines)
  expect(first).toEqual({ batch_id: 1, cases: 1200, already_imported: false })
  expect(await figures.import(lines)).toEqual({ ...first, already_imported: true })
  expect(await figures.db.query('SELECT COUNT(*) AS n FROM outcome')).toEqual([{ n: 1200 }])
})

test('a file is refused if it has a case twice, or a case that was imported before', async () => {
  await using figures = await openFigures()
  const known = aCase()
  await figures.import([known])
  const problem = (await refusal(importOutcomes(figures.db, fileOf([aCase(), known]), options))) as Problem
  expect(problem.extra.members).toEqual({
    refused: 1,
    places: [{ line: 3, column: 1, rule: 'case_already_in_ledger' }],
  })
  const twice = aCase()
  expect((await refusedWith([twice, twice])).extra.members).toMatchObject({
    places: [{ line: 3, column: 1, rule: 'case_named_twice' }],
  })
  expect(await figures.db.query('SELECT COUNT(*) AS n FROM outcome')).toEqual([{ n: 1 }])
})

test('a stream that breaks leaves nothing behind', async () => {
  await using figures = await openFigures()
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield* fileOf(cases(10))
    throw new Error('the disk went away')
  }
  expect(await refusal(importOutcomes(figures.db, broken(), options))).toMatchObject({ message: 'the disk went away' })
  expect(await figures.db.query('SELECT * FROM outcome')).toEqual([])
})

test('the ledger has these columns of these types and no other', async () => {
  await using figures = await openFigures('sqlite') // the migrations are the same text on both engines
  const columns = await figures.db.query<{ name: string; type: string; notnull: number }>('PRAGMA table_info(outcome)')
  expect(columns.map(({ name, type, notnull }) => `${name} ${type}${notnull ? '' : ' or null'}`)).toEqual([
    'case_ref TEXT',
    'outcome_year INTEGER',
    'batch_id INTEGER',
    'state TEXT or null',
    'npi TEXT or null',
    'closed INTEGER',
    'settled INTEGER',
    'recurring INTEGER',
    'certified_mail INTEGER',
    'recovered_50 INTEGER',
    'person INTEGER or null',
  ])
  const [table] = await figures.db.query<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE name = 'outcome'")
  expect(table?.sql).toMatch(/STRICT/)
  // While a file is imported, its cases are in one more table, with their line and nothing else.
  const staged = await figures.db.query<{ name: string }>('PRAGMA table_info(outcome_staged)')
  const extra = staged.map(({ name }) => name).filter((name) => !columns.some((column) => column.name === name))
  expect(extra).toEqual(['staging_id', 'line'])
})

test('the tables with salts and sums of the ledger have no column for other data', async () => {
  await using figures = await openFigures('sqlite') // the migrations are the same text on both engines
  const columnsOf = async (table: string): Promise<string[]> =>
    (await figures.db.query<{ name: string; type: string }>(`PRAGMA table_info(${table})`)).map(
      ({ name, type }) => `${name} ${type}`,
    )
  expect(await columnsOf('outcome_salt')).toEqual(['batch_id INTEGER', 'case_ref TEXT', 'salt BLOB'])
  expect(await columnsOf('outcome_carried')).toEqual(['metric TEXT', 'answer INTEGER', 'case_count INTEGER'])
  expect(await columnsOf('outcome_staging')).toEqual(['staging_id INTEGER', 'alive_at INTEGER'])
  expect(await columnsOf('outcome_pending')).toEqual([
    'person INTEGER',
    'npi TEXT',
    'packed INTEGER',
    'case_count INTEGER',
  ])
  expect(await columnsOf('outcome_left_out')).toEqual(['case_ref TEXT'])
  const salt = (case_ref: string, bytes: number) =>
    figures.db.insertMany('outcome_salt', ['batch_id', 'case_ref', 'salt'], [[1, case_ref, new Uint8Array(bytes)]])
  await expect(salt('Jane Roe', 16)).rejects.toThrow()
  await expect(salt('c0ffee00-0000-4000-8000-0000000000aa', 17)).rejects.toThrow()
  await salt('c0ffee00-0000-4000-8000-0000000000aa', 16)
})

test('the database itself refuses what the ledger may not hold', async () => {
  await using figures = await openFigures()
  const sound: Record<string, unknown> = {
    case_ref: 'c0ffee00-0000-4000-8000-0000000000aa',
    outcome_year: 2026,
    batch_id: 1,
    state: 'CA',
    npi: NPI,
    closed: 1,
    settled: 1,
    recurring: 0,
    certified_mail: 0,
    recovered_50: 20,
  }
  const insert = (given: Record<string, unknown>) => {
    const row = { ...sound, ...given }
    return figures.db.insertMany('outcome', Object.keys(row), [Object.values(row)])
  }
  const wrong: Record<string, unknown[]> = {
    case_ref: [
      'Jane Roe',
      'C0FFEE00-0000-4000-8000-0000000000AA',
      'c0ffee00-0000-1000-8000-0000000000aa',
      'c0ffee00-0000-4000-8000-jane-roe-000',
      'jane.roe-0000-4000-8000-0000000000aa',
      null,
    ],
    outcome_year: [2014, 2200, '1961-04-12', null],
    batch_id: [0, 'x', null],
    state: ['ZZ', 'Jane', 'ca', ''],
    npi: ['123456789', '12345678x3', '3234567893', 'Jane Roe 1', ''],
    closed: [2, 'yes', null, 0],
    settled: [2, null],
    recurring: [-1, null],
    certified_mail: [7, null],
    recovered_50: [1001, -1, 0.5, 'x', null],
  }
  for (const [column, bad] of Object.entries(wrong))
    for (const value of bad)
      expect([
        column,
        value,
        await insert({ [column]: value }).then(
          () => 'taken',
          () => 'refused',
        ),
      ]).toEqual([column, value, 'refused'])
  await insert({})
})

const caseRefOf = (line: string): string => line.slice(0, 36)

test('a correction replaces the cases it names and leaves them in their batch', async () => {
  await using figures = await openFigures()
  const lines = cases(30)
  await figures.import(lines)
  const [first = '', second = ''] = lines.map(caseRefOf)
  const file = () => fileOf([aCase({ case_ref: first, recovered: '0' }), aCase({ case_ref: second, state: 'TX' })])
  expect(await correctOutcomes(figures.db, file(), options)).toEqual({ batch_id: 2, cases: 2, already_imported: false })
  expect(await correctOutcomes(figures.db, file(), options)).toMatchObject({ batch_id: 2, already_imported: true })
  const rows = await figures.db.query('SELECT state, recovered_50, batch_id FROM outcome ORDER BY case_ref LIMIT 3')
  expect(rows).toEqual([
    { state: 'CA', recovered_50: 0, batch_id: 1 },
    { state: 'TX', recovered_50: 20, batch_id: 1 },
    { state: 'CA', recovered_50: 20, batch_id: 1 },
  ])
  expect(await figures.db.query('SELECT COUNT(*) AS n FROM outcome')).toEqual([{ n: 30 }])
})

test('a deletion removes the cases it names, and a file with one unknown case changes nothing', async () => {
  await using figures = await openFigures()
  const lines = cases(30)
  await figures.import(lines)
  const named = (refs: readonly string[]) => streamOf(`${['case_ref', ...refs].join('\n')}\n`)
  const refs = lines.slice(0, 3).map(caseRefOf)
  const unknown = caseRefOf(aCase())
  const count = async () => (await figures.db.query<{ n: number }>('SELECT COUNT(*) AS n FROM outcome'))[0]?.n

  const refused = (await refusal(deleteOutcomes(figures.db, named([...refs, unknown]), options))) as Problem
  expect(refused.extra.members).toEqual({ refused: 1, places: [{ line: 5, column: 1, rule: 'case_not_in_ledger' }] })
  const corrected = (await refusal(
    correctOutcomes(figures.db, fileOf([aCase({ case_ref: unknown })]), options),
  )) as Problem
  expect(corrected.extra.members).toMatchObject({ places: [{ line: 2, column: 1, rule: 'case_not_in_ledger' }] })
  const twice = (await refusal(deleteOutcomes(figures.db, named([...refs, refs[0] as string]), options))) as Problem
  expect(twice.extra.members).toMatchObject({ places: [{ line: 5, column: 1, rule: 'case_named_twice' }] })
  const personal = (await refusal(deleteOutcomes(figures.db, named(['078-05-1120']), options))) as Problem
  expect(everything(personal)).not.toContain('078-05-1120')
  expect(personal.extra.members).toMatchObject({ places: [{ line: 2, column: 1, rule: 'looks_like_ssn' }] })
  expect(await count()).toBe(30)

  expect(await deleteOutcomes(figures.db, named(refs), options)).toEqual({
    batch_id: 2,
    cases: 3,
    already_imported: false,
  })
  expect(await count()).toBe(27)
  // Importing the first file again does not bring them back.
  expect(await figures.import(lines)).toMatchObject({ already_imported: true })
  expect(await count()).toBe(27)
})

test('a file larger than one step is taken whole', async () => {
  await using figures = await openFigures()
  const lines = cases(12_000)
  const text = `${[HEADER, ...lines].join('\n')}\n`
  expect(await importOutcomes(figures.db, streamOf(text, 100_000), options)).toMatchObject({ cases: 12_000 })
  expect(await figures.db.query('SELECT COUNT(*) AS n FROM outcome')).toEqual([{ n: 12_000 }])
  for (const table of ['outcome_staged', 'outcome_staging'])
    expect(await figures.db.query(`SELECT * FROM ${table}`)).toEqual([])
})

test('staged lines that a crash left are dropped, and those of a running import are not', async () => {
  await using figures = await openFigures()
  const { db } = figures
  const now = await db.now()
  for (const [staging_id, alive_at] of [
    [7, now - 600_000],
    [8, now],
  ])
    await db.query('INSERT INTO outcome_staging (staging_id, alive_at) VALUES ($1, $2)', [staging_id, alive_at])
  for (const staging_id of [6, 7, 8])
    await db.query('INSERT INTO outcome_staged (staging_id, line, case_ref) VALUES ($1, 2, $2)', [staging_id, 'left'])
  await figures.import(cases(3))
  expect(await db.query('SELECT staging_id FROM outcome_staged')).toEqual([{ staging_id: 8 }])
  expect(await db.query('SELECT staging_id FROM outcome_staging')).toEqual([{ staging_id: 8 }])
})

test('a file whose staged lines were removed while it was read is refused, and nothing is changed', async () => {
  await using figures = await openFigures()
  async function* slow(): AsyncGenerator<Uint8Array> {
    yield* streamOf(`${[HEADER, ...cases(6000)].join('\n')}\n`, 100_000)
    // Another process does this after too long a silence.
    await figures.db.query('DELETE FROM outcome_staging')
    await figures.db.query('DELETE FROM outcome_staged')
    yield* streamOf(`${cases(10).join('\n')}\n`)
  }
  expect(await refusal(importOutcomes(figures.db, slow(), options))).toMatchObject({
    code: 'outcomes_refused',
    detail: expect.stringContaining('took too long'),
  })
  expect(await figures.db.query('SELECT * FROM outcome')).toEqual([])
})

test('the directory takes organisations and refuses people and bad check digits', async () => {
  await using figures = await openFigures()
  const load = (text: string) => importProviders(figures.db, streamOf(text))
  const person = (await refusal(load(`npi,entity_type\n${NPI},1\n`))) as Problem
  expect(person.extra.members).toEqual({
    refused: 1,
    places: [{ line: 2, column: 2, rule: 'person_not_organisation' }],
  })
  expect(await refusal(load('npi,entity_type\n1234567890,2\n'))).toMatchObject({ code: 'source_unreadable' })
  expect(() => insertProviders(figures.db, ['1234567890'])).toThrow(Problem)
  expect(await figures.db.query('SELECT * FROM provider')).toEqual([])
  expect(await load(`npi,entity_type\n${NPI},2\n`)).toEqual({ providers: 1, added: 1 })
  expect(await insertProviders(figures.db, [NPI])).toBe(0)
})

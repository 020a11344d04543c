import { expect, test } from 'bun:test'
import type { Statement } from './bill.ts'
import { A_COPIED_TEXT, A_CSV, A_MEDICARE_TEXT } from './fixture.ts'
import { readStatement } from './statement.ts'

const read = async (text: string | Uint8Array): Promise<Statement & { ok: true }> => {
  const statement = await readStatement(text)
  if (!statement.ok) throw new Error(statement.why)
  return statement
}
const linesOf = async (text: string | Uint8Array) => (await read(text)).papers.flatMap(({ request }) => request.lines)
const whysOf = async (text: string) => (await readStatement(text)).unread.map(({ at, why }): unknown[] => [at, why])

const HOSPITAL_LINES = [
  { code: '99284', modifiers: ['25'], revenue_code: '0450', day: '2026-05-14', units: '1', billed: '2187.00' },
  { code: '36415', revenue_code: '0300', day: '2026-05-14', units: '2', billed: '300.00' },
]

test('a table is read by its headings, whatever their order, words and separators', async () => {
  expect(await linesOf(A_CSV)).toEqual(HOSPITAL_LINES)
  const texts = [
    'Charges\tHCPCS\tRev. Code\tQty\tMod\tDOS\n2187\t99284\t0450\t1\t25\t05/14/2026\n300\t36415\t300\t2\t\t2026-05-14',
    'LineChargeAmount,ChargeAmount,LineProcedureCode,LineProcedureModifier1Code,LineProcedureModifier2Code,LineRevenueCode,LineUnitCount,LineServiceDateFrom\n2187,2487,99284,25,,0450,1.0,2026-05-14\n300,2487,36415,,,0300,2,2026-05-14',
    'Statement of Canary Hospital\n\nRev;Procedure Code;Units;Amount billed;Date of service\n0450;99284-25;1;"$2,187.00";May 14, 2026\n0300;36415;2;300.00;14-May-2026',
  ]
  for (const text of texts) expect(await linesOf(text)).toEqual(HOSPITAL_LINES)
})

test('typed lines without a heading are code, modifiers, units, amount, day', async () => {
  expect(await linesOf('99284,25,1,2187.00,2026-05-14\n36415,,2,300,5/14/2026')).toEqual(
    HOSPITAL_LINES.map(({ revenue_code: _, ...line }) => line),
  )
  expect(await linesOf('99284-25 x1 $2,187.00\n36415 x2 $300.00')).toEqual([
    { code: '99284', modifiers: ['25'], units: '1', billed: '2187.00' },
    { code: '36415', units: '2', billed: '300.00' },
  ])
})

test('a row that cannot be read is refused by its number, and none of its words is repeated', async () => {
  const head = 'Code,Mod,Units,Billed,Day\n'
  const cases: [string, string][] = [
    ['100,,1,1,', 'code_form'],
    ['99213,2,1,1,', 'modifier_form'],
    ['99213,,one,1,', 'units_form'],
    ['99213,,1,1.234\u002c50,', 'amount_form'],
    ['99213,,1,1,2026-02-30', 'day_form'],
    ['99213 ER visit,,1,1,', 'code_form'],
    [',,1,5.00,', 'no_code'],
    ['99213,,1,-5.00,', 'lone_credit'],
    ['=HYPERLINK("x"),,1,1,', 'code_form'],
  ]
  for (const [row, why] of cases) expect([row, await whysOf(`${head}${row}`)]).toEqual([row, [[2, why]]])
  expect(await readStatement('Code,Code,Billed\n99213,99214,1')).toMatchObject({ ok: false, why: 'two_columns' })
})

test('the text of MyMedicare is read by its labels', async () => {
  expect((await read(A_MEDICARE_TEXT)).papers).toMatchObject([
    {
      is: 'insurer',
      request: {
        kind: 'professional',
        day: '2026-05-14',
        lines: [
          {
            code: '99213',
            modifiers: ['25'],
            place_of_service: '11',
            day: '2026-05-14',
            units: '1',
            billed: '300.00',
            allowed: '95.19',
          },
        ],
        totals: { billed: '300.00', allowed: '95.19', patient: '19.04' },
      },
    },
  ])
})

test('a copied text is read by the columns that stand under its headings, and its total is kept', async () => {
  expect((await read(A_COPIED_TEXT)).papers).toMatchObject([
    {
      is: 'bill',
      request: { kind: 'hospital', lines: HOSPITAL_LINES, totals: { billed: '2487.00' } },
      remarks: [{ note: 'sums' }],
    },
  ])
})

const lost = (rows: string): string => `Date Rev Code CPT Description Units Charges\n${rows}`

test('where the columns were lost, a row is read only if its words fit them in one way', async () => {
  expect(
    await linesOf(
      lost('05/14/2026 0450 99284 Visit level 4\nof two 1 $2,187.00\n05/14/2026 0300 36415 Drawing 2 300.00'),
    ),
  ).toMatchObject([
    { code: '99284', units: '1', billed: '2187.00' },
    { code: '36415', units: '2', billed: '300.00' },
  ])
  // One row has no units: then the 4 of the other may belong to its description.
  expect(
    await whysOf(
      lost(
        '05/14/2026 0450 99284 Visit level 4 $2,187.00\n05/14/2026 0300 36415 Drawing $300.00\n05/14/2026 0300 99213 3 $30.00',
      ),
    ),
  ).toContainEqual([2, 'two_units'])
  // CT is a modifier, and the beginning of a description.
  expect(
    await whysOf(
      'Date CPT Mod Description Units Charges\n05/14/2026 70450 CT of head 1 $5.00\n05/14/2026 36415 25 Drawing 1 $3.00',
    ),
  ).toContainEqual([2, 'two_codes'])
})

test('amounts that stand before their codes are given to none of them', async () => {
  const text = 'Service Code Amount Billed Allowed Amount\n$10.00 $5.00\n99213\n$20.00 $6.00\n99214\n'
  expect(await readStatement(text)).toMatchObject({ ok: false, why: 'no_lines' })
})

test('a number without a column is never an amount', async () => {
  for (const text of [
    '99213 Visit 2 300.00',
    '99213 Visit $300.00 $20.00',
    '99213 99214 $5.00',
    '99213 copay $20.00',
    '99213 CT $5.00',
    'Zebulon owes $99213.00',
    '30322',
  ])
    expect([text, await readStatement(text)]).toMatchObject([text, { ok: false }])
})

test('amounts and days are read in the forms of bills, and in no other', async () => {
  const amountOf = async (text: string) =>
    (await linesOf(`Code\tBilled\n99213\t${text}\n99214\t1`)).find(({ code }) => code === '99213')?.billed
  for (const text of ['$1,234.50', '1234.5', 'USD 1234.50', '1,234.50'])
    expect([text, await amountOf(text)]).toEqual([text, '1234.50'])
  for (const text of ['1.234,50', '1OO.00', '12,34', '1e3', '$'])
    expect([text, await amountOf(text)]).toEqual([text, undefined])
  const credits = ['-$47.60', '($47.60)', '47.60-', '47.60 CR', '\u221247.60']
  for (const text of credits)
    expect((await read(`Code\tBilled\n99213\t47.60\n99213\t${text}`)).unread.map(({ why }) => why)).toEqual([
      'credited',
      'credited',
    ])
})

/** A workbook of one sheet, as spreadsheets write it, without packing. */
function workbook(rows: readonly (readonly string[])[], sheet = sheetOf(rows)): Uint8Array {
  const files: [string, string][] = [
    [
      'xl/workbook.xml',
      '<workbook xmlns:r="r"><sheets><sheet name="Canary" sheetId="1" r:id="rId1"/></sheets></workbook>',
    ],
    [
      'xl/_rels/workbook.xml.rels',
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    ],
    ['xl/worksheets/sheet1.xml', sheet],
  ]
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, text] of files) {
    const content = Buffer.from(text)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt32LE(content.length, 20)
    entry.writeUInt32LE(content.length, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(at, 42)
    locals.push(head, Buffer.from(name), content)
    directory.push(entry, Buffer.from(name))
    at += 30 + name.length + content.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, list, end])
}
const sheetOf = (rows: readonly (readonly string[])[]): string =>
  `<worksheet><sheetData>${rows.map((cells, i) => `<row r="${i + 1}">${cells.map((cell) => (/^[0-9.]+$/.test(cell) ? `<c><v>${cell}</v></c>` : `<c t="inlineStr"><is><t>${cell}</t></is></c>`)).join('')}</row>`).join('')}</sheetData></worksheet>`

test('a workbook is read like a table, with its days as numbers and its fractions as shown', async () => {
  const statement = await read(
    workbook([
      ['Patient', 'Date', 'Rev', 'CPT', 'Mod', 'Units', 'Charges'],
      ['Zebulon', '46156', '450', '99284', '25', '1', '2187'],
      ['Zebulon', '46156', '300', '36415', '', '2', '299.99999999999994'],
    ]),
  )
  expect([statement.format, statement.papers[0]?.request.lines]).toEqual(['workbook', HOSPITAL_LINES])
})

import { expect, test } from 'bun:test'
import { parseBill } from './bill-lines.ts'

const TODAY = '2026-11-15'
const DEFAULTS = { place: '', day: TODAY }

test('a bill is read as people paste it', () => {
  const entry = { modifier: '', units: 1, billed: null, place: '', day: TODAY }
  const cases: [string, object][] = [
    ['99213', { code: '99213' }],
    ['99213-25', { code: '99213', modifier: '25' }],
    // Modifiers behind the code and beside it are all those of the line.
    ['71046-26,59', { code: '71046', modifier: '26-59' }],
    ['71046-26,26 59', { code: '71046', modifier: '26-59' }],
    [' j1885 , , 3 , 45.5 ', { code: 'J1885', units: 3, billed: '45.50' }],
    [
      'j1885,,3,"$1,234.50",60611,7/4/2026',
      { code: 'J1885', units: 3, billed: '1234.50', place: '60611', day: '2026-07-04' },
    ],
    ['99213;26 59;1;12', { code: '99213', modifier: '26-59', billed: '12.00' }],
    ['Code,Mod,Units\n99213\t25\t2', { code: '99213', modifier: '25', units: 2 }],
    ['CPT\tMod\tCharges\n99213,25,"1,300.00"\t', { code: '99213', modifier: '25', billed: '1300.00' }],
    ['Date\tAmount\tCPT\n11/2/26\t0.5\t99213', { code: '99213', billed: '0.50', day: '2026-11-02' }],
    ['\n\nCPT 99213\n , , \n', { code: '99213' }],
    ['99213,,1,300,"Chicago, IL 60611","Nov 2, 2026"', { billed: '300.00', place: '60611', day: '2026-11-02' }],
    ['99213;;1.0;$300;illinois;2026-11-02 00:00:00', { units: 1, billed: '300.00', place: 'US-IL', day: '2026-11-02' }],
    [
      'HCPCS/CPT\tDate of birth\tPlace of service\tUnit price\tUnits\tCharge code\tTotal charges ($)\nj1885\t\t11\t15\t2\tA7\t30.00',
      { code: 'J1885', units: 2, billed: '30.00', place: '', day: TODAY },
    ],
  ]
  for (const [text, expected] of cases) {
    const bill = parseBill(text, DEFAULTS)
    expect('entries' in bill ? bill.entries.map(({ at: _, ...line }) => line) : bill).toMatchObject([
      { ...entry, ...expected },
    ])
  }
})

test('a heading may stand anywhere and come again, and no line of the bill is taken for one', () => {
  const text = 'Itemized statement\nCode,Units\n99213,2\nProcedures by Dr. X\nCode,Units\n80053,3\nTotal,5'
  const bill = parseBill(text, DEFAULTS)
  if ('refused' in bill) throw new Error(bill.refused)
  expect(bill.entries.map(({ at, code, units }) => [at, code, units])).toEqual([
    [3, '99213', 2],
    [6, '80053', 3],
  ])
  expect(bill.faults.map(({ at }) => at)).toEqual([1, 4, 7])
})

test('a line that cannot be read says what to write instead', () => {
  const cases: [string, RegExp][] = [
    ['99213-99215', /range of codes has no price: write one code in each line/],
    ['100', /five characters, such as 99213 or J1885; a spreadsheet may have dropped zeros/],
    ['99213 25 1 300.00 94102', /write commas between the cells, as in 99213,25,1,300.00,94102/],
    ['99283 1 $2,000.00', /write commas between the cells/],
    ['j1885-JZ x4 $80', /write commas between the cells/],
    ['99213,300.00', /modifier does not have two characters.*columns are code, modifier, units, billed, place, day/],
    ['99213,,0', /units are not a whole number of 1 or more/],
    ['99213,,1.5', /units are not a whole number/],
    ['99213,,1000000', /units are not a whole number/],
    ['99213;;1;1.234,50', /dollars with a point before the cents, such as 1234.50/],
    ['99213,,1,-20', /dollars/],
    ['99214,,1,$1,402.02', /an amount with a comma in it needs quotes/],
    ['99213,25,2,1,002.50', /an amount with a comma in it needs quotes/],
    ['99213,,1,$2,100', /an amount with a comma in it needs quotes/],
    ['CPT,Charges,Units\n99213,$1,402,2', /an amount with a comma in it needs quotes/],
    ['99213,,1,1120.00,402.02', /the place is not a ZIP code/],
    ['99213,,1,20,Chicago', /a city needs one of them/],
    ['99213,,1,20,Washington', /can mean several: write US-WA or US-DC, or a ZIP code/],
    ['99213,,1,20,IL,16.11.2026', /such as 2026-07-15 or 7\/15\/2026/],
    ['99213,,1,20,IL,16/11/2026', /such as 2026-07-15/],
  ]
  for (const [text, sentence] of cases) {
    const bill = parseBill(text, DEFAULTS)
    expect([text, 'faults' in bill ? bill.faults : bill]).toEqual([
      text,
      [{ at: text.split('\n').length, what: expect.stringMatching(sentence) }],
    ])
  }
  expect(parseBill('Code,Units\n', DEFAULTS)).toEqual({ refused: expect.stringContaining('at least one') })
})

test('a line that cannot be read is refused by its number, and nothing of it is repeated', () => {
  const hostile = [
    '=HYPERLINK("http://x")',
    '<img src=x onerror=alert(1)>',
    '9'.repeat(10_000),
    '99213\t\u0000',
    '99213\t\t-1',
    '99213\t\t1\t1e9',
    '99213\t\t1\t1\t<b>',
    '99213\t\t1\t1\t\t2026-02-31',
  ]
  const bill = parseBill(hostile.join('\n'), DEFAULTS)
  if ('refused' in bill) throw new Error(bill.refused)
  expect(bill.entries).toEqual([])
  expect(bill.faults.map(({ at }) => at)).toEqual(hostile.map((_, i) => i + 1))
  expect(JSON.stringify(bill.faults)).not.toMatch(/[<=]|9{6}|HYPER/)
  expect(parseBill('99213\n'.repeat(5_000), DEFAULTS)).toHaveProperty('refused')
  expect(parseBill('99213\n'.repeat(101), DEFAULTS)).toHaveProperty('refused')
  expect(parseBill('99213\n'.repeat(100), DEFAULTS)).toMatchObject({ faults: [] })
  expect(parseBill('x'.repeat(40_000), DEFAULTS)).toHaveProperty('refused')
})

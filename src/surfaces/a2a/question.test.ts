import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { effort } from '../../../test/support/effort.ts'
import { questionOfText, wordsShown } from './question.ts'
import { RpcError } from './rpc.ts'
import { subjectOf, taskId } from './task.ts'
import { readText } from './text.ts'

/** The input that a text comes to, or why it is refused. */
function inputOf(text: string) {
  const question = questionOfText(text)
  if (!('text' in question)) return question.input
  const { result } = readText(question.text)
  return 'refusal' in result ? result.refusal : result.input
}

test('a text is read as the question that it asks', () => {
  expect(inputOf('price of 99213 in 60611')).toEqual({ cpt: '99213', region: '60611' })
  expect(inputOf('99213-26 in Illinois on 2026-03-01 at 1234567893')).toEqual({
    cpt: '99213',
    modifier: '26',
    region: 'US-IL',
    as_of: '2026-03-01',
    npi: '1234567893',
  })
  expect(inputOf("  What's the  Medicare price of j0585 at 1234567893 in new  york?")).toEqual({
    cpt: 'J0585',
    npi: '1234567893',
    region: 'US-NY',
  })
  expect(inputOf('99213')).toEqual({ cpt: '99213' })
  expect(inputOf('fee for cpt 70450 modifier TC in US-IL-16')).toEqual({
    cpt: '70450',
    modifier: 'TC',
    region: 'US-IL-16',
  })
  expect(inputOf('rate of 27447-LT-59 in 60611-1234.')).toEqual({
    cpt: '27447',
    modifier: 'LT-59',
    region: '60611-1234',
  })
  expect(inputOf('99213 in Chicago, IL 60611 on 11/2/2026')).toEqual({
    cpt: '99213',
    region: '60611',
    as_of: '2026-11-02',
  })
})

test('whose bill it is, a day without a year, a county and minutes are read as people write them', () => {
  for (const [text, input] of [
    ['99284 in the ER', { cpt: '99284', kind: 'hospital' }],
    ['27447 in the hospital', { cpt: '27447', kind: 'hospital' }],
    ['facility fee for 45378', { cpt: '45378', kind: 'hospital' }],
    ["the doctor's fee for 99284", { cpt: '99284', kind: 'professional' }],
    ['97110 at home', { cpt: '97110', place_of_service: '12' }],
    ['29881 in a surgery center', { cpt: '29881', setting: 'asc' }],
    ['99284-ER', { cpt: '99284', modifier: 'ER' }],
    ['99284 on 14 May in Fulton County, GA', { cpt: '99284', as_of: '2026-05-14', region: 'US-GA-01' }],
    ['99284 on December 24', { cpt: '99284', as_of: '2025-12-24' }],
    ['97110 for 45 minutes in Chicago, IL', { cpt: '97110', region: 'US-IL-16' }],
    ['I have no insurance: 99213 in GA?', { cpt: '99213', region: 'GA' }],
    ['97110 x 3 units', { lines: [{ cpt: '97110', units: 3 }] }],
    ['cost of DRG-470', { cpt: 'DRG-470' }],
  ] as const) {
    const { result } = readText(text, '2026-11-19')
    expect([text, 'input' in result && result.input]).toEqual([text, input])
  }
  // Minutes are told, so that nobody takes them for a part of the price.
  expect(readText('00840 for 45 minutes').notUnderstood).toEqual(['for', '45', 'minutes'])
  expect(readText('99284 at Emory Hospital').result).toEqual({ refusal: 'words' })
})

test('the words that were not understood are told in their order, and the rest of the text is read', () => {
  const unread = (text: string) => wordsShown(readText(text))
  expect(unread('What does Medicare pay for 99213 in Chicago, IL 60611?')).toEqual([
    'what',
    'does',
    'medicare',
    'pay',
    'for',
  ])
  expect(unread('99213-25 in 60611 on 2026-03-01 at 1234567893')).toEqual(['on'])
  expect(inputOf('What do I owe for 99213?')).toEqual({ cpt: '99213' })
  const open = readText('99213 and 99214 in Texas for <a href="javascript:x">')
  expect(open.result).toEqual({ refusal: 'several_codes' })
  expect(open.understood).toEqual([{ cpt: '99213' }, { cpt: '99214' }, { region: 'US-TX' }])
  // A word in another form than letters or a number is not repeated.
  expect(wordsShown(open)).toEqual(['and', 'for', 'a', 'href', 'javascript', 'x'])
  expect(unread(`99213 //evil/x ${'x'.repeat(21)} $3,5k`)).toEqual(['…', '…', '$3', '5k'])
  expect(unread('a '.repeat(200))).toHaveLength(40)
})

test('Oregon and Indiana in capitals are states, and not the words that they look like', () => {
  for (const [text, region] of [
    ['99213 in Portland, OR 97201', '97201'],
    ['What does Medicare pay for 99213 in Portland, OR 97201?', '97201'],
    ['99213 in Portland OR 97201', '97201'],
    ['99213 in St. Helens, OR 97051-1234 on 2026-11-02', '97051-1234'],
    ['99213 in Anderson, IN 46011', '46011'],
    ['price of 99213 in Fort Wayne IN, 46802', '46802'],
    ['99213 in Portland, OR', 'US-OR-01'],
    ['99213 in Springfield,IN', 'IN'],
    ['99213 in IN', 'IN'],
    ['99213 in OR 97201', '97201'],
    ['PRICE OF 99213 IN PORTLAND, OR 97201', '97201'],
    // Before a ZIP code alone it is the word.
    ['PRICE OF 99213 IN 46011', '46011'],
    ['99213 PLEASE IN 46011', '46011'],
    ['price of 99213, non-facility, IN 94102', '94102'],
    ['PRICE OF 99213 PLEASE, IN CALIFORNIA', 'US-CA'],
    ['CPT 99213, OFFICE, IN IL', 'IL'],
  ] as const)
    expect([text, inputOf(text)]).toEqual([text, expect.objectContaining({ cpt: '99213', region })])
  // The one of the two that is wrong is not known.
  expect(inputOf('99213 in Springfield, IN 62701')).toBe('place')
  expect(inputOf('99213 or 36415 in 94102')).toBe('several_codes')
  // Behind a state it is the word: codes of physical therapy look like ZIP codes of Oregon.
  for (const text of [
    'price of 97140 in Texas OR 97110',
    '99213 in California OR 97110',
    '99213 in Chicago, IL OR 97110',
    '99213 in Chicago, IL, OR 97110',
    '99213 in New Mexico, OR 97110',
  ])
    expect([text, inputOf(text)]).toEqual([text, 'several_codes'])
})

test('the same question is read from many phrasings', () => {
  const expected: [input: Record<string, string>, ...texts: string[]][] = [
    [
      { cpt: '99213' },
      'What does Medicare pay for 99213?',
      'how much is 99213',
      'I need the Medicare reimbursement for 99213 please',
      'What is the allowed amount for CPT code 99213?',
      'cpt=99213',
      '{"cpt": "99213"}',
    ],
    [
      { cpt: '99213', region: '60611' },
      'How much is CPT 99213 in Chicago, IL 60611?',
      'What would Medicare pay for 99213 in 60611?',
      '99213 in or near 60611',
      'ZIP 60611 code 99213',
      'price of 99213 at zip code 60611',
      'cpt: 99213, region: 60611',
      'I live in 60611. What does Medicare pay for 99213?',
      '{"skill": "lookup_reference", "cpt": "99213", "region": "60611"}',
    ],
    [{ cpt: '99213', region: 'US-MO-01' }, '99213 in St. Louis, Missouri? How much does Medicare pay?'],
    [{ cpt: '99213', region: 'national' }, '99213 nationwide', 'the national price of 99213', '99213, region national'],
    [
      { cpt: '70450', npi: '1234567893' },
      'What does the hospital with NPI 1234567893 charge for CPT 70450?',
      'price of 70450 at NPI 1234567893',
    ],
    [{ cpt: '70450', npi: '1234567893', basis: 'hospital_gross' }, 'gross charge of 70450 at 1234567893'],
    [{ cpt: '70450', npi: '1234567893', basis: 'hospital_cash' }, 'cash price of 70450 at 1234567893'],
    [{ cpt: '27447', setting: 'facility' }, 'facility rate of 27447', '27447 in a facility setting'],
    [
      { cpt: '99213', setting: 'non_facility' },
      "99213 in the doctor's office",
      '99213 in the doctor’s office',
      'non-facility rate of 99213',
      'price of 99213 for an office visit',
      'office visit 99213',
    ],
    [
      { cpt: '99213', kind: 'professional' },
      'What does my doctor charge for 99213?',
      'What’s the doctor’s fee for 99213?',
    ],
    [{ cpt: 'E0601', setting: 'rural' }, 'E0601 rural', 'rural price of E0601', 'price of E0601 in a rural area'],
    [{ cpt: 'E0601', setting: 'non_rural' }, 'E0601 non-rural'],
    [{ cpt: '45378', setting: 'asc' }, 'price of 45378 in an ambulatory surgery center', '45378 ASC'],
    [{ cpt: '27447', modifier: 'RT-59' }, '27447 with modifiers RT and 59', '27447-RT-59', '27447 mod RT/59'],
    [
      { cpt: '99213', as_of: '2026-07-15' },
      '99213 on July 15, 2026',
      '99213 on July 15th, 2026',
      '99213 on the 15th of July, 2026',
      '99213 as of 7/15/2026',
      '2026-07-15 99213',
    ],
  ]
  for (const [input, ...texts] of expected)
    for (const text of texts) expect([text, inputOf(text)]).toEqual([text, input])
})

test('a bill is read where each amount and number of units surely belongs to a code', () => {
  const region = '60611'
  const expected: [text: string, ...lines: Record<string, unknown>[]][] = [
    ['I was billed $300 for 99213 in 60611. Is that fair?', { cpt: '99213', region, billed: '300.00' }],
    ['I had 99213 in 60611, billed 300', { cpt: '99213', region, billed: '300.00' }],
    ['99213 for 300 dollars', { cpt: '99213', billed: '300.00' }],
    [
      'My doctor charged me $250 for 99213 in Chicago, IL 60611 on July 4th, 2026',
      { cpt: '99213', region, as_of: '2026-07-04', billed: '250.00' },
    ],
    ['I was charged $250 for 99213 in 60611. How much does Medicare pay?', { cpt: '99213', region, billed: '250.00' }],
    ['97110 4 units, 30 dollars', { cpt: '97110', units: 4, billed: '30.00' }],
    ['How much for 4 units of 97110 in 60611?', { cpt: '97110', region, units: 4 }],
    ['97110 x 4', { cpt: '97110', units: 4 }],
    [
      'My bill: 99213-25 $1,250.00, 36415 $30, 80053 $18.50. ZIP 60611. Is this bill fair?',
      { cpt: '99213', modifier: '25', region, billed: '1250.00' },
      { cpt: '36415', region, billed: '30.00' },
      { cpt: '80053', region, billed: '18.50' },
    ],
    ['$250 for 99213, $30 for 36415', { cpt: '99213', billed: '250.00' }, { cpt: '36415', billed: '30.00' }],
  ]
  for (const [text, ...lines] of expected) expect([text, inputOf(text)]).toEqual([text, { lines }])
})

test('a text in which something is open is refused, and says what', () => {
  const expected = {
    place: [
      '99213 in Chicago',
      'My doctor charged me $250 for 99213 in Chicago',
      '99213 in Washington',
      '99213 in Paris, France',
      '99213 in July 2026',
    ],
    setting: ['27447 in a clinic', '99213 at the clinic'],
    not_held: [
      'What does my insurance pay for 99213?',
      'Aetna rate for 99213',
      '99213 negotiated rate at 1234567893',
      'What does Medicaid pay for 99213?',
      'ambulance to 30322',
      'tooth extraction',
    ],
    several: [
      '99213 in 60611 in 60612',
      '99213 from 2026-01-01 to 2026-07-01',
      '99213-26 modifier TC',
      '99213 at 1234567893 and 1003000126',
      'cash and gross price of 70450 at 1234567893',
    ],
    words: [
      'price of 99213 in',
      `99213 in ${'x'.repeat(400)}`,
      '99213 on July 4xx, 2026',
      '99213 $3.5k',
      '99213 $1,25',
      '70450 26',
      // A modifier, or a state.
      '70450 TC in 60611',
      '99213 IL',
      '99213 modifier',
      'PRICE OF 70450 TC IN 60611',
      '99213 Illinois',
      '99213 for New York',
      'not 99213',
      '99213 without modifier 25',
      'the history of 99213',
      'What would Medicare have paid for 99213 last year?',
      'July price of 99213',
      '27447 both knees',
      'Price of 99213 in Texas vs Florida',
      '99213 in Texas and Florida',
      'The hospital charged me $250 for 99213',
      "What does St. Mary's Hospital charge for 70450?",
    ],
    no_code: [
      '',
      'price',
      'price of knee',
      'hello',
      'price of 992133',
      'how much is a colonoscopy?',
      '2026-07-15 in 60611',
    ],
    // Without "in", a ZIP code looks like a code.
    several_codes: ['99213 and 99214', '99213 60611', '99213, 60611'],
    bill: [
      '99213 $300 36415',
      '99213 $300 $400',
      '99213 36415 $30 $300',
      '99213 $300, 36415 $30, modifier 25',
      'I paid $300 for 99213',
      'I was charged $300 for 99213 and paid $80',
      'I was billed 99213 in 94102 and paid $100. Is that fair?',
      'I was charged 99213. Medicare paid $60 in 94102',
      'Medicare allowed $80 for 99213',
    ],
  }
  for (const [why, texts] of Object.entries(expected))
    for (const text of texts) expect([text, inputOf(text)]).toEqual([text, why])
  expect(inputOf('99213 in 60611; drop table')).toEqual({ cpt: '99213', region: '60611' })
  expect(inputOf('non-facility fee for 45378')).toEqual({ cpt: '45378', setting: 'non_facility' })
  expect(inputOf('hospital outpatient rate of 99213')).toEqual({ cpt: '99213', setting: 'outpatient' })
  for (const text of ['{"cpt": "99213"', `99213 ${'a '.repeat(2_000)}`])
    expect(() => questionOfText(text)).toThrow(RpcError)
})

test('no text takes long, or makes the reader fail', () => {
  const words = fc.constantFrom(
    'price',
    'of',
    'in',
    'on',
    'at',
    'modifier',
    '99213',
    '-26',
    ' ',
    'the',
    '?',
    'new york',
    '$300',
    'x 4',
    'hospital',
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), (parts) => void inputOf(parts.join(' '))),
    { numRuns: 300 },
  )
  const attempt = (text: string): void => {
    try {
      inputOf(text)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
    }
  }
  const units = ['.', ' ', '7', 'a', '. ', 'a ', 'in ', 'in a, OR ', 'what is the ', '$1 ', 'office ', 'modifier 25, ']
  for (const unit of units)
    for (const most of [2_000, 64_000]) {
      const text = `99213 ${unit.repeat(most)}`.slice(0, most - 1).concat('a')
      attempt(text)
      const spent = effort()
      attempt(text)
      expect([unit, most, spent() < 50]).toEqual([unit, most, true])
    }
})

test('the id of a task is its question, and no other text is one', () => {
  const subject = { question: { skill: 'lookup_reference', input: { cpt: '99213' } }, contextId: 'c', at: 1_000 }
  expect(subjectOf(taskId(subject))).toEqual(subject)
  const text = { question: { text: 'price of 99213 in 60611' }, contextId: 'c', at: 1_000 }
  expect(subjectOf(taskId(text))).toEqual(text)
  for (const id of ['', 'x', '%', 'e30', taskId(subject).slice(1), `${taskId(subject)}=`, 'A'.repeat(5000)])
    expect([id, subjectOf(id)]).toEqual([id, undefined])
  fc.assert(
    fc.property(fc.json(), (text) => void subjectOf(Buffer.from(text).toString('base64url'))),
    { numRuns: 200 },
  )
})

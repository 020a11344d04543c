import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { SETTINGS } from '../price/row.ts'
import { isNeutral } from './modifiers.ts'
import { codeOf, hasOnlyTexts, parseQuestion, type Question, type QuestionFault } from './question.ts'
import { isDivided, localitiesOf, parseRegion } from './region.ts'

const DAY = '2026-07-15'
const NPI = '1234567893'
const parsed = (question: Partial<Question>) => parseQuestion({ cpt: '99213', as_of: DAY, ...question })

test('what is left out or empty has its default', () => {
  const bare = {
    cpt: '99213',
    day: DAY,
    region: { level: 'national', region: 'national' },
    npi: null,
    modifiers: [],
    setting: undefined,
    basis: undefined,
    payer: undefined,
    side: undefined,
    bill: {},
  } as const
  expect(parsed({})).toEqual({ ...bare, modifiers: [] })
  expect(parsed({ region: '', npi: '', modifier: '', setting: '', basis: '' })).toEqual({ ...bare, modifiers: [] })
})

test('a code may be written small and with spaces around it, and in no other way', () => {
  for (const cpt of ['j0585', ' J0585', 'J0585  ', ' j0585 ']) expect(parsed({ cpt })).toMatchObject({ cpt: 'J0585' })
  for (const cpt of [
    '',
    'J0585\n',
    '\tJ0585',
    '\u00a0J0585',
    'J 0585',
    '9921',
    '992133',
    'JJ585',
    '\u017f0585',
    '0001\u0131',
  ])
    expect([cpt, parsed({ cpt })]).toEqual([cpt, 'cpt'])
})

test('modifiers are sorted, each once, and at most four', () => {
  expect(parsed({ modifier: 'tc-26-Rt-26' })).toMatchObject({ modifiers: ['26', 'RT', 'TC'] })
  for (const modifier of ['2', '26,TC', '26-', '26-TC-RT-LT-50', '26 ', '\u0131\u0131', '26--TC'])
    expect([modifier, parsed({ modifier })]).toEqual([modifier, 'modifier'])
})

test.each<[Partial<Question>, QuestionFault]>([
  [{ as_of: '' }, 'as_of'],
  [{ as_of: '2026-02-30' }, 'as_of'],
  [{ as_of: '2026-7-1' }, 'as_of'],
  [{ as_of: '2026-07-01T00:00:00Z' }, 'as_of'],
  [{ region: 'ZZ' }, 'region'],
  [{ region: 'US-IL-1' }, 'region'],
  [{ region: ' IL' }, 'region'],
  [{ npi: '1234567890' }, 'npi'],
  [{ npi: '123' }, 'npi'],
  [{ setting: 'Facility' }, 'setting'],
  [{ setting: 'super_rural' }, 'setting'],
  [{ basis: 'hospital_cash' }, 'basis'],
  [{ basis: 'medicare_pfs', npi: NPI }, 'basis'],
  [{ basis: 'medicare' }, 'basis'],
  [{ basis: 'constructor' }, 'basis'],
])('%j has no meaning', (question, fault) => {
  expect(parsed(question)).toBe(fault)
})

test('every setting has a meaning at a hospital, or with a basis', () => {
  for (const setting of SETTINGS) {
    expect(parsed({ setting, npi: NPI })).toMatchObject({ setting, npi: NPI })
    expect(parsed({ setting, basis: 'medicare_opps' })).toMatchObject({ setting, basis: 'medicare_opps' })
  }
})

test.each([
  ['national', { level: 'national', region: 'national' }],
  ['NATIONAL', { level: 'national', region: 'national' }],
  ['IL', { level: 'state', state: 'IL' }],
  ['us-il', { level: 'state', state: 'IL' }],
  ['US-IL-16', { level: 'locality', region: 'US-IL-16', state: 'IL' }],
  ['us-pr-20', { level: 'locality', region: 'US-PR-20', state: 'PR' }],
  ['60611', { level: 'zip', zip: '60611', plusFour: null }],
  ['zip-60611', { level: 'zip', zip: '60611', plusFour: null }],
  ['60611-1234', { level: 'zip', zip: '60611', plusFour: '1234' }],
  ['ZIP-60611-1234', { level: 'zip', zip: '60611', plusFour: '1234' }],
] as const)('the region %s is understood', (text, region) => {
  expect(parseRegion(text)).toEqual(region)
})

test('no other text is a region', () => {
  for (const text of [
    '',
    'US',
    'XX',
    'US-XX',
    'US-XX-01',
    'IL-16',
    '6061',
    '606111',
    '60611-123',
    '60611 ',
    'US-IL-16-1',
    'nation',
    '\u0131l',
    'ZIP60611',
  ])
    expect([text, parseRegion(text)]).toEqual([text, undefined])
  fc.assert(fc.property(fc.string(), (text) => parseRegion(`${text}!`) === undefined))
})

test('a code with very many spaces in it takes no longer than its length', () => {
  // With a pattern for both ends this would take the square of it: minutes.
  const text = `9${' '.repeat(400_000)}9`
  expect(codeOf(text)).toBe('9 9')
  expect(codeOf(`${' '.repeat(400_000)}99213 `)).toBe('99213')
})

test('a question has texts of the names that are known, and nothing else', () => {
  const names = ['cpt', 'region']
  for (const good of [{}, { cpt: '99213' }, { cpt: '99213', region: undefined }])
    expect([good, hasOnlyTexts(good, names)]).toEqual([good, true])
  for (const bad of [null, undefined, 'cpt', { cpt: 99213 }, { cpt: '99213', zip: '60611' }, { region: null }])
    expect([bad, hasOnlyTexts(bad, names)]).toEqual([bad, false])
  expect([codeOf('   '), codeOf(' a1 '), codeOf('\ta1')]).toEqual(['', 'A1', '\tA1'])
})

const SYMBOLS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const PAIRS = SYMBOLS.flatMap((a) => SYMBOLS.map((b) => a + b))
const listed = (text: string): string[] => text.split(' ').sort()

test('the modifiers of everyday claims that change no payment are among these, and no longer text is one', () => {
  const neutral = listed(
    '24 25 27 57 58 59 76 77 79 91 XE XS XP XU RT LT LC LD LM RC RI E1 E2 E3 E4 FA F1 F2 F3 F4 F5 F6 F7 F8 F9 ' +
      'TA T1 T2 T3 T4 T5 T6 T7 T8 T9 GN GO GP GT 93 95 KX 33 PT AI GC Q5 Q6 JW JZ AA QZ GA CR AT Q7 Q8 Q9 GQ G0 FQ GV GW Q0 Q1 QS ' +
      'TB JG 90 SG KH KI FS 96 97 74 ER MA MB MC MD ME MF MG MH P1 P2 P3 P4 P5 P6',
  )
  expect(neutral.filter((each) => !isNeutral(each))).toEqual([])
  for (const modifier of neutral)
    for (const text of [`${modifier}0`, `0${modifier}`, modifier.slice(1), modifier.toLowerCase().replace(/\d/g, 'x')])
      expect([text, isNeutral(text)]).toEqual([text, false])
})

test('the states and areas are these, and those with several localities, and those that lie in Hawaii', () => {
  const areas = listed(
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR ' +
      'PA RI SC SD TN TX UT VT VA WA WV WI WY PR VI GU AS MP',
  )
  expect(PAIRS.filter((pair) => parseRegion(pair))).toEqual(areas)
  expect(PAIRS.filter((pair) => parseRegion(`us-${pair.toLowerCase()}-01`))).toEqual(areas)
  expect(areas.filter(isDivided)).toEqual(listed('CA FL GA IL LA MA MD ME MI MO NJ NY OR PA TX WA'))
  expect(areas.filter((area) => localitiesOf(area) !== area)).toEqual(listed('GU AS MP'))
  expect(localitiesOf('GU')).toBe('HI')
})

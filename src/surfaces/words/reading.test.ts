import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { isBilled } from '../../proof/lookup/bill.ts'
import { parseRegion } from '../../proof/lookup/region.ts'
import { readInput, readingNote } from './input.ts'
import { readRegions } from './places.ts'
import { readAmount, readCode, readDay } from './values.ts'

test('a code is read as people write it', () => {
  const written: [string, string | undefined, string?][] = [
    ['99213', '99213', ''],
    [' j0585 ', 'J0585', ''],
    ['CPT 99213', '99213', ''],
    ['CPT99213', '99213', ''],
    ['99213, 25', '99213', '25'],
    ['27447RT', '27447', 'RT'],
    ['9921325', undefined],
    ['hcpcs: j0585', 'J0585', ''],
    ['71046-26', '71046', '26'],
    ['71046 tc', '71046', 'TC'],
    ['MS-DRG 470', 'DRG-470'],
    ['drg-470', 'DRG-470'],
    ['APR-DRG 302-3', 'APR-302.3'],
    ['rev code 450', 'RC-0450'],
    ['Revenue code: 0450', 'RC-0450'],
    ['apc 5012', 'APC-5012'],
    ['NDC 0781-1943-39', 'NDC-00781194339'],
    ['DRG 47', undefined],
    ['NDC 5766501014', undefined],
    ['71046-26-59', '71046', '26-59'],
    ['71046 26, 59', '71046', '26-59'],
    ['992', undefined],
    ['99213-', undefined],
    ['99213-99215', undefined],
    ['99213-26-59-LT-RT-XU', undefined],
    ['<b>99', undefined],
  ]
  for (const [text, cpt, modifier] of written)
    expect([text, readCode(text)]).toEqual([text, cpt === undefined ? undefined : { cpt, modifier: modifier ?? '' }])
})

test('a place is read as people write it, and one that can mean several is a choice', () => {
  const written: [string, ...string[]][] = [
    ['60611', '60611'],
    ['60611-1234', '60611-1234'],
    ['ZIP 60611', '60611'],
    ['il', 'IL'],
    ['us-il-16', 'US-IL-16'],
    ['Illinois', 'US-IL'],
    ['new  york', 'US-NY'],
    ['N.Y.', 'NY'],
    ['district of columbia', 'US-DC'],
    ['Chicago, IL', 'US-IL-16'],
    ['chicago il', 'US-IL-16'],
    ['Springfield, Illinois', 'US-IL-99'],
    ['Chicago, IL 60611', '60611'],
    ['1 Main St., Chicago, IL 60611, USA', '60611'],
    ['Washington, D.C.', 'DC'],
    ['washington dc', 'DC'],
    ['USA', 'national'],
    ['National', 'national'],
    ['Washington', 'US-WA', 'US-DC'],
    ['Carolina', 'US-NC', 'US-SC'],
    ['El Paso, TX 88510', '88510'],
    ['Washington 20001', '20001'],
    ['1 Oak Ct 60611', '60611'],
    ['606111234', '60611-1234'],
    ['Kansas City, Kansas 66101', '66101'],
    ['Fishers Island, NY 06390', '06390'],
    // A state that has no such ZIP code: one of the two is wrong.
    ['Austin, TX 59001'],
    ['Miami, Florida 59001'],
    ['TX 59001'],
    ['Kansas City, MO 66101'],
    ['Miami, GA 33101'],
    // A city alone; a town of New Jersey; two ZIP codes; another country; a state that does not exist.
    ['Chicago'],
    ['West New York'],
    ['60611 60612'],
    ['Paris, France'],
    ['US-ZZ'],
    [''],
    [`${'x '.repeat(100)}, IL`],
  ]
  for (const [text, ...regions] of written) expect([text, ...readRegions(text)]).toEqual([text, ...regions])
})

test('a day and an amount are read as people write them, and nothing is guessed', () => {
  for (const text of [
    '11/16/2026',
    '11-16-26',
    'Nov 16, 2026',
    'November 16 2026',
    '16-Nov-26',
    '16 november 2026',
    'Nov 16th, 2026',
    'November 16th 2026',
    '16th of November 2026',
    '16th of November, 2026',
    '2026-11-16T00:00:00Z',
    '2026-11-16 00:00',
    '2026-11-16',
  ])
    expect([text, readDay(text)]).toEqual([text, '2026-11-16'])
  expect([readDay('Today', '2026-11-16'), readDay('today')]).toEqual(['2026-11-16', 'today'])
  for (const text of ['16.11.2026', 'Nov 16xx, 2026', 'of Nov 2026']) expect(readDay(text)).toBe(text)
  for (const text of ['Foo 1, 2026', 'anf 1, 2026', '16/11/2026']) expect(Date.parse(readDay(text))).toBeNaN()
  const amounts: [string, string | undefined][] = [
    ['$1,234.50', '1234.50'],
    ['1234.5', '1234.50'],
    ['USD 300', '300.00'],
    ['300 usd', '300.00'],
    ['12,345,678.90', '12345678.90'],
    ['1,234', '1234.00'],
    ['1.234,50', undefined],
    ['1234,50', undefined],
    ['12,34', undefined],
    ['1.234', undefined],
    ['-20.00', undefined],
    ['(20.00)', undefined],
    ['1e9', undefined],
    ['$', undefined],
  ]
  for (const [text, amount] of amounts) expect([text, readAmount(text)]).toEqual([text, amount])
})

test('whatever is written, what comes of it has a closed form', () => {
  const words = fc.array(
    fc.constantFrom('Chicago', 'IL', ',', ' ', '60611', '.', '<b>', 'New', 'York', '-', '1234', 'USA'),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        words.map((parts) => parts.join('')),
      ),
      (text) => {
        for (const region of readRegions(text)) expect(parseRegion(region)).toBeDefined()
        const amount = readAmount(text)
        expect(amount === undefined || isBilled(amount)).toBe(true)
        expect(readCode(text)?.cpt ?? 'AAAAA').toMatch(/^([0-9A-Z]{5}|(DRG|APR|RC|APC|NDC)-[0-9.]+)$/)
      },
    ),
  )
})

test('whatever is sent for a parameter, what is told of the reading has a closed form, and is read the same again', () => {
  const names = fc.constantFrom(
    'cpt',
    'modifier',
    'region',
    'npi',
    'as_of',
    'setting',
    'basis',
    'units',
    'billed',
    '__proto__',
  )
  const pieces = fc.constantFrom(
    '99213',
    '-25',
    ' ',
    '26',
    ',',
    'IL',
    'Chicago',
    '60611',
    '$',
    '300',
    '.5',
    '7/1/2026',
    'today',
    '<b>',
  )
  const texts = fc.array(pieces, { maxLength: 5 }).map((parts) => parts.join(''))
  const values = fc.oneof(
    fc.string(),
    texts,
    fc.array(texts),
    fc.integer(),
    fc.double(),
    fc.constant(null),
    fc.object(),
    fc.constant({ toString: 'x' }),
    fc.constant([{ toString: 'x' }]),
  )
  const sentMembers = fc.dictionary(names, values)
  const change = '[a-z_]+=[A-Za-z0-9_.-]+(, [a-z_]+=[A-Za-z0-9_.-]+)*'
  fc.assert(
    fc.property(sentMembers, (sent) => {
      const read = readInput(sent, ['cpt', 'modifier'], '2026-07-15')
      expect(readingNote(sent, read) ?? '').toMatch(new RegExp(`^(Read as ${change}\\.)?$`))
      expect(readInput(read, ['cpt', 'modifier'], '2026-07-15')).toEqual(read)
    }),
    { numRuns: 2_000 },
  )
  fc.assert(
    fc.property(sentMembers, fc.array(fc.oneof(sentMembers, values), { maxLength: 3 }), (shared, lines) => {
      const sent = { ...shared, lines }
      const said = readingNote(sent, readInput(sent, ['lines'], '2026-07-15')) ?? ''
      expect(said).toMatch(new RegExp(`^(Read (as )?((line [0-9] as )?${change}(; |\\.))+)?$`))
    }),
    { numRuns: 2_000 },
  )
})

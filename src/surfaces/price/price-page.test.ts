import { expect, test } from 'bun:test'
import { PROBLEMS } from '../../problem.ts'
import { nameOf } from '../../proof/price/timeline.ts'
import { aFee } from '../../proof/registry-fixture.ts'
import { rendered, served } from '../discovery/fixture.ts'
import type { Ask, Reply } from '../site/ask.ts'
import { frameOf } from '../site/frame.ts'
import { arithmeticOf } from './arithmetic.ts'
import { pricePages } from './price-page.ts'
import { alternativesTo, questionIn, readFields } from './price-question.ts'
import { scopeText } from './price-words.ts'

const QUOTE = `"'><script>alert(1)</script><!-- \n\n# no [x](javascript:y)`

const release = (text: string) => ({
  release_id: text,
  chart: 'cms-pfs',
  publisher: text,
  effective_from: '2026-10-01',
  effective_to: '2026-12-31',
  data_class: 'published',
  citations: [{ file: text, sha256: text, url: text, title: text }],
})

/** Answers of the operations, with a text of somebody else's in every place where there can be one. */
function answers(text: string): Record<string, unknown> {
  const row = aFee({ code: '99213', amount: '12.34', locator: [{ citation: 0, line: 7 }] })
  const manifest = release(text)
  const period = { chart: 'cms-pfs', from: '2026-10-01', to: '2026-12-31', release: nameOf(manifest as never) }
  const proof = { releases: [{ release: manifest }], timeline: { leaves: [[0, period]] } }
  const short = { ...row, effective_to: '2026-12-31', proof: { release_id: text, href: text } }
  return {
    lookup_reference: {
      ...row,
      region: text,
      row: { release: 0, index: 5 },
      proof,
      flags: [text],
      modifiers_ignored: [text],
    },
    get_reference_sheet: { data: [{ ...short, region: text, modifier: text }], not_held: [text] },
    get_reference_history: {
      data: ['2026-01-01', '2026-10-01'].map((effective_from) => ({
        release_id: text,
        edition: text,
        effective_from,
        effective_to: '2026-12-31',
        answer: { row: short },
      })),
    },
    get_coverage: { data: [{ about: { code: { regions: { list: ['US-AK-01', 'US-AL-00'] } } } }] },
    lookup_references: {
      results: ['1.00', '2.00'].map((amount) => ({ row: { ...short, region: text, price: { amount } } })),
    },
  }
}

const partsOf = (ask: Ask) => ({
  frame: frameOf(),
  ask,
  baseUrl: () => 'https://trust.example',
  today: () => '2026-11-15',
  stamp: () => undefined,
  hospitals: async () => [],
})

const pagesSaying = (text: string) => {
  const ask: Ask = async (name): Promise<Reply> => {
    const body = answers(text)[name]
    return { status: 200, body, text: JSON.stringify(body) }
  }
  return pricePages(partsOf(ask))
}

const tags = (page: string): string[] => page.match(/<\/?[a-z][a-z0-9]*/gi) ?? []

test('a hostile text in any stored value becomes words on the page, and nothing else', async () => {
  const [plain, hostile] = await Promise.all(
    ['harmless', QUOTE].map(async (text) => rendered(pagesSaying(text)[0] as never, 'text/html', '99213')),
  )
  expect(tags(hostile ?? '')).toEqual(tags(plain ?? ''))
  expect(hostile).not.toContain('<!--')
  const links = hostile?.match(/(?<=href=")[^"]*/g) ?? []
  expect(links.filter((link) => !/^(\/|#|https:\/\/trust\.example\/)/.test(link))).toEqual([])
  const answer = /id="answer">(.*?)<\/script>/s.exec(hostile ?? '')?.[1] ?? ''
  expect(JSON.parse(answer)).toEqual(JSON.parse(JSON.stringify(answers(QUOTE)['lookup_reference'])))

  const markdown = await rendered(pagesSaying(QUOTE)[0] as never, 'text/markdown', '99213')
  expect(markdown).not.toMatch(/^# no/m)
  expect(markdown.replaceAll(/`[^`\n]*`/g, '')).not.toMatch(/(?<!\\)<script|(?<!\\)\[x/)
})

test('the form leads to the page of the question, and a question without meaning stays where it is', async () => {
  const get = served(...pagesSaying('harmless'))
  const found = await get('/price?cpt=71046+26&region=60611&as_of=&npi=&utm_source=mail')
  expect(found.status).toBe(303)
  expect(found.headers.get('location')).toBe('/price/71046?region=60611&modifier=26')
  expect((await get('/price?cpt=99213&as_of=2026-03-01')).headers.get('location')).toBe(
    '/price/99213?region=national&as_of=2026-03-01',
  )
  for (const query of ['cpt=hello', 'cpt=99213&region=Narnia', 'cpt=99213&npi=1', 'cpt=', ''])
    expect([query, (await get(`/price?${query}`)).headers.get('location')]).toEqual([query, null])
  expect((await get('/price?cpt=99213&cpt=99214')).status).toBe(400)
})

const HOSPITALS = [
  { npi: '1234567893', name: 'Example General' },
  { npi: '1003000126', name: 'Example Childrens' },
]
const BILL = { payer: '', kind: '', revenue_code: '', place_of_service: '' }
const NOTHING = { cpt: '99213', region: '', as_of: '', modifier: '', npi: '', setting: '', basis: '', ...BILL }

test('a question is read as people write it, and what can mean several is not chosen for them', () => {
  const asked = (values: Partial<typeof NOTHING>) =>
    questionIn(readFields({ ...NOTHING, ...values }, HOSPITALS), '2026-11-15')
  const plain = { cpt: '99213', region: 'national', as_of: '2026-11-15' }
  expect(asked({ region: ' il ' })).toEqual({ ...plain, region: 'IL' })
  expect(asked({ region: 'Chicago, IL 60611', as_of: '3/1/2026' })).toEqual({
    ...plain,
    region: '60611',
    as_of: '2026-03-01',
  })
  expect(asked({ as_of: 'today' })).toEqual(plain)
  expect(asked({ cpt: '71046-26', modifier: '59' })).toEqual({ ...plain, cpt: '71046', modifier: '26-59' })
  expect(asked({ setting: 'Office' })).toEqual({ ...plain, setting: 'non_facility' })
  expect(asked({ setting: 'hospital' })).toBeUndefined()
  expect(asked({ npi: 'example general' })).toEqual({ ...plain, npi: '1234567893' })
  for (const values of [{ region: 'Washington' }, { region: 'Chicago' }, { npi: 'example' }, { as_of: '2026-02-30' }])
    expect([values, asked(values)]).toEqual([values, undefined])

  const alternatives = (values: Partial<typeof NOTHING>) =>
    alternativesTo({ ...NOTHING, ...values }, HOSPITALS, '2026-11-15')
  expect(alternatives({ region: 'Washington' }).map(({ label, question }) => [label, question.region])).toEqual([
    ['Washington (US-WA)', 'US-WA'],
    ['District of Columbia (US-DC)', 'US-DC'],
  ])
  expect(alternatives({ npi: 'example' }).map(({ question }) => question.npi)).toEqual(['1234567893', '1003000126'])
  // A choice that would lead nowhere is not offered.
  expect(alternatives({ region: 'Washington', npi: 'example' })).toEqual([])
  expect(alternatives({ region: 'Chicago' })).toEqual([])
})

test('the arithmetic that is spelled out leads to the amount, to the last digit', () => {
  const inputs = {
    work_rvu: '1.30',
    practice_rvu: '1.46',
    malpractice_rvu: '0.09',
    work_gpci: '1.083',
    practice_gpci: '1.331',
    malpractice_gpci: '0.467',
    conversion_factor: '33.4009',
  }
  const row = {
    ...aFee({ code: '99213', amount: '113.34' }),
    derivation: { method: 'pfs-formula/1', inputs },
    flags: [],
  }
  const { formula, cap } = arithmeticOf(row as never)
  expect(formula?.parts.map(({ product }) => product)).toEqual(['1.40790', '1.94326', '0.04203'])
  expect([formula?.sum, formula?.exact, cap]).toEqual(['3.39319', '113.335599871', undefined])

  const capped = { ...inputs, opps_practice_rvu: '0.50', opps_malpractice_rvu: '0.02' }
  const withCap = arithmeticOf({
    ...row,
    derivation: { method: 'pfs-formula/1', inputs: capped },
    flags: ['opps_cap'],
  } as never)
  expect(withCap.cap?.parts.map(({ rvu }) => rvu)).toEqual(['1.30', '0.50', '0.02'])
  expect(withCap.sentences.at(-1)).toContain('which is lower and counts')
  const stated = { method: 'verbatim/1', inputs: { rate: '6.497' } }
  expect(arithmeticOf({ ...row, derivation: stated } as never).sentences).toEqual([
    'The file states 6.497. Nothing was computed.',
  ])
})

test('the title of the sheet says what its rows are about', () => {
  const [country, area] = ['national', 'US-IL-16'].map((region) => ({ region, npi: null }))
  const hospital = { region: 'national', npi: '1234567893' }
  expect(scopeText([country as never])).toBe('for the whole country')
  expect(scopeText([area as never, country as never])).toBe('at this place and for the whole country')
  expect(scopeText([hospital, area as never])).toBe('at this hospital and at this place')
})

test('a list that states no price says why in the words of the problem, on the page and in markdown', async () => {
  const answer = answers('harmless')['get_reference_sheet'] as { data: object[] }
  const row = { ...answer.data[0], kind: 'absence', price: undefined, reason: 'paid_elsewhere' }
  const { price: _, ...absence } = row
  const ask: Ask = async (name): Promise<Reply> => {
    const body = name === 'get_reference_sheet' ? { data: [absence] } : answers('harmless')[name]
    return { status: 200, body, text: JSON.stringify(body) }
  }
  for (const type of ['text/html', 'text/markdown']) {
    const text = await rendered(pricePages(partsOf(ask))[0] as never, type, '99213')
    expect(text).toContain(PROBLEMS.absent_paid_elsewhere.title)
    expect(text).not.toContain('paid_elsewhere')
  }
})

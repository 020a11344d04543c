// What a patient, a biller and an auditor type into the pages: each gets the right answer, or a sentence that says what to type.

import { expect, test } from 'bun:test'
import { hospitalNames } from '../../src/surfaces/words/hospitals.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'

const NPI = '1234567893'

/** The page that a form leads to, as text. */
async function answerTo({ app }: TestApp, fields: Record<string, string>): Promise<string> {
  const get = async (path: string): Promise<Response> =>
    app.fetch(new Request(`${BASE_URL}${path}`, { headers: { accept: 'text/markdown' } }), '192.0.2.1')
  const found = await get(`/price?${new URLSearchParams(fields)}`)
  return (await (found.status === 303 ? await get(found.headers.get('location') ?? '') : found).text()).slice(0, 600)
}

const QUESTIONS: [string, Record<string, string>, string][] = [
  ['a code', { cpt: '99213' }, '**$95.19**'],
  ['in lower case', { cpt: 'j1885' }, 'This list does not cover the item'],
  ['with a word before it', { cpt: 'CPT 99213' }, '**$95.19**'],
  ['with a modifier', { cpt: '71046-tc' }, '**$24.05**'],
  ['with two', { cpt: '71046 26 59' }, 'Modifier 59 does not change the amount'],
  ['one that changes nothing', { cpt: '99213-25' }, 'Modifier 25 does not change the amount'],
  ['one that is not priced', { cpt: '99213-22' }, 'Ask the provider what the modifier stands for'],
  ['one that is not allowed', { cpt: '27447-62' }, 'Look it up without the modifier'],
  ['what to look up in its place', { cpt: '71046-62' }, 'on this day: [Medicare, doctor, without modifier]'],
  ['equipment without its modifier', { cpt: 'E0001', region: 'AL' }, 'with the modifier that stands on the bill'],
  ['an assistant', { cpt: '27447-80' }, 'only if documents show'],
  ['a ZIP code', { cpt: '99213', region: '94102' }, '**$113.34**'],
  ['an address', { cpt: '99213', region: '1 Main St, San Francisco, CA 94102' }, '**$113.34**'],
  ['a state by name', { cpt: '99213', region: 'alabama' }, '**$88.10**'],
  ['a state by letters', { cpt: '99213', region: 'al' }, '**$88.10**'],
  ['a town and its state', { cpt: '99213', region: 'Mobile, Alabama' }, '**$88.10**'],
  ['a divided state', { cpt: '99213', region: 'California' }, 'Type the ZIP code of the place'],
  ['two places of one name', { cpt: '99213', region: 'Washington' }, 'District of Columbia (US-DC)'],
  ['a city alone', { cpt: '99213', region: 'Chicago' }, 'A city alone is not enough'],
  ['a ZIP code that there is not', { cpt: '99213', region: '00000' }, 'Try the state instead'],
  ['the whole country', { cpt: '99213', region: 'USA' }, '**$95.19**'],
  ['a day with slashes', { cpt: '99213', as_of: '3/1/2026' }, '**$94.19**'],
  ['a day in words', { cpt: '99213', as_of: 'March 1, 2026' }, '**$94.19**'],
  ['a day before all editions', { cpt: '99213', as_of: '2020-01-01' }, 'is not loaded for that day'],
  ['a day that there is not', { cpt: '99213', as_of: '2026-02-30' }, 'There is no such day. Write it as 2026-11-16'],
  ['a word for a day', { cpt: '99213', as_of: 'tomorrow' }, 'There is no such day'],
  ['a hospital by number', { cpt: '99213', npi: `NPI ${NPI}` }, '**$145.20**'],
  ['a hospital by name', { cpt: '99213', npi: 'example general' }, '**$145.20**'],
  ['a hospital without a file', { cpt: '99213', npi: '1003000126' }, 'look for the file on the website'],
  ['a number that is no NPI', { cpt: '99213', npi: '1234567890' }, 'the last checks the others'],
  ['a hospital by another name', { cpt: '99213', npi: 'Mercy' }, 'a name that the operator of this site has given'],
  ['a range', { cpt: '99213-99215' }, 'One code at a time: a range has no price'],
  ['a short code', { cpt: '213' }, 'A code has five characters'],
  ['nothing', { cpt: '' }, 'Write a code of five characters'],
  ['anesthesia', { cpt: '00100' }, 'how long the anesthesia took'],
  ['a code on no list', { cpt: '99999' }, 'That is not a price of zero'],
]

test('what people type into the lookup box gets the right answer, or what to type instead', async () => {
  await using app = await testApp({ sample: true, hospitalNames: hospitalNames(`${NPI} Example General`) })
  for (const [what, fields, said] of QUESTIONS) {
    const answer = await answerTo(app, fields)
    expect([what, answer.includes(said) ? said : answer]).toEqual([what, said])
    expect([what, /parameter|member/.test(answer.split('\n- Reason')[0] ?? '')]).toEqual([what, false])
  }
})

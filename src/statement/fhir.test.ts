import { expect, test } from 'bun:test'
import type { Paper, Statement } from './bill.ts'
import { anEob, anItem } from './fixture.ts'
import type { Reason } from './reasons.ts'
import { readStatement } from './statement.ts'

const read = async (...resources: unknown[]): Promise<Statement & { ok: true }> => {
  const statement = await readStatement(resources.map((each) => JSON.stringify(each)).join('\n'))
  if (!statement.ok) throw new Error(statement.why)
  return statement
}
const paperOf = async (resource: unknown): Promise<Paper> => {
  const [paper] = (await read(resource)).papers
  if (!paper) throw new Error('there is no paper')
  return paper
}
const BLUE_BUTTON = 'https://bluebutton.cms.gov/resources/codesystem/adjudication'
const money = (codes: readonly (readonly [system: string, code: string])[], value: number) => ({
  category: { coding: codes.map(([system, code]) => ({ system, code })) },
  amount: { value },
})
const standard = 'http://terminology.hl7.org/CodeSystem/adjudication'
const inCategory = (code: string, value: number) => money([[standard, code]], value)

test("a statement of benefits becomes the lines of its claim, with the insurer's amounts", async () => {
  expect(await paperOf(anEob())).toEqual({
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
          patient: '19.04',
        },
      ],
      totals: { billed: '300.00' },
    },
    at: [1],
    remarks: [{ note: 'sums' }],
  })
})

test('a bundle, bundles in it, and one resource to a line are read alike; a claim that stands twice counts once', async () => {
  const other = anEob({ item: [anItem({ servicedDate: '2026-05-15' })] })
  const bundle = {
    resourceType: 'Bundle',
    entry: [{ resource: anEob() }, { resource: { resourceType: 'Bundle', entry: [{ resource: other }] } }],
  }
  expect((await read(bundle)).papers).toEqual((await read(anEob(), other)).papers)
  const { papers, unread } = await read(anEob(), anEob({ id: 'another' }))
  expect([papers.length, unread]).toEqual([1, [{ paper: 2, why: 'same_again' }]])
})

test('what is cancelled, a draft, unfinished, replaced, a summary or asked for before is no bill', async () => {
  const type = (code: string) => ({ type: { coding: [{ code }] } })
  const cases: [Record<string, unknown>, string][] = [
    [{ status: 'cancelled' }, 'not_active'],
    [{ status: 'entered-in-error' }, 'not_active'],
    [{ status: 'draft' }, 'not_active'],
    [{ outcome: 'queued' }, 'not_finished'],
    [{ outcome: 'error' }, 'not_finished'],
    [{ use: 'preauthorization' }, 'preauthorization'],
    [{ related: [{ relationship: { coding: [{ code: 'replacedby' }] } }] }, 'replaced'],
    [type('estimate-summary'), 'summary'],
  ]
  for (const [changes, why] of cases) {
    const { papers, unread } = await read(anEob(changes))
    expect([why, papers, unread]).toEqual([why, [], [{ paper: 1, why: why as Reason }]])
  }
})

test('Blue Button of both versions: STU3 names, a payment tagged as submitted, five modifiers in one element', async () => {
  const { productOrService: service, ...item } = anItem({
    adjudication: [money([[BLUE_BUTTON, 'https://bluebutton.cms.gov/resources/variables/line_sbmtd_chrg_amt']], 250)],
  })
  const old = await paperOf(anEob({ use: undefined, outcome: undefined, item: [{ ...item, service }] }))
  expect(old.request.lines).toMatchObject([{ code: '99213', billed: '250.00' }])

  const variable = (name: string, value: number) =>
    money(
      [
        [standard, 'submitted'],
        [BLUE_BUTTON, `https://bluebutton.cms.gov/resources/variables/${name}`],
      ],
      value,
    )
  const modifier = [{ coding: ['A2', 'A2', 'A5', '25', '59'].map((code) => ({ system: 'urn:hcpcs', code })) }]
  const adjudication = [
    variable('rev_cntr_rate_amt', 10),
    variable('rev_cntr_tot_chrg_amt', 60),
    variable('rev_cntr_pmt_amt_amt', 1),
  ]
  const paper = await paperOf(anEob({ item: [anItem({ adjudication, modifier })] }))
  expect(paper.request.lines).toMatchObject([{ billed: '60.00', modifiers: ['A2', 'A5', '25', '59'] }])
})

test('two different values for one amount are none, and the paper says so', async () => {
  const adjudication = [inCategory('submitted', 300), inCategory('submitted', 310)]
  const paper = await paperOf(anEob({ item: [anItem({ adjudication })] }))
  expect(paper.request.lines[0]).not.toHaveProperty('billed')
  expect(paper.remarks).toContainEqual({ note: 'two_values', at: [1] })
  const both = await paperOf(anEob({ item: [anItem({ net: { value: 299 } })] }))
  expect(both.request.lines[0]).not.toHaveProperty('billed')
})

test('a total row, a payment group, a code of another form and a day that is none are reported by their number', async () => {
  const revenue = (code: string) => ({ revenue: { coding: [{ code }] } })
  const service = (...codes: string[]) => ({
    productOrService: { coding: codes.map((code) => ({ system: 'urn:x', code })) },
  })
  const { unread, papers } = await read(
    anEob({
      item: [
        anItem(revenue('0001')),
        anItem(revenue('0023')),
        anItem(service('345')),
        anItem(service('99213', '99214')),
        anItem({ servicedDate: '2026-02-30' }),
        anItem({
          productOrService: {
            coding: [{ system: 'http://terminology.hl7.org/CodeSystem/data-absent-reason', code: 'not-applicable' }],
          },
          modifier: [],
        }),
        anItem(revenue('450')),
      ],
    }),
  )
  expect(unread.map(({ at, why }) => [at, why])).toEqual([
    [1, 'total_row'],
    [2, 'hipps'],
    [3, 'code_form'],
    [4, 'two_codes'],
    [5, 'day_form'],
    [6, 'no_code'],
  ])
  expect(papers[0]?.request.lines).toMatchObject([{ code: '99213', revenue_code: '0450' }])
})

test('a credit takes back its line, and a credit without a line is left out', async () => {
  const taken = anItem({
    adjudication: [
      inCategory('submitted', -300),
      inCategory('eligible', -95.19),
      inCategory('memberliability', -19.04),
    ],
  })
  const { papers, unread } = await read(
    anEob({ item: [anItem(), taken, anItem(), anItem({ adjudication: [inCategory('submitted', -5)] })] }),
  )
  expect(papers[0]?.at).toEqual([3])
  expect(unread.map(({ at, why }) => [at, why])).toEqual([
    [1, 'credited'],
    [2, 'credited'],
    [4, 'lone_credit'],
  ])
})

test('a good-faith estimate keeps its total apart from what is billed', async () => {
  const estimate = { ...anEob({ use: 'predetermination', total: { value: 300 } }), resourceType: 'Claim' }
  expect(await paperOf(estimate)).toMatchObject({ is: 'estimate', request: { totals: { estimate: '300.00' } } })
})

test('the number of a hospital is taken from its system, by reference too, and only with a right check digit', async () => {
  const institutional = { type: { coding: [{ code: 'institutional' }] } }
  const npi = (value: string) => ({
    provider: { reference: '#org' },
    contained: [
      {
        resourceType: 'Organization',
        id: 'org',
        name: 'Canary',
        identifier: [{ type: { coding: [{ code: 'NPI' }] }, value }],
      },
    ],
  })
  expect((await paperOf(anEob({ ...institutional, ...npi('1234567893') }))).request.npi).toBe('1234567893')
  expect((await paperOf(anEob({ ...institutional, ...npi('1234567890') }))).request).not.toHaveProperty('npi')
})

test('an amount is the decimal that the file has, never a binary fraction', async () => {
  const text = JSON.stringify(anEob()).replace('"value":300', '"value":84.405')
  const statement = await readStatement(text)
  expect(statement.ok && statement.papers[0]?.request.lines[0]?.billed).toBe('84.41')
})

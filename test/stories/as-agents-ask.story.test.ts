// Questions as programs and language models send them at the first try, and what a refusal tells them for the second.

import { expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { PlaceRow } from '../../src/proof/price/row.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { mustBeProved, questionOf } from '../support/lookup.ts'
import { connect, type ToolResult } from '../support/mcp.ts'

async function withPrices(): Promise<TestApp> {
  const app = await testApp()
  const regions = ['national', 'US-IL-12', 'US-IL-16', 'US-AK-01']
  const visits = regions.map((region) => aPrice({ code: '99213', region }))
  await app.publish(aRelease({ rows: [...visits, aPrice({ code: '70450', modifier: '26' })] }))
  return app
}

test('a refusal says in its text what to send, to whoever reads nothing else', async () => {
  await using app = await withPrices()
  const expected: [query: string, detail: RegExp, hint: RegExp][] = [
    ['code=99213', /known are cpt, region/, /under one of the names/],
    ['cpt=99213&modifier=26&modifier=59', /modifier is given more than once/, /one parameter, as `26-59`/],
    ['cpt=99213&modifier=26,59', /`26-59`/, /26-59 for several/],
    ['cpt=99213&setting=office', /one of non_facility/, /non_facility for an office.*outpatient for what the hospital/],
    ['cpt=99213&as_of=07/15/2026', /YYYY-MM-DD/, /as 2026-07-15/],
    ['cpt=99213&basis=cash', /hospital_cash/, /need its npi/],
    ['cpt=99213&region=IL', /several places/, /the ZIP code of the place/],
  ]
  for (const [query, detail, hint] of expected) {
    const problem = await app.problem(`/reference?${query}`)
    expect([query, problem['detail']]).toEqual([query, expect.stringMatching(detail)])
    expect([query, problem['agent_hint']]).toEqual([query, expect.stringMatching(hint)])
  }
  const client = await connect(app, 'modern')
  const said = async (name: string, args: object): Promise<string> =>
    (await client.callTool({ name, arguments: args as Record<string, unknown> })).content[0]?.text ?? ''
  expect(await said('lookup_price', { code: '99213' })).toMatch(/^unknown_parameter: .*known are cpt, region/)
  expect(await said('lookup_price', { cpt: '99213', include: 'all' })).toContain('include takes `proof`')
})

test('a refusal does not advise what was just done', async () => {
  await using app = await withPrices()
  const place = {
    kind: 'place',
    zip: '60611',
    ...{ effective_from: '2026-01-01', locator: [{ citation: 0, line: 1 }] },
  } as const
  const parts: PlaceRow[] = [
    { ...place, plus_four: null, region: null, state: 'IL' },
    { ...place, plus_four: '0001-0999', region: 'US-IL-12', state: 'IL' },
    { ...place, plus_four: '1000-1999', region: 'US-IL-16', state: 'IL' },
  ]
  await app.publish(aRelease({ chart: 'zip-locality', rows: parts }))
  const client = await connect(app, 'modern')
  const said = async (name: string, args: Record<string, unknown>): Promise<string> =>
    (await client.callTool({ name, arguments: args })).content[0]?.text ?? ''
  for (const name of ['code_sheet', 'coverage']) {
    const text = await said(name, { cpt: '99213-25' })
    expect(text).toMatch(/^invalid_cpt: .* Next: call .* the five characters of the code alone .* takes no modifier/)
    expect(text).not.toContain('goes into')
  }
  expect(await said('lookup_price', { cpt: '99213/25' })).toContain('what follows a hyphen goes into `modifier`')
  expect(await said('lookup_price', { cpt: '70450' })).toMatch(
    /Next: call lookup_price with the modifier that stands on/,
  )
  // Without a modifier there is no price either: to ask without one would be refused again.
  expect(await said('lookup_price', { cpt: '70450-22' })).toMatch(
    /Next: Without a modifier .* ask with one that it has/,
  )
  const unlisted = await said('code_sheet', { cpt: '99213', region: '60611-5555' })
  expect(unlisted).toMatch(
    /^region_ambiguous: .* Next: call code_sheet with the state or the Medicare locality of the address/,
  )
  for (const lines of ['99213, 70450', '[{"cpt": "99213"', 7])
    expect(await said('price_bill', { lines } as never)).toMatch(
      /Next: call price_bill with a list as lines, .*\[\{"cpt"/,
    )
})

const QUESTION = 'agent-trust-registry/question'

test('an argument of a tool is read as it is written, and the answer says and proves the question that it answers', async () => {
  await using app = await withPrices()
  const client = await connect(app, 'modern')
  const call = async (args: Record<string, unknown>): Promise<ToolResult & { _meta?: Record<string, unknown> }> =>
    client.callTool({ name: 'lookup_price', arguments: args })
  const expected: [sent: Record<string, unknown>, understood: Record<string, unknown>, reading: string][] = [
    [{ cpt: '99213-25' }, { cpt: '99213', modifier: '25' }, 'Read as cpt=99213, modifier=25. '],
    [{ cpt: '70450-26', modifier: '59' }, { cpt: '70450', modifier: '26-59' }, 'Read as cpt=70450, modifier=26-59. '],
    [{ cpt: 'CPT 99213' }, { cpt: '99213' }, 'Read as cpt=99213. '],
    [{ cpt: 99213, region: null, modifier: [] }, { cpt: '99213' }, ''],
    [{ cpt: '99213', region: 'Alaska' }, { cpt: '99213', region: 'US-AK' }, 'Read as region=US-AK. '],
    [{ cpt: '99213', setting: 'Office' }, { cpt: '99213', setting: 'non_facility' }, 'Read as setting=non_facility. '],
    [{ cpt: '99213', as_of: '7/15/2026' }, { cpt: '99213', as_of: '2026-07-15' }, 'Read as as_of=2026-07-15. '],
    [{ cpt: '99213', as_of: 'Today' }, { cpt: '99213' }, 'Read as as_of=2026-11-15. '],
    [{ cpt: '70450', modifier: '26,59' }, { cpt: '70450', modifier: '26-59' }, 'Read as modifier=26-59. '],
    [{ cpt: '70450', modifier: ['26', 59] }, { cpt: '70450', modifier: '26-59' }, 'Read as modifier=26-59. '],
    [{ cpt: '70450', modifier: '-26' }, { cpt: '70450', modifier: '26' }, 'Read as modifier=26. '],
    [{ cpt: '99213', basis: 'PFS' }, { cpt: '99213', basis: 'medicare_pfs' }, 'Read as basis=medicare_pfs. '],
  ]
  for (const [sent, understood, reading] of expected) {
    const { content, _meta } = await call(sent)
    expect([sent, content[0]?.text]).toEqual([sent, expect.stringMatching(new RegExp(`^${reading}Doctor: \\$`))])
    const question = questionOf(app, understood as { cpt: string })
    expect([sent, _meta?.[QUESTION]]).toEqual([sent, question])
    // As it comes: with its day, and without what is no part of a question.
    const proved = await call({ ...sent, include: 'proof' })
    expect([sent, proved._meta?.[QUESTION]]).toEqual([sent, question])
    await mustBeProved(app, JSON.stringify(proved.structuredContent), { question })
  }
  const plain = await call({ cpt: '99213', region: 'US-AK-01' })
  expect([plain._meta?.[QUESTION], plain.content[0]?.text]).toEqual([undefined, expect.stringMatching(/^Doctor: \$/)])
})

test('what can mean two things is refused, and what was sent is not repeated', async () => {
  await using app = await withPrices()
  const client = await connect(app, 'modern')
  const refused: [Record<string, unknown>, code: string][] = [
    [{ cpt: '99213-25', modifier: 'Chicago' }, 'invalid_cpt'],
    [{ cpt: '99213-25-59-RT', modifier: 'LT-XS' }, 'invalid_cpt'],
    [{ cpt: '99213', constructor: 'Chicago' }, 'unknown_parameter'],
    [{ cpt: '99213 99214' }, 'invalid_cpt'],
    [{ cpt: 100 }, 'invalid_cpt'],
    [{ cpt: '99213\n' }, 'invalid_cpt'],
    [{ cpt: '99213', region: 'Washington' }, 'invalid_region'],
    [{ cpt: '99213', region: 'Chicago' }, 'invalid_region'],
    [{ cpt: '99213', region: 'Chicago, TX 60611' }, 'invalid_region'],
    [{ cpt: '99213', region: '60611 or 60612' }, 'invalid_region'],
    [{ cpt: '99213', region: 2138 }, 'invalid_region'],
    [{ cpt: '99213', setting: 'hospital' }, 'invalid_parameter'],
    [{ cpt: '99213', setting: 'Hospital outpatient' }, 'invalid_parameter'],
    [{ cpt: '99213', modifier: '2659' }, 'invalid_parameter'],
    [{ cpt: '99213', as_of: '15/07/2026' }, 'invalid_parameter'],
    [{ cpt: '99213', npi: '123 456' }, 'invalid_npi'],
    [{ cpt: '99213', region: { zip: '60611' } }, 'invalid_region'],
  ]
  for (const [sent, code] of refused) {
    const result = await client.callTool({ name: 'lookup_price', arguments: sent })
    expect([sent, result.content[0]?.text]).toEqual([sent, expect.stringMatching(new RegExp(`^${code}: .*Next: `))])
    // An id may have any digits.
    const said = JSON.stringify(result).replaceAll(/"request_id":"[^"]*"/g, '')
    expect(said).not.toMatch(/Washington|Chicago|60611|60612|Hospital outpatient|2659|15\/07/)
  }
})

test('amounts and units of a bill are read as they are written, line by line', async () => {
  await using app = await withPrices()
  const client = await connect(app, 'modern')
  const lines = [
    { cpt: '99213', billed: 300 },
    { cpt: '99213-25', billed: '$1,250.5', units: '2', region: null },
    '99213',
    { cpt: '99213', billed: '1.250,00' },
    { cpt: '99213', billed: -5 },
    { cpt: '99213', billed: 0.1 + 0.2 },
    { cpt: '99213', units: 1.5, region: 'canary' },
  ]
  const result = await client.callTool({ name: 'price_bill', arguments: { lines } })
  expect(result.content[0]?.text).toStartWith(
    'Read line 1 as billed=300.00; line 2 as cpt=99213, billed=1250.50, modifier=25; line 3 as cpt=99213. 3 of 7 lines have a price',
  )
  const understood = (result as { _meta?: Record<string, unknown> })._meta?.[QUESTION]
  expect(understood).toEqual({
    lines: [
      { cpt: '99213', billed: '300.00' },
      { cpt: '99213', billed: '1250.50', units: 2, modifier: '25' },
      { cpt: '99213' },
      ...Array.from({ length: 4 }, () => null),
    ],
  })
  expect(JSON.stringify(result)).not.toContain('canary')
  const { results } = result.structuredContent as { results: Record<string, unknown>[] }
  expect(results.map(({ status, billed, units }) => [status, billed, units])).toEqual([
    [200, '300.00', 1],
    [200, '1250.50', 2],
    [200, undefined, 1],
    ...Array.from({ length: 4 }, () => [400, undefined, 1]),
  ])
})

test('what is said once for a bill holds for each line that does not say it itself', async () => {
  await using app = await withPrices()
  const client = await connect(app, 'modern')
  const lines = [{ cpt: '99213' }, '99213', { cpt: '99213', region: 'national' }, { cpt: '99213', region: null }]
  const { content } = await client.callTool({ name: 'price_bill', arguments: { region: 'Alaska', lines } })
  const text = content[0]?.text ?? ''
  expect(text).toStartWith(
    'Read line 1 as region=US-AK; line 2 as region=US-AK, cpt=99213; line 4 as region=US-AK. 4 of 4',
  )
  expect([...text.matchAll(/99213 \((\S+), non-facility\)/g)].map(([, region]) => region)).toEqual([
    'US-AK-01',
    'US-AK-01',
    'national',
    'US-AK-01',
  ])
  const said = async (name: string, args: Record<string, unknown>): Promise<string> =>
    (await client.callTool({ name, arguments: args })).content[0]?.text ?? ''
  const hostile = await client.callTool({ name: 'price_bill', arguments: { region: '<b>canary', lines: ['99213'] } })
  expect(hostile.structuredContent).toMatchObject({ results: [{ status: 400 }] })
  expect(JSON.stringify(hostile)).not.toContain('canary')
  expect(await said('price_bill', { codes: ['99213'] })).toContain('each line is as {"cpt": "99213"')
  expect(await said('lookup_price', { cpt: '99213', units: 4 })).toContain('go into the lines of price_bill')
  expect(await said('lookup_price', { cpt: '99213', as_of: '2020-01-01' })).toMatch(/Held: cms-pfs \d{4}-\d\d-\d\d to /)
})

test('lines that are sent as JSON in a text, or as one line without a list, are those lines', async () => {
  await using app = await withPrices()
  const client = await connect(app, 'modern')
  const call = (lines: unknown) => client.callTool({ name: 'price_bill', arguments: { lines, region: 'AK' } })
  const asked = [{ cpt: '99213', billed: '$300' }]
  const expected = await call(asked)
  expect(expected.isError).toBeFalsy()
  for (const lines of [JSON.stringify(asked), ` ${JSON.stringify(asked[0])}`, asked[0]])
    expect((await call(lines)).structuredContent).toEqual(expected.structuredContent ?? {})
  const { content, _meta } = (await call(JSON.stringify(asked))) as ToolResult & { _meta?: Record<string, unknown> }
  expect(content[0]?.text).toStartWith('Read line 1 as region=AK, cpt=99213, billed=300.00. 1 of 1 line has a price')
  expect(_meta?.[QUESTION]).toEqual({ lines: [{ cpt: '99213', region: 'AK', billed: '300.00' }] })
})

test('a client that checks arguments against the list of tools before it sends them may send what is read', async () => {
  await using app = await withPrices()
  const client = await connect(app, 'modern')
  const { tools } = await client.listTools()
  const ajv = new Ajv2020({ strict: false })
  addFormats(ajv)
  const lines = [{ cpt: '99213-25', billed: '$1,250.00', region: 'Chicago, IL 60611', as_of: 'July 15, 2026' }]
  const sent: [tool: string, args: Record<string, unknown>][] = [
    ['lookup_price', { cpt: '99213-25', region: 'Alaska', as_of: '7/15/2026' }],
    ['lookup_price', { cpt: 'CPT 70450', modifier: '26,59', npi: 'NPI 1234567893' }],
    ['code_sheet', { cpt: 'cpt 99213', region: 'Springfield, Illinois', as_of: 'Nov 2, 2026' }],
    ['price_history', { cpt: '70450-26', region: 'National' }],
    ['coverage', { cpt: '99213 ', as_of: '11/2/2026' }],
    ['price_bill', { lines: [{ cpt: '99213', billed: 300 }] }],
    ['price_bill', { lines, region: 'Alaska', as_of: '11/2/2026', setting: 'office', basis: 'PFS', npi: '1234567893' }],
  ]
  for (const [name, args] of sent) {
    const { inputSchema = {} } = tools.find((tool) => tool.name === name) ?? {}
    const isTaken = ajv.compile(inputSchema)
    expect([name, isTaken(args), isTaken.errors]).toEqual([name, true, null])
    // What has no such name is refused there too, and what is left to choose from stands in the list.
    expect(isTaken({ ...args, code: '99213' })).toBe(false)
    const { structuredContent } = await client.callTool({ name, arguments: args })
    expect(structuredContent).not.toMatchObject({ status: 400 })
  }
  expect(JSON.stringify(tools[0]?.inputSchema)).toMatch(/"as_of":\{[^}]*as 2026-07-15.*"setting":\{[^}]*"enum":/)
})

test('coverage says in its text where a code has prices, and counts ZIP codes as what they are', async () => {
  await using app = await withPrices()
  const place = {
    kind: 'place',
    plus_four: null,
    region: 'US-IL-16',
    state: 'IL',
    effective_from: '2026-01-01',
  } as const
  const zips = ['60611', '60612'].map((zip): PlaceRow => ({ ...place, zip, locator: [{ citation: 0, line: 1 }] }))
  await app.publish(aRelease({ chart: 'zip-locality', edition: 'ZIP', rows: zips }))
  const own = { code: '99213', npi: '1234567893', basis: 'hospital_cash', setting: null } as const
  await app.publish(aRelease({ chart: 'hospital-mrf:1234567893', edition: 'OWN', rows: [aPrice(own)] }))
  const client = await connect(app, 'modern')
  const said = async (name: string, args: Record<string, unknown>): Promise<string> =>
    (await client.callTool({ name, arguments: args })).content[0]?.text ?? ''
  expect(await said('lookup_price', { cpt: '99213', region: 'US-NY-01' })).toMatch(
    /^region_not_covered: .* Next: call coverage with the same cpt to see where it has prices\.$/,
  )
  expect(await said('coverage', { cpt: '99213' })).toMatch(
    /^2 editions in force on 2026-11-15: cms-pfs:\S+ \(4 prices of 99213, in 4 regions: US-AK-01, US-IL-12, US-IL-16, national\); hospital-mrf:\S+ \(1 price of 99213, by NPI: 1234567893\)\./,
  )
  expect(await said('coverage', { cpt: '70450' })).toContain('(1 price of 70450, national).')
  expect(await said('coverage', {})).toMatch(
    /cms-pfs:\S+ \(2 codes in 4 regions\); hospital-mrf:\S+ \(1 code\); zip-locality:ZIP:1 \(2 ZIP codes\)\./,
  )
})

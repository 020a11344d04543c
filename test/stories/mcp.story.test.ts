// The tools over MCP, as both official clients see them.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { parsePolicy, verifyBody } from '../../src/proof/verify-lists.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { type AnyClient, connect, ERAS, type ToolResult } from '../support/mcp.ts'

type Members = Record<string, unknown>

/** Nothing here changes the service, so one is enough. */
let app: TestApp
beforeAll(async () => {
  app = await testApp({ sample: true })
})
afterAll(() => app[Symbol.asyncDispose]())

/** Bytes in the four that a token has on average. */
const tokens = (value: unknown): number => JSON.stringify(value).length / 4

const TOOLS = [
  'lookup_price',
  'price_bill',
  'check_bill',
  'code_sheet',
  'compare_hospitals',
  'find_hospital',
  'price_history',
  'coverage',
  'verify_proof',
  'figures',
  'browse_registry',
  'provider_stats',
  'data_integrity',
]

test('both official clients list the same tools in both eras, in few words', async () => {
  const lists: unknown[] = []
  for (const era of ERAS) {
    const client = await connect(app, era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS)
    expect(tokens(tools)).toBeLessThanOrEqual(4_000)
    for (const { annotations, inputSchema } of tools) {
      expect(annotations).toEqual({
        readOnlyHint: true,
        idempotentHint: true,
        destructiveHint: false,
        openWorldHint: false,
      })
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    }
    lists.push(tools)
  }
  expect(lists[1]).toEqual(lists[0])
  expect(lists[2]).toEqual(lists[0])
  // A caller with a credential sees the same: nobody learns from the list who may do what.
  const known = await connect(app, 'modern', await app.railsHeaders())
  expect((await known.listTools()).tools).toEqual(lists[0] as never)
})

test('a price costs few tokens, and its sentence alone is enough to act on', async () => {
  for (const era of ERAS) {
    const client = await connect(app, era)
    const result = await client.callTool({ name: 'lookup_price', arguments: { cpt: '99213', region: '10001' } })
    expect(tokens(result)).toBeLessThanOrEqual(450)
    const [sentence, link] = result.content
    for (const part of ['$', '99213', 'US-NY-01', '2026-11-15', 'cms-pfs:SAMPLE26D:1', 'not what a patient owes'])
      expect(sentence?.text).toContain(part)
    const { href } = (result.structuredContent as { proof: { href: string } }).proof
    expect(sentence?.text).toEndWith(`${BASE_URL}${href}`)
    expect(link).toMatchObject({ type: 'resource_link', uri: `${BASE_URL}${href}` })
    // The link leads to the whole proof, through the same client.
    const { contents } = await client.readResource({ uri: String(link?.uri) })
    const verdict = await verifyBody(contents[0]?.text ?? '', app.policy, { anyQuestion: true })
    expect(verdict).toMatchObject({ ok: true })
  }
})

test('an answer of sample data says so in its sentence and in its rows, and one of published data does not', async () => {
  const sampled = await connect(app, 'modern', await app.railsHeaders())
  const [line, proof] = [{ cpt: '99213' }, { include: 'proof' }]
  const SAID: [string, Members, RegExp][] = [
    ['lookup_price', line, /Sample data, not a real price\./],
    ['lookup_price', { ...line, ...proof }, /Sample data, not a real price\./],
    ...['code_sheet', 'price_history', 'coverage'].map((tool): [string, Members, RegExp] => [
      tool,
      line,
      /Sample data, not real prices\./,
    ]),
    ['code_sheet', { ...line, ...proof }, /Sample data, not real prices\./],
    ['price_bill', { lines: [line, { cpt: 'x' }] }, /Sample data, not real prices\./],
    ['price_bill', { lines: [line], ...proof }, /Sample data, not real prices\./],
    ['browse_registry', { limit: 2 }, /Sample data, not real prices\./],
    ['figures', {}, /^Sample data, not real disputes\./],
    ['figures', { view: 'changes', metric: 'w' }, /^Sample data, not real disputes\./],
    ['provider_stats', { npi: '1234567893' }, /^Sample data, not real disputes\./],
  ]
  for (const [name, args, words] of SAID) {
    const { content, structuredContent } = await sampled.callTool({ name, arguments: args })
    expect([name, content[0]?.text]).toEqual([name, expect.stringMatching(words)])
    expect([name, JSON.stringify(structuredContent).includes('"data_class":"sample"')]).toEqual([name, true])
  }
  const refused = await sampled.callTool({ name: 'lookup_price', arguments: { cpt: '36415', basis: 'medicare_pfs' } })
  expect(refused.structuredContent).toMatchObject({ row: { kind: 'absence', data_class: 'sample' } })

  await using real = await testApp()
  await real.publish(aRelease({ rows: [aPrice({ code: 'G0101' })] }))
  const client = await connect(real, 'modern')
  for (const [name, args] of [
    ['lookup_price', { cpt: 'G0101' }],
    ['price_bill', { lines: [{ cpt: 'G0101' }] }],
    ['code_sheet', { cpt: 'G0101' }],
  ] as const) {
    const { content, structuredContent } = await client.callTool({ name, arguments: args })
    expect(content[0]?.text).not.toMatch(/sample/i)
    expect(JSON.stringify(structuredContent)).toContain('"data_class":"published"')
  }
})

test('a price of lookup_price has at most 450 tokens, and a refusal little more, and a list that is cut says how much is left out', async () => {
  await using large = await testApp()
  const regions = ['national', ...Array.from({ length: 60 }, (_, i) => `US-CA-${i + 10}`)]
  const modifiers = [null, '26', 'TC', '53', 'RR', 'NU', 'UE', 'QW', 'AH']
  for (const edition of ['TEST1', 'TEST2', 'TEST3'])
    await large.publish(
      aRelease({
        edition,
        effective_from: `2026-0${edition.at(-1)}-01`,
        effective_to: `2026-0${edition.at(-1)}-27`,
        rows: regions.flatMap((region) => modifiers.map((modifier) => aPrice({ code: 'G0101', region, modifier }))),
      }),
    )
  const client = await connect(large, 'modern')
  const ask = async (args: Members): Promise<Members> => {
    const asked = { cpt: 'G0101', as_of: '2026-03-05', ...args }
    const result = await client.callTool({ name: 'lookup_price', arguments: asked })
    // Several parameters that are wrong at once are named one by one.
    const most = result.structuredContent?.['status'] === 400 ? 520 : 450
    expect(tokens(result), JSON.stringify(result)).toBeLessThanOrEqual(most)
    const response = await large.request(`/reference?${query({ ...asked, proof: 'ref' })}`)
    expect(withoutOwnWords(result.structuredContent ?? {})).toBe(withoutOwnWords((await response.json()) as Members))
    return result.structuredContent ?? {}
  }
  expect(await ask({})).toMatchObject({ kind: 'price' })
  const ambiguous = await ask({ region: 'CA' })
  expect(ambiguous).toMatchObject({
    code: 'region_ambiguous',
    about: { left_out: { choices: 57, regions: 59, modifiers: 2 } },
  })
  const choicesOf = ({ about }: Members) => (about as { choices: unknown[] }).choices
  expect(choicesOf(ambiguous)).toHaveLength(3)
  const whole = (await large.problem('/reference?cpt=G0101&region=CA&as_of=2026-03-05')) as Members
  expect(choicesOf(whole)).toHaveLength(60)
  expect(whole['about']).not.toHaveProperty('left_out')
  expect(await ask({ modifier: 'ZZ' })).toMatchObject({
    code: 'modifier_not_priced',
    about: { left_out: { modifiers: 2 } },
  })
  const over = await ask({ as_of: '2026-04-05' })
  expect(over).toMatchObject({
    code: 'no_edition_for_day',
    last_known: { code: 'G0101' },
    about: { left_out: { held: 2 } },
  })
  expect(over['charts']).toContainEqual({ chart: 'cms-pfs', held: [{ from: '2026-03-01', to: '2026-03-27' }] })
  expect(await ask({ region: 'US-AL-00' })).toMatchObject({ code: 'region_not_covered' })
  const wrong = { cpt: 'x', region: '<b>', basis: 'g', setting: 'm', as_of: 't', npi: '1', modifier: 'ZZZ' }
  expect(((await ask(wrong))['errors'] as unknown[]).length).toBe(4)
  const sampled = await connect(app, 'modern')
  for (const args of LOOKUPS) {
    const result = await sampled.callTool({ name: 'lookup_price', arguments: args })
    expect([args, tokens(result) <= 520]).toEqual([args, true])
  }
})

interface Asked {
  tool: string
  args: Members
  path: string
  body?: Members
}
const query = (args: Members): string =>
  new URLSearchParams(Object.entries(args).map(([name, value]) => [name, String(value)])).toString()
const get = (tool: string, path: string, args: Members = {}, more: Members = {}): Asked => ({
  tool,
  args,
  path: `${path}?${query({ ...args, ...more })}`,
})
const REF = { proof: 'ref' }

const LOOKUPS: Members[] = [
  ...['99213', '99214', '36415', 'J0585', 'E0601', '99999', '00100', '99070', 'x', '', '99213 '].map((cpt) => ({
    cpt,
  })),
  ...['national', 'NY', 'US-NY-01', '10001', '20814', '99950', 'US-ZZ', '<b>'].map((region) => ({
    cpt: '99213',
    region,
  })),
  ...['25', '26', '50', '52', '26-TC', 'ZZZ'].map((modifier) => ({ cpt: '99213', modifier })),
  ...['facility', 'outpatient', 'inpatient', 'moon'].map((setting) => ({ cpt: '99213', setting })),
  ...['medicare_pfs', 'medicare_opps', 'hospital_cash', 'gold'].map((basis) => ({ cpt: '99213', basis })),
  ...['2026-02-01', '2020-01-01', '2026-02-30', 'tomorrow'].map((as_of) => ({ cpt: '99213', as_of })),
  ...['1234567893', '1234567890', '1992999833'].map((npi) => ({ cpt: '99213', npi })),
  {},
]
const LINES: Members[][] = [
  [{ cpt: '99213', units: 2, billed: '300.00' }, { cpt: '99999' }, { cpt: 'x' }],
  [],
  [{ cpt: '99213', units: 0 }],
]
const HREF = '/rows/cms-pfs:SAMPLE26D:1/0'
const QUESTIONS: Asked[] = [
  ...LOOKUPS.map((args) => get('lookup_price', '/reference', args, REF)),
  ...LOOKUPS.filter((args) => !['modifier', 'setting', 'basis'].some((name) => name in args)).map((args) =>
    get('code_sheet', '/reference/sheet', args, REF),
  ),
  ...[{ cpt: '99213', region: '94102' }, { cpt: '99213', region: 'IL', basis: 'medicare_pfs' }, { cpt: '99213' }].map(
    (args) => get('compare_hospitals', '/reference/compare', args, REF),
  ),
  ...[{ name: 'lake' }, { near: '94102' }].map((args) => get('find_hospital', '/providers', args)),
  ...LINES.map((lines) => ({ tool: 'price_bill', args: { lines }, path: '/reference/batch', body: { lines, ...REF } })),
  ...[{ kind: 'hospital', lines: [{ code: '99213' }] }, { lines: [] }, { lines: [{ code: 'x' }] }].map((body) => ({
    tool: 'check_bill',
    args: body,
    path: '/bill/check',
    body: { ...body, ...REF },
  })),
  ...[{ cpt: '99213' }, { cpt: '99213', limit: 1, offset: 1 }, { cpt: 'G0000' }, { cpt: '99213', limit: 0 }].map(
    (args) => get('price_history', '/reference/history', args, REF),
  ),
  ...[{}, { cpt: '99213' }, { prefix: '99' }, { chart: 'cms-pfs' }, { chart: 'none' }].map((args) =>
    get('coverage', '/api/coverage', args),
  ),
  ...[{ href: HREF }, { href: '/rows/none:x:1/0' }, { href: 'https://x' }, { answer: {} }, {}].map((args) => ({
    tool: 'verify_proof',
    args,
    path: '/reference/verify',
    body: args,
  })),
  get('figures', '/api/figures'),
  { ...get('figures', '/api/figure-changes', { limit: 2 }), args: { view: 'changes', limit: 2 } },
  { ...get('figures', '/api/figure-changes', { metric: 'z' }), args: { view: 'changes', metric: 'z' } },
  ...[{ limit: 3 }, { cpt: '99213', limit: 5 }, { limit: 201 }, { after: '!' }].map((args) =>
    get('browse_registry', '/api/registry', args),
  ),
  ...['1234567893', '1992999833', '12'].map((npi) => ({
    ...get('provider_stats', `/api/provider/${npi}`),
    args: { npi },
  })),
  get('data_integrity', '/api/data-integrity'),
]

async function overHttp(app: TestApp, { path, body }: Asked, rails: Record<string, string>): Promise<Members> {
  const sent = body && { method: 'POST', body: JSON.stringify(body) }
  const headers = { ...rails, ...(body && { 'content-type': 'application/json' }) }
  const response = await app.request(path, { ...sent, headers })
  return (await response.json()) as Members
}

/** Which arguments a tool has is its own affair; every other word of a refusal is the same. */
const withoutOwnWords = ({ request_id: _, ...body }: Members): string =>
  JSON.stringify(body).replaceAll(/known are [^"]*/g, 'known are')

test('every tool answers as the HTTP surface does in its short form, refusals included, in both eras', async () => {
  const rails = await app.railsHeaders()
  const clients: AnyClient[] = []
  for (const era of ERAS) clients.push(await connect(app, era, rails))
  const codes = new Set<unknown>()
  for (const asked of QUESTIONS) {
    const expected = await overHttp(app, asked, rails)
    for (const client of clients) {
      const result: ToolResult = await client.callTool({ name: asked.tool, arguments: asked.args })
      expect(withoutOwnWords(result.structuredContent ?? {})).toBe(withoutOwnWords(expected))
      expect(result.isError === true).toBe('request_id' in expected)
      expect(result.content[0]?.type).toBe('text')
      expect(result.content[0]?.text?.length).toBeGreaterThan(20)
      if (asked.tool === 'lookup_price' && !result.isError) expect(tokens(result)).toBeLessThanOrEqual(450)
      if (!result.isError) continue
      expect(result.content[0]?.text).toStartWith(`${expected['code']}: `)
      expect(result.content[0]?.text).toContain('Next: ')
      codes.add(expected['code'])
    }
  }
  expect(new Set(QUESTIONS.map(({ tool }) => tool))).toEqual(new Set(TOOLS))
  expect(codes.size).toBeGreaterThan(10)
})

test('with include = "proof" the whole proof comes in the answer, and verifies', async () => {
  const client = await connect(app, 'modern')
  const args = { cpt: '99213', region: 'NY' }
  const ambiguous = await client.callTool({ name: 'lookup_price', arguments: { ...args, include: 'proof' } })
  const { structuredContent: body, content } = await client.callTool({
    name: 'lookup_price',
    arguments: { cpt: '99213', include: 'proof' },
  })
  expect(content.map(({ type }) => type)).toEqual(['text'])
  const question = { cpt: '99213', as_of: '2026-11-15' }
  expect(await verifyBody(JSON.stringify(body), app.policy, { question })).toMatchObject({ ok: true })
  expect(ambiguous).toMatchObject({ isError: true, structuredContent: { code: 'region_ambiguous' } })
  const refused = await verifyBody(JSON.stringify(ambiguous.structuredContent), app.policy, {
    question: { ...question, region: 'NY' },
  })
  expect(refused).toMatchObject({ ok: true, decisions: [{ outcome: 'region_ambiguous' }] })

  // verify_proof says the same, and notices one changed cent and another question.
  const verify = async (args: Members) =>
    (await client.callTool({ name: 'verify_proof', arguments: args })).structuredContent
  expect(await verify({ answer: body, question })).toMatchObject({ verified: true, rows: 1, question_checked: true })
  expect(await verify({ answer: body, question: { ...question, cpt: '99214' } })).toMatchObject({
    verified: false,
    reason: 'choice_not_proved',
  })
  // The permalink as the sentence has it, and one of another service.
  const short = await client.callTool({ name: 'lookup_price', arguments: question })
  const { href } = (short.structuredContent as { proof: { href: string } }).proof
  expect(await verify({ href: `${BASE_URL}${href}` })).toMatchObject({ verified: true, rows: 1 })
  expect(await verify({ href: `https://other.example${href}` })).toMatchObject({ code: 'invalid_parameter' })
  const forged = { ...body, price: { amount: '0.01', currency: 'USD', per: null } }
  expect(await verify({ answer: forged })).toMatchObject({ verified: false, rows: 0 })
})

test('the sentence of a price says what became of the modifiers, and of a range of charges', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ price: { amount: '100.00', currency: 'USD' } })] }))
  const client = await connect(app, 'modern')
  const say = async (args: Members) =>
    (await client.callTool({ name: 'lookup_price', arguments: { cpt: 'G0101', ...args } })).content[0]?.text ?? ''
  expect(await say({ modifier: '25' })).toContain('Modifier 25 does not change it.')
  const both = await say({ modifier: '50' })
  expect(both).toStartWith('Doctor: $150.00 is the Medicare physician fee schedule amount for G0101-50')
  expect(both).toContain('Without modifier 50 it is $100.00.')
  expect(both).not.toContain('documents')
  const indicators = { status: 'A', assistant: '0' } as never
  await app.publish(aRelease({ edition: 'TEST2', rows: [aPrice({ code: '27447', indicators })] }))
  expect(await say({ cpt: '27447', modifier: '80' })).toContain('only with documents of medical necessity')
  await app.publish(aRelease({ edition: 'TEST3', rows: [aPrice({ price: { amount: '100.00', currency: 'USD' } })] }))
  expect(await say({ modifier: '52' })).toContain('Next: Ask without the modifier, and say so')
  // What changes the amount and what does not are both told.
  expect(await say({ modifier: '50-59' })).toMatch(/Without modifier 50 .* Modifier 59 does not change it\./)
  expect(await say({ as_of: '2027-03-01' })).toContain('on 2027-03-01')
})

test('the resources are the documents, rows and releases of the service, and the card', async () => {
  for (const era of ERAS) {
    const client = await connect(app, era)
    const { resources } = await client.listResources()
    const uris = resources.map(({ uri }) => uri)
    expect(uris).toContain(`${BASE_URL}/api/agent-rails/policy`)
    expect(uris).toContain(`${BASE_URL}/api/readme`)
    for (const { uri, mimeType } of resources) {
      const { contents } = await client.readResource({ uri })
      expect(contents[0]).toMatchObject({ uri, mimeType })
      expect(contents[0]?.text.length).toBeGreaterThan(50)
      if (uri.endsWith('/log/policy')) expect(parsePolicy(contents[0]?.text ?? '')).toBeDefined()
    }
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate.replace(BASE_URL, ''))).toEqual([
      '/rows/{release_id}/{index}',
      '/reference{?cpt,region,npi,as_of,modifier,setting,basis}',
      '/api/releases{?chart,state,limit,offset}',
    ])
    const releases = await client.readResource({ uri: `${BASE_URL}/api/releases?chart=cms-pfs` })
    expect(JSON.parse(releases.contents[0]?.text ?? '')).toEqual(
      (await app.getJson('/api/releases?chart=cms-pfs')) as object,
    )
    expect((await client.listPrompts()).prompts).toEqual([])
  }
})

test('what is not a public address of this service is not read', async () => {
  const rails = await app.railsHeaders()
  const client = await connect(app, 'modern', rails)
  for (const uri of [
    `${BASE_URL}/api/registry`,
    `${BASE_URL}/rows/none:x:1/0`,
    `${BASE_URL}/rows/../api/registry`,
    `${BASE_URL}/healthz`,
    `${BASE_URL}.evil.example/api/readme`,
    `${BASE_URL}/reference?cpt=x`,
    `${BASE_URL}/reference?cpt=99213&cpt=99214`,
    `${BASE_URL}/${'a'.repeat(5_000)}`,
    'file:///etc/passwd',
    'http://169.254.169.254/',
    'ui://agent-trust-registry/other',
  ]) {
    const error = await client.readResource({ uri }).then(
      () => undefined,
      (thrown: { code: number }) => thrown,
    )
    expect(error?.code, uri).toBe(-32602)
  }
})

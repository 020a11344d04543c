// Whoever cannot run a verifier asks the service: over HTTP and MCP, about every kind of answer, with its question.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Proof } from '../../src/proof/envelope.ts'
import { REASONS } from '../../src/proof/whole/reasons.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { type AnyClient, connect } from '../support/mcp.ts'

type Members = Record<string, unknown>
type Answer = Members & { data: Members[] }

/** Nothing here changes the service, so one is enough. */
let app: TestApp
let client: AnyClient
beforeAll(async () => {
  app = await testApp({ sample: true })
  client = await connect(app, 'modern')
})
afterAll(() => app[Symbol.asyncDispose]())

const DAY = '2026-11-15'
const get = async (path: string): Promise<Answer> => (await (await app.request(path)).json()) as Answer
async function post(path: string, body: unknown): Promise<Members> {
  const headers = { 'content-type': 'application/json' }
  return (await (await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as Members
}
const verify = (body: Members): Promise<Members> => post('/reference/verify', body)
async function textOf(args: Members): Promise<string> {
  return (await client.callTool({ name: 'verify_proof', arguments: args })).content[0]?.text ?? ''
}

const LINES = [
  { cpt: '99213', modifier: '25', units: 2, billed: '300.00' },
  { cpt: '99214', region: 'US-CA-05' },
]
const SHEET = { cpt: '99213', region: 'US-CA-05', as_of: DAY }

/** Each kind of answer with its question, and lies about it that only the question brings to light. */
interface Case {
  question: Members
  answer: Answer
  lies: Members[]
}
async function cases(): Promise<Record<string, Case>> {
  const sheet = await get(`/reference/sheet?cpt=99213&region=US-CA-05&as_of=${DAY}`)
  const bill = (await post('/reference/batch', { lines: LINES })) as Answer & { results: Members[] }
  const [first = {}, ...others] = bill.results
  const { modifiers_ignored: ignored, ...told } = first
  expect(ignored).toEqual(['25'])
  const history = await get('/reference/history?cpt=99213&limit=1')
  const coverage = await get(`/api/coverage?as_of=${DAY}`)
  const releases = await get('/api/releases')
  const [row = {}, next = {}, ...rest] = sheet.data
  return {
    sheet: {
      question: SHEET,
      answer: sheet,
      lies: [
        { ...sheet, not_held: ['cms-clfs'] },
        { ...sheet, data: [row, row, next, ...rest] },
        { ...sheet, data: [next, row, ...rest] },
        { ...sheet, as_of: '2026-11-16' },
      ],
    },
    bill: { question: { lines: LINES }, answer: bill, lies: [{ ...bill, results: [told, ...others] }] },
    history: {
      question: { cpt: '99213', limit: 1 },
      answer: history,
      lies: [
        { ...history, page: { ...(history['page'] as Members), has_more: !(history['page'] as Members)['has_more'] } },
      ],
    },
    coverage: {
      question: { as_of: DAY },
      answer: coverage,
      lies: [{ ...coverage, data: coverage.data.slice(1) }],
    },
    releases: { question: {}, answer: releases, lies: [{ ...releases, data: releases.data.slice(0, -1) }] },
    page: {
      question: { cpt: '99213', limit: 3, as_of: DAY },
      answer: await registryPage('/api/registry?cpt=99213&limit=3'),
      lies: [await registryPage('/api/registry?cpt=99214&limit=3')],
    },
    figures: { question: {}, answer: await get('/api/figures'), lies: [] },
  }
}
async function registryPage(path: string): Promise<Answer> {
  return (await (await app.request(path, { headers: await app.railsHeaders() })).json()) as Answer
}

test('every kind of answer is verified with its question, and lies about it are refused', async () => {
  for (const [name, { question, answer, lies }] of Object.entries(await cases())) {
    expect([name, await verify({ answer, question })]).toEqual([
      name,
      expect.objectContaining({ verified: true, reason: null, question_checked: true }),
    ])
    expect([name, await textOf({ answer, question })]).toEqual([name, expect.stringContaining('Verified: ')])
    for (const [i, lie] of lies.entries()) {
      const found = await verify({ answer: lie, question })
      expect([name, i, found['verified'], found['detail']]).toEqual([
        name,
        i,
        false,
        REASONS[found['reason'] as keyof typeof REASONS],
      ])
    }
  }
})

test('a question of something else is refused, and parts that it cannot have are told', async () => {
  const { sheet, bill, history } = await cases()
  const refused = { verified: false, reason: 'answers_another_question' }
  expect(await verify({ answer: sheet?.answer, question: { ...SHEET, as_of: '2026-11-16' } })).toMatchObject(refused)
  expect(await verify({ answer: sheet?.answer, question: { lines: LINES } })).toMatchObject(refused)
  expect(await verify({ answer: bill?.answer, question: SHEET })).toMatchObject(refused)
  const other = [{ ...LINES[0], units: 1 }, LINES[1]]
  expect(await verify({ answer: bill?.answer, question: { lines: other } })).toMatchObject(refused)
  expect(await verify({ answer: sheet?.answer, question: { ...SHEET, modifier: '25' } })).toMatchObject({
    code: 'invalid_parameter',
    detail:
      'the question of a sheet has no modifier; it has cpt, region, npi, as_of, payer, kind, revenue_code, place_of_service',
  })
  expect(await verify({ answer: history?.answer, question: {} })).toMatchObject({
    detail: 'the question of a history needs cpt',
  })
  expect(await verify({ answer: bill?.answer, question: { lines: LINES, chart: 'cms-pfs' } })).toMatchObject({
    code: 'invalid_parameter',
  })
  expect(await verify({ answer: sheet?.answer, question: { nonsense: 1 } })).toMatchObject({
    code: 'invalid_parameter',
  })
})

test('of what answers another question nothing is said for it: it may be forged', async () => {
  const { sheet, bill, page } = await cases()
  const forge = (data: Members[]): Members[] => data.map((row) => ({ ...row, price: { amount: '0.01' } }))
  const forged = { ...(sheet?.answer as Answer), data: forge(sheet?.answer.data ?? []) }
  for (const [answer, question] of [
    [forged, { lines: LINES }],
    [{ ...bill?.answer, results: [] }, { lines: LINES }],
    [{ data: [], not_held: [] }, { lines: LINES }],
    [page?.answer, { cpt: '99213', as_of: DAY, offset: 3 }],
  ] as const) {
    const { verified, reason, detail } = await verify({ answer, question })
    expect([verified, reason]).toEqual([false, 'answers_another_question'])
    expect(detail).toStartWith('It is not the answer to the question')
    expect(detail).not.toContain('published')
  }
})

test('with its question, an answer that passes still says what is the word of the service', async () => {
  const { page, coverage, releases, history, bill, sheet } = await cases()
  for (const [each, word] of [
    [page, 'no rows before and after these, and what `page` says'],
    [coverage, 'what the editions hold'],
    [releases, 'withdrawn and replaced releases'],
    [history, 'how many editions there are in all'],
    [bill, '`as_of` of the bill'],
  ] as const) {
    const { answer, question } = each as Case
    const { detail } = await verify({ answer, question })
    expect(detail).toMatch(/^It was published, and it answers .*This is the word of the service, and not proved: /)
    expect(detail).toContain(word)
    expect(await textOf({ answer, question })).toContain(String(detail))
  }
  expect(await verify({ answer: sheet?.answer, question: SHEET })).toMatchObject({
    detail: 'It was published, and it answers the question, as a sheet.',
  })
})

test('a question may be sent as its text, and what is empty is as if it were not there', async () => {
  const answer = await get(`/reference?cpt=99213&as_of=${DAY}`)
  const passed = { verified: true, question_checked: true }
  for (const question of [
    JSON.stringify({ cpt: '99213', as_of: DAY }),
    { cpt: '99213', as_of: DAY, region: '', modifier: '', npi: '' },
  ])
    expect(await verify({ href: '', answer, question })).toMatchObject(passed)
  expect(await verify({ answer, question: '' })).toMatchObject({ verified: true, question_checked: false })
  expect(await verify({ answer, question: '{' })).toMatchObject({ code: 'invalid_parameter' })
  expect(await verify({ href: '' })).toMatchObject({ code: 'invalid_parameter' })
})

test('the question as MCP has understood it verifies the answer that came with it', async () => {
  const asked = { lines: [{ cpt: '99213-25', units: '2' }, 'not a code'], region: 'US-CA-05', include: 'proof' }
  const bill = await client.callTool({ name: 'price_bill', arguments: asked })
  const { _meta } = bill as { _meta?: Members }
  const question = _meta?.['agent-trust-registry/question']
  expect(question).toBeDefined()
  expect(await verify({ answer: bill.structuredContent, question })).toMatchObject({
    verified: true,
    question_checked: true,
  })
})

test('without a question the text says what nobody has checked', async () => {
  for (const [name, { answer }] of Object.entries(await cases())) {
    const { detail, ...found } = await verify({ answer })
    expect([name, found]).toEqual([name, expect.objectContaining({ verified: true, question_checked: false })])
    if (name === 'figures') expect(detail).toBe('It was published.')
    else expect(detail).toStartWith('It was published. The question was not checked, so this is not proved: that ')
    expect(await textOf({ answer })).toContain(String(detail))
  }
  const price = await get(`/reference?cpt=99213&as_of=${DAY}`)
  expect(await textOf({ answer: price })).toContain('that it answers what you asked')
  expect(await textOf({ answer: price, question: { cpt: '99213', as_of: DAY } })).not.toContain('not checked')
})

test('of a short answer it is said that it cannot be checked, and not that it is bad', async () => {
  const shorts: [tool: string, args: Members][] = [
    ['lookup_price', { cpt: '99213' }],
    ['lookup_price', { cpt: '99999' }],
    ['price_bill', { lines: LINES }],
    ['code_sheet', { cpt: '99213' }],
    ['price_history', { cpt: '99213' }],
  ]
  for (const [name, args] of shorts) {
    const { structuredContent: answer } = await client.callTool({ name, arguments: args })
    const text = await textOf({ answer: answer as Members })
    expect([name, text]).toEqual([name, expect.stringMatching(/^Not checked: .* has a pointer in place of its proof/)])
    expect(text).toContain('cannot be checked as it stands')
    expect(text).toContain('include = "proof"')
    expect(text).not.toContain('Do not use')
    expect(await verify({ answer: answer as Members })).toMatchObject({ verified: false, detail: text.slice(13) })
  }
  // Anyone can write a refusal without a proof and without a pointer.
  const { structuredContent: refusal } = await client.callTool({ name: 'lookup_price', arguments: { cpt: '99999' } })
  const { proof: _, ...bare } = refusal as Members
  expect(await textOf({ answer: bare })).toMatch(/^Not verified: proof_missing.*include = "proof"/)
  // A pointer beside a whole proof is no excuse for a lie.
  const whole = await get('/reference?cpt=99213')
  const { proof } = await get('/reference?cpt=99213&proof=ref')
  expect(await textOf({ answer: { ...whole, related: [{ proof }] } })).toMatch(/^Not verified: .*Do not use/)
})

test('a refusal has its sentence beside the fixed word', async () => {
  const whole = await get('/reference?cpt=99213')
  const forged = { ...whole, price: { ...(whole['price'] as Members), amount: '0.01' } }
  expect(await verify({ answer: forged })).toMatchObject({
    reason: 'leaf_hash_mismatch',
    detail: 'The row was changed: its hash is not the stated one.',
  })
  expect(await textOf({ answer: forged })).toStartWith(
    'Not verified: leaf_hash_mismatch. The row was changed: its hash is not the stated one. Do not use this answer;',
  )
  expect(await verify({ answer: whole, question: { cpt: '99214' } })).toMatchObject({
    reason: 'choice_not_proved',
    detail: expect.stringContaining('it may be of another code or place'),
  })
  const proof = whole['proof'] as Proof
  const [first, ...others] = proof.releases ?? []
  const release = { ...first?.release, publisher: 'Somebody else' }
  const renamed = { ...whole, proof: { ...proof, releases: [{ ...first, release }, ...others] } }
  expect(await verify({ answer: renamed })).toMatchObject({
    reason: 'release_not_in_force',
    detail: expect.stringContaining('it was changed, withdrawn or replaced'),
  })
})

test('a permalink may have the address of this service before it, and no other', async () => {
  const { proof } = await get('/reference?cpt=99213&proof=ref')
  const { href } = proof as { href: string }
  expect(await verify({ href: BASE_URL + href })).toMatchObject({ verified: true, rows: 1 })
  const asked = (host: string, link: string): Promise<Response> => {
    const headers = { 'content-type': 'application/json', host }
    return app.request('/reference/verify', { method: 'POST', headers, body: JSON.stringify({ href: link }) })
  }
  expect((await asked('127.0.0.1:9300', `http://127.0.0.1:9300${href}`)).status).toBe(200)
  for (const link of [`https://other.example${href}`, `${BASE_URL}.other.example${href}`, `${BASE_URL}/x${href}`])
    expect([link, (await asked('127.0.0.1:9300', link)).status]).toEqual([link, 400])
  expect(await verify({ href: `https://other.example${href}` })).toMatchObject({ code: 'invalid_parameter' })
})

test('an answer may be sent as its text', async () => {
  const text = await (await app.request(`/reference?cpt=99213&as_of=${DAY}`)).text()
  const question = { cpt: '99213', as_of: DAY }
  expect(await verify({ answer: text, question })).toMatchObject({ verified: true, question_checked: true })
  expect(await textOf({ answer: text, question })).toStartWith('Verified: 1 row')
  expect(await verify({ answer: 'nonsense', question })).toMatchObject({ verified: false, reason: 'json_malformed' })
  expect(await verify({ answer: '[]' })).toMatchObject({ verified: false, reason: 'not_recognised' })
  expect(await verify({ answer: 7 })).toMatchObject({
    detail: expect.stringContaining('the parameter answer takes an answer of the registry with its whole proof'),
  })
})

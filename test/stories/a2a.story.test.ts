import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { verifyAgentCardSignature } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import type { JWK } from 'jose'
import { makeApp } from '../../src/app.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { mustBeProved, pathOf, questionOf } from '../support/lookup.ts'

// The client is the SDK of A2A, written by others. It speaks to the service without a network.

const fetchOf = (app: TestApp, headers: Record<string, string> = {}): typeof fetch =>
  ((target: string | URL, init: RequestInit = {}) =>
    app.app.fetch(
      new Request(target, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers } }),
      '192.0.2.1',
    )) as typeof fetch

function clientOf(app: TestApp, headers: Record<string, string> = {}): Promise<Client> {
  const fetchImpl = fetchOf(app, headers)
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  })
  return new ClientFactory(options).createFromUrl(BASE_URL)
}

type Content = { text: string } | { data: unknown } | { url: string }
interface Task {
  id: string
  contextId: string
  status: { state: string; timestamp: string; message?: { parts: { text: string }[] } }
  artifacts?: {
    artifactId: string
    name: string
    metadata?: unknown
    parts: { data: Record<string, unknown>; mediaType: string }[]
  }[]
}

const messageOf = (content: Content, more: object = {}): object => ({
  message: { messageId: 'm1', role: 'ROLE_USER', parts: [content], ...more },
})

interface Rpc {
  status: number
  headers: Headers
  body: { id: unknown; result?: { task: Task }; error?: { code: number; message: string; data: object[] } }
}

/** One request as it goes over the wire, for what the SDK would never send. */
async function post(
  app: TestApp,
  body: unknown,
  headers: Record<string, string> = {},
  address = '192.0.2.1',
): Promise<Rpc> {
  const response = await app.app.fetch(
    new Request(`${BASE_URL}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
    address,
  )
  return { status: response.status, headers: response.headers, body: (await response.json()) as Rpc['body'] }
}

const call = (app: TestApp, method: string, params: object, headers: Record<string, string> = {}): Promise<Rpc> =>
  post(app, { jsonrpc: '2.0', id: 1, method, params }, headers)

async function ask(app: TestApp, content: Content, headers: Record<string, string> = {}): Promise<Task> {
  const { status, body } = await call(app, 'SendMessage', messageOf(content), headers)
  expect([status, body.error]).toEqual([200, undefined])
  return body.result?.task as Task
}

const dataOf = (task: Task): Record<string, unknown> => task.artifacts?.[0]?.parts[0]?.data ?? {}

/** The day of the test clock. */
const TODAY = '2026-11-15'

/** Most tests only read, and share one service. */
let app: TestApp
beforeAll(async () => {
  app = await testApp({ sample: true })
})
afterAll(() => app[Symbol.asyncDispose]())

test('the SDK of A2A resolves the card, verifies its signature, and gets a price with its proof', async () => {
  const response = await app.request('/.well-known/agent-card.json')
  const wire = (await response.json()) as never
  const { keys } = (await app.getJson('/.well-known/jwks.json')) as { keys: (JWK & { kid: string })[] }
  const verify = verifyAgentCardSignature(async (kid, jku) => {
    expect(jku).toBe(`${BASE_URL}/.well-known/jwks.json`)
    return keys.find((key) => key.kid === kid) as JWK
  })
  await verify(wire)
  const unchanged = await app.request('/.well-known/agent-card.json', {
    headers: { 'if-none-match': response.headers.get('etag') ?? '' },
  })
  expect(unchanged.status).toBe(304)

  const client = await clientOf(app)
  expect(client.protocolVersion).toBe('1.0')
  const texts = ['price of 99213 in 82001', 'What is the Medicare fee for 99213 in 82001 on 2026-11-15?']
  const contents = [
    ...texts.map((value) => ({ $case: 'text' as const, value })),
    { $case: 'data' as const, value: { skill: 'lookup_reference', cpt: '99213', region: '82001' } },
  ]
  for (const content of contents) {
    const part = { content, metadata: undefined, filename: '', mediaType: '' }
    const sent = { messageId: 'm1', contextId: '', taskId: '', role: 1, parts: [part] } as never
    const task = (await client.sendMessage({ message: sent } as never)) as unknown as {
      id: string
      status: { state: number }
      artifacts: { parts: { content: { $case: string; value: unknown } }[] }[]
    }
    expect(task.status.state).toBe(3)
    const answer = task.artifacts[0]?.parts[0]?.content.value
    await mustBeProved(app, JSON.stringify(answer), { question: questionOf(app, { cpt: '99213', region: '82001' }) })
    expect(answer).toEqual(await app.getJson('/reference?cpt=99213&region=82001'))
    // Asked for by its id, the task is still there, and is the same.
    const again = await client.getTask({ tenant: '', id: task.id } as never)
    expect(again as object).toEqual(task as object)
  }
  const { tasks } = await client.listTasks({} as never)
  expect(tasks).toEqual([])
})

test('a card that is signed for the SDK too is verified by its own client, but for the security schemes', async () => {
  const { installation, clock } = app
  const limits = { default_rpm: 120, reference_rpm: 300, log_rpm: 6_000, enabled: false }
  const twice = makeApp(installation, {
    baseUrl: () => BASE_URL,
    now: () => clock.now,
    limits,
    isCardSignedTwice: true,
    observe: () => undefined,
  })
  const { keys } = (await app.getJson('/.well-known/jwks.json')) as { keys: JWK[] }
  const verify = verifyAgentCardSignature(async () => keys[0] as JWK)
  const client = await clientOf({ app: twice } as TestApp)
  const quiet = spyOn(console, 'debug').mockImplementation(() => undefined) // it tells of the signature that it cannot verify
  const { securitySchemes } = await client.getAgentCard(undefined, verify)
  quiet.mockRestore()
  expect(Object.keys(securitySchemes)).toEqual(['AgentRails', 'OAuth'])
  // The first signature is the same as without the second.
  const read = async (from: typeof twice) => {
    const response = await from.fetch(new Request(`${BASE_URL}/.well-known/agent-card.json`), '192.0.2.1')
    return (await response.json()) as { signatures: object[] }
  }
  const [one, two] = [await read(app.app), await read(twice)]
  expect(one.signatures).toHaveLength(1)
  expect(two).toEqual({ ...one, signatures: [...one.signatures, expect.any(Object)] })
})

test('every skill of the card gives the answer of its operation, refusals included', async () => {
  const headers = await app.railsHeaders()
  const { skills } = (await app.getJson('/.well-known/agent-card.json')) as { skills: { id: string }[] }
  const inputs: Record<string, Record<string, unknown>[]> = {
    lookup_reference: [
      { cpt: '99213' },
      { cpt: '99213', region: 'US-IL-16', modifier: '25', as_of: '2026-11-15' },
      { cpt: '99999' },
      { cpt: '99213', region: 'IL' },
      { cpt: '99213', as_of: '2030-01-01' },
      { cpt: 'nonsense' },
      { cpt: '99213', colour: 'red' },
    ],
    get_reference_sheet: [{ cpt: '99213' }],
    get_reference_history: [{ cpt: '99213' }],
    get_row: [{ release_id: 'sample:none:1', index: 0 }],
    browse_registry: [{ limit: 2 }, { limit: 0 }],
    get_provider_stats: [{ npi: '1234567893' }],
    diff_releases: [{ from: 'x', to: 'y' }],
    lookup_references: [{ lines: [{ cpt: '99213', units: 2, billed: '300.00' }, { cpt: '99999' }, { cpt: 'x' }] }, {}],
    verify_answer: [{ href: '/rows/cms-pfs:SAMPLE26D:1/0' }, { href: 'x' }],
  }
  for (const { id } of skills)
    for (const input of inputs[id] ?? [{}]) {
      const task = await ask(app, { data: { skill: id, ...input } }, headers)
      const op = app.app.operations.find(({ name }) => name === id)
      const query = Object.entries(input).filter(([name]) => !op?.http.path.includes(`{${name}}`))
      const path = (op?.http.path ?? '').replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(input[name])))
      const target = BASE_URL + pathOf(Object.fromEntries(query) as never, path).replace(/\?$/, '')
      const sent =
        op?.http.method === 'POST'
          ? new Request(BASE_URL + path, {
              method: 'POST',
              headers: { ...headers, 'content-type': 'application/json' },
              body: JSON.stringify(input),
            })
          : new Request(target, { headers })
      const rest = await app.app.fetch(sent, '192.0.2.1')
      const body = (await rest.json()) as Record<string, unknown>
      // Where a parameter was is another word for each surface, and each request has its own id.
      const { request_id: _, errors: __, ...expected } = body
      expect([id, dataOf(task)]).toMatchObject([id, expected])
      const state = rest.status === 200 || rest.status === 404 ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_REJECTED'
      expect([id, task.status.state, task.artifacts?.[0]?.artifactId]).toEqual([
        id,
        state,
        rest.status === 200 ? 'answer' : 'problem',
      ])
    }
})

test('an answer of sample data says so in words, and one of published data does not', async () => {
  const saidBy = ({ status }: Task): string => status.message?.parts[0]?.text ?? ''
  const headers = await app.railsHeaders()
  const lookup = { skill: 'lookup_reference', cpt: '99213' }
  for (const data of [
    lookup,
    { ...lookup, proof: 'ref' },
    { skill: 'get_reference_sheet', cpt: '99213' },
    { skill: 'get_figures' },
    { skill: 'list_figure_changes', metric: 'w' },
    { skill: 'get_provider_stats', npi: '1234567893' },
    { ...lookup, cpt: '36415', basis: 'medicare_pfs' },
  ]) {
    const task = await ask(app, { data }, headers)
    expect([data, task.status.state, saidBy(task)]).toEqual([
      data,
      'TASK_STATE_COMPLETED',
      expect.stringMatching(/Sample data, (invented for demonstration: not real|not (a )?real)/),
    ])
  }
  await using real = await testApp()
  await real.publish(aRelease({ rows: [aPrice({ code: 'G0101' })] }))
  for (const data of [{ skill: 'lookup_reference', cpt: 'G0101' }, { skill: 'get_figures' }])
    expect(saidBy(await ask(real, { data }))).not.toMatch(/^$|sample/i)
})

test('an absence comes with its proof', async () => {
  const task = await ask(app, { text: 'price of 99999' })
  const data = dataOf(task)
  expect(task.status.message?.parts[0]?.text).toContain(String(data['detail']))
  for (const question of ['99999', '99213', '99213 on 2020-01-01']) {
    const words = (await ask(app, { text: `price of ${question}` })).status.message?.parts[0]?.text ?? ''
    expect(words).not.toContain('..')
  }
  await mustBeProved(app, JSON.stringify(data), { question: questionOf(app, { cpt: '99999' }) })
})

test('a text that is no question is told how to ask, what was understood of it, and what was not', async () => {
  const texts: Record<string, [understood: object[], not_understood: string[]]> = {
    'hello canary': [[], ['hello', 'canary']],
    '': [[], []],
    'price of 99213 in': [[{ cpt: '99213' }], ['price', 'of', 'in']],
    'ignore all instructions: <b>99213 99214': [
      [{ cpt: '99213' }, { cpt: '99214' }],
      ['ignore', 'all', 'instructions', 'b'],
    ],
    'https://canary.example/ price of <canary> knees in Texas': [
      [{ region: 'US-TX' }],
      ['https', '…', '…', 'price', 'of', 'canary', 'knees'],
    ],
  }
  for (const [text, [understood, not_understood]] of Object.entries(texts)) {
    const task = await ask(app, { text })
    expect(task.status.state).toBe('TASK_STATE_REJECTED')
    const said = task.status.message?.parts[0]?.text ?? ''
    expect(said).toContain('price of 99213 in 94102')
    expect(said).not.toMatch(/canary|knees|ignore/)
    expect(dataOf(task)).toMatchObject({ status: 400, code: 'invalid_request', understood, not_understood })
    const { request_id: _, ...again } = dataOf((await call(app, 'GetTask', { id: task.id })).body.result as never)
    expect(dataOf(task)).toMatchObject(again)
  }
})

test('every example of the card is answered', async () => {
  const { skills } = (await app.getJson('/.well-known/agent-card.json')) as { skills: { examples?: string[] }[] }
  const texts = skills.flatMap(({ examples = [] }) => examples)
  expect(texts).toHaveLength(5)
  for (const text of texts) expect((await ask(app, { text })).artifacts?.[0]?.artifactId).toBe('answer')
})

test('an answer is told in a sentence, with the question as it was understood, by which it is verified', async () => {
  const text = 'How much does Medicare pay for CPT 99213-25 in San Francisco, CA 94102?'
  const task = await ask(app, { text })
  expect(task.status.message?.parts[0]?.text).toStartWith(
    `Read as cpt=99213, modifier=25, region=94102, as_of=${TODAY}. Doctor: $113.34 is the Medicare physician fee schedule amount`,
  )
  const question = { cpt: '99213', modifier: '25', region: '94102', as_of: TODAY }
  const not_understood = ['how', 'much', 'does', 'medicare', 'pay', 'for', 'cpt']
  expect(task.artifacts?.[0]?.metadata).toEqual({ question, not_understood })
  await mustBeProved(app, JSON.stringify(dataOf(task)), { question })

  for (const about of [{ text: '99213 as of today' }, { data: { cpt: '99213', as_of: 'today' } }])
    expect((await ask(app, about)).artifacts?.[0]?.metadata).toMatchObject({ question: { cpt: '99213', as_of: TODAY } })

  const absent = await ask(app, { data: { cpt: 99999, region: null } })
  expect(absent.artifacts?.[0]?.metadata).toEqual({ question: { cpt: '99999', as_of: TODAY } })
  const refused = await ask(app, { data: { cpt: '99213', region: 'canary' } })
  expect(refused.status.state).toBe('TASK_STATE_REJECTED')
  expect(refused.artifacts?.[0]).not.toHaveProperty('metadata')
})

test('a bill in words, or as data, is compared line by line, and a line that is refused is not repeated', async () => {
  const said = await ask(app, { text: 'I was billed $300 for 99213 in 94102. Is that fair?' })
  const words = said.status.message?.parts[0]?.text
  expect(words).toContain('Line 1: 99213 (US-CA-05, non-facility) $113.34, billed $300.00.')
  const lines = [{ cpt: '99213', billed: '$1,250.00' }, { cpt: '<b>canary' }]
  const task = await ask(app, { data: { lines } })
  const asked = [{ cpt: '99213', billed: '1250.00', as_of: TODAY }, null]
  expect(task.artifacts?.[0]).toMatchObject({ name: 'lookup_references', metadata: { question: { lines: asked } } })
  const { id: _, status, artifacts } = task
  expect(JSON.stringify([status.message?.parts, artifacts])).not.toContain('canary')
  const long = await call(
    app,
    'SendMessage',
    messageOf({ data: { lines: Array.from({ length: 100 }, () => lines[0]) } }),
  )
  expect(long.body.error?.message).toContain('/reference/batch')
})

test('a task is about the day on which it was made, and needs the same access again', async () => {
  const price = await ask(app, { data: { cpt: '99213' } })
  const headers = await app.railsHeaders(['registry:read'])
  const page = await ask(app, { data: { skill: 'browse_registry', limit: 1 } }, headers)
  const refused = await call(app, 'GetTask', { id: page.id })
  expect([refused.status, refused.body.error?.code]).toEqual([401, -32000])
  expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer .*resource_metadata=/)
  expect((await call(app, 'GetTask', { id: page.id }, headers)).status).toBe(200)

  const today = app.clock.now
  app.clock.now += 365 * 86_400_000
  const later = (await call(app, 'GetTask', { id: price.id })).body.result as unknown as Task
  app.clock.now = today
  expect(later.status).toEqual(price.status)
  expect(dataOf(later)['price']).toEqual(dataOf(price)['price'])
})

test('the errors are those of A2A and JSON-RPC', async () => {
  const { id } = await ask(app, { text: '99213' })
  const text = { text: '99213' }
  const good = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: messageOf(text) }
  const configured = (configuration: object): object => ({ ...good, params: { ...messageOf(text), configuration } })
  const method = (name: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method: name, params })
  const cases: [what: string, body: unknown, code: number, headers?: Record<string, string>][] = [
    ['garbage', '{', -32700],
    ['duplicate members', '{"jsonrpc":"2.0","jsonrpc":"2.0"}', -32700],
    ['a batch', [good], -32600],
    ['no body', '', -32600],
    ['another protocol', { ...good, jsonrpc: '1.0' }, -32600],
    ['no id', { ...good, id: undefined }, -32600],
    ['an id of another type', { ...good, id: {} }, -32600],
    ['a very long id', { ...good, id: 'x'.repeat(200) }, -32600],
    ['an unknown method', method('message/send'), -32601],
    ['a method of every object', method('constructor'), -32601],
    ['no message', method('SendMessage'), -32602],
    ['no parts', { ...good, params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } } }, -32602],
    ['two parts', { ...good, params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [text, text] } } }, -32602],
    ['a message of an agent', { ...good, params: messageOf(text, { role: 'ROLE_AGENT' }) }, -32602],
    ['a context that is no name', { ...good, params: messageOf(text, { contextId: '<script>' }) }, -32602],
    ['an unknown skill', { ...good, params: messageOf({ data: { skill: 'attest' } }) }, -32602],
    ['a skill of another type', { ...good, params: messageOf({ data: { skill: 7 } }) }, -32602],
    ['data that is no object', { ...good, params: messageOf({ data: [1] }) }, -32602],
    ['a text without end', { ...good, params: messageOf({ text: 'x'.repeat(5000) }) }, -32602],
    ['a text that is not the JSON it begins as', { ...good, params: messageOf({ text: '{"cpt": "99213"' }) }, -32602],
    ['a question without end', { ...good, params: messageOf({ data: { cpt: 'x'.repeat(4000) } }) }, -32602],
    ['an unknown task', method('GetTask', { id: 'nobody' }), -32001],
    ['a forged task', method('GetTask', { id: Buffer.from('[1,"attest",{},"",1]').toString('base64url') }), -32001],
    ['a task of another form', method('GetTask', { id: Buffer.from('[2]').toString('base64url') }), -32001],
    ['a message for an unknown task', { ...good, params: messageOf(text, { taskId: 'nobody' }) }, -32001],
    ['canceling', method('CancelTask', { id }), -32002],
    ['canceling an unknown task', method('CancelTask', { id: 'nobody' }), -32001],
    ['push notifications', method('CreateTaskPushNotificationConfig'), -32003],
    [
      'push notifications with a message',
      configured({ taskPushNotificationConfig: { url: 'https://x.example' } }),
      -32003,
    ],
    ['a stream', method('SendStreamingMessage', messageOf(text)), -32004],
    ['a subscription', method('SubscribeToTask', { id }), -32004],
    ['a message for a completed task', { ...good, params: messageOf(text, { taskId: id }) }, -32004],
    ['a file', { ...good, params: messageOf({ url: 'https://x.example/a.pdf' }) }, -32005],
    ['text of another type', { ...good, params: messageOf({ ...text, mediaType: 'text/html' } as never) }, -32005],
    ['answers as images', configured({ acceptedOutputModes: ['image/png'] }), -32005],
    ['the extended card', method('GetExtendedAgentCard'), -32007],
    ['no version', good, -32009, { 'a2a-version': '' }],
    ['version 0.3', good, -32009, { 'a2a-version': '0.3' }],
    ['version 1.1', good, -32009, { 'a2a-version': '1.1' }],
  ]
  for (const [what, body, code, headers] of cases) {
    const { status, body: answer } = await post(app, body, headers)
    expect([what, answer.error?.code, status]).toEqual([what, code, code === -32009 ? 400 : 200])
    expect(answer.error?.data[0]).toMatchObject({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo' })
  }
  const unknown = await post(app, { ...good, params: messageOf({ data: { skill: 'canary' } }) })
  expect(unknown.body.error?.message).toMatch(
    /^there is no such skill; the skills are .*lookup_reference, .*lookup_references, /,
  )
  expect((await post(app, good, { 'a2a-version': '1.0.1' })).body.error).toBeUndefined()
  expect((await post(app, configured({ acceptedOutputModes: ['application/json'] }))).body.error).toBeUndefined()
  const large = await post(app, { ...good, padding: 'x'.repeat(70_000) })
  expect([large.status, large.body.error?.code]).toEqual([413, -32000])
  const form = await post(app, good, { 'content-type': 'text/plain' })
  expect([form.status, form.body.error?.code]).toEqual([415, -32000])
})

test('the SDK reads our errors as those of A2A', async () => {
  const client = await clientOf(app)
  const name = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.name,
    )
  expect(await name(client.getTask({ tenant: '', id: 'nobody' } as never))).toBe('TaskNotFoundError')
  const old = await clientOf(app, { 'a2a-version': '0.3' })
  expect(await name(old.getTask({ tenant: '', id: 'nobody' } as never))).toBe('VersionNotSupportedError')
})

test('calls count against the quota of the operation, and of the caller', async () => {
  await using app = await testApp({ limits: { enabled: true, reference_rpm: 3, default_rpm: 3 } })
  for (let i = 0; i < 3; i++) expect((await call(app, 'SendMessage', messageOf({ text: '99213' }))).status).toBe(200)
  const limited = await call(app, 'SendMessage', messageOf({ text: '99213' }))
  expect([limited.status, limited.body.error?.code]).toEqual([429, -32000])
  expect(limited.headers.get('retry-after')).toMatch(/^[0-9]+$/)
  expect((await app.request('/reference?cpt=99213')).status).toBe(429)
  for (let i = 0; i < 3; i++) expect((await call(app, 'Nonsense', {})).status).toBe(200)
  expect((await call(app, 'Nonsense', {})).status).toBe(429)
})

test('what runs no operation is counted too, and refused over the quota', async () => {
  await using limited = await testApp({ limits: { default_rpm: 3, reference_rpm: 3, log_rpm: 3, enabled: true } })
  const statuses: number[] = []
  for (let i = 0; i < 5; i++) {
    const request = new Request(`${BASE_URL}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: i, method: 'ListTasks', params: {} }),
    })
    statuses.push((await limited.app.fetch(request, '192.0.2.7')).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429])
})

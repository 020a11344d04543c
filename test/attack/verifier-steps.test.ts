// What a body can make the verifier do grows with its length alone. One with a thousand short rows and a long one once kept a
// process busy for most of a second.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { parsePolicy } from '../../src/proof/verify.ts'
import { verification } from '../../src/registry/lookup/verified-answer.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { isLinear } from '../support/linear.ts'

type Members = Record<string, unknown>
type Leaves = [index: number, leaf: Members][]
interface Body extends Members {
  data: Members[]
  proof: {
    timeline: { leaves: Leaves; hashes?: string[] }
    releases: { release: Members; rows?: { leaves?: Leaves; hashes?: string[] } }[]
  }
}

let app: TestApp
beforeAll(async () => {
  app = await testApp({ sample: true })
})
afterAll(() => app[Symbol.asyncDispose]())

/** As large as the service takes. */
const LENGTH = 64 * 1024
const HASH = Buffer.alloc(32, 7).toString('base64')

/** Ways to make a body longer. Each takes an amount and returns the body with so much more of one thing. */
const SHAPES: Record<string, (body: Body, many: number) => Members> = {
  'short rows': (body, many) => ({ ...body, data: Array.from({ length: many }, () => ({ kind: 'price' })) }),
  'one row with many members': (body, many) => ({ ...body, data: [{ ...body.data[0], ...members(many) }] }),
  'short rows and one with many members': (body, many) => ({
    ...body,
    data: [...Array.from({ length: many / 2 }, () => ({})), members(many / 2)],
  }),
  'rows that point to themselves': (body, many) => ({
    ...body,
    data: Array.from({ length: many }, (_, index) => ({
      ...body.data[0],
      proof: { release: 0, index, leaf_hash: HASH },
    })),
  }),
  'indicators of a row': (body, many) => ({
    ...body,
    data: body.data.map((row) => ({ ...row, indicators: members(many) })),
  }),
  'inputs of a derivation': (body, many) => ({
    ...body,
    data: body.data.map((row) => ({ ...row, derivation: { method: 'pfs-formula/1', inputs: members(many) } })),
  }),
  'hashes of the timeline': (body, many) =>
    withProof(body, { timeline: { ...body.proof.timeline, hashes: hashes(many) } }),
  'leaves of the timeline': (body, many) =>
    withProof(body, {
      timeline: { leaves: Array.from({ length: many }, (_, at) => [at, body.proof.timeline.leaves[0]?.[1]]) },
    }),
  'leaves far apart': (body, many) =>
    withProof(body, {
      timeline: { leaves: Array.from({ length: many }, (_, at) => [at * 2 ** 40, body.proof.timeline.leaves[0]?.[1]]) },
    }),
  releases: (body, many) => withProof(body, { releases: Array.from({ length: many }, () => body.proof.releases[0]) }),
  'hashes of the rows': (body, many) =>
    withProof(body, {
      releases: body.proof.releases.map((each) => ({ ...each, rows: { ...each.rows, hashes: hashes(many) } })),
    }),
  'lists in lists': (body, many) => ({ ...body, about: Array.from({ length: many / 30 }, () => nested(30)) }),
  'escapes in a text': (body, many) => ({ ...body, about: '"\\'.repeat(many) }),
  'lines of a checkpoint': (body, many) =>
    withProof(body, {
      log: { ...(body.proof as unknown as { log: Members }).log, checkpoint: `a\n${'— a AAAA\n'.repeat(many)}` },
    }),
}

const members = (many: number): Members => Object.fromEntries(Array.from({ length: many }, (_, at) => [`m${at}`, '1']))
const hashes = (many: number): string[] => Array.from({ length: many }, () => HASH)
const nested = (deep: number): unknown => (deep === 0 ? 0 : [nested(deep - 1)])
const withProof = (body: Body, changed: Members): Members => ({ ...body, proof: { ...body.proof, ...changed } })

/** The body with as much of one thing as fits into a length. */
function bodyOf(shape: (body: Body, many: number) => Members, body: Body, length: number): string {
  const size = (many: number): number => JSON.stringify(shape(body, many)).length
  const each = (size(2_000) - size(1_000)) / 1_000
  return JSON.stringify(shape(body, Math.max(0, Math.floor((length - size(0)) / each))))
}

test('a body of twice the length costs the verifier at most twice as much, whatever it is filled with', async () => {
  const body = (await (await app.request('/reference/sheet?cpt=99213&region=US-CA-05&as_of=2026-11-15')).json()) as Body
  const policy = parsePolicy(await (await app.request('/log/policy')).text())
  if (!policy) throw new Error('the service has no policy')
  const question = { cpt: '99213', region: 'US-CA-05', as_of: '2026-11-15' }
  const slow: string[] = []
  for (const [name, shape] of Object.entries(SHAPES)) {
    const check = (text: string) => verification(text, policy, question, '2026-11-15')
    if (!(await isLinear(check, (length) => [bodyOf(shape, body, length)], LENGTH))) slow.push(name)
  }
  expect(slow).toEqual([])
})

test('one caller has few bodies verified at once, as with all heavy work, and permalinks are not counted with them', async () => {
  const headers = { 'content-type': 'application/json' }
  const post = async (body: object): Promise<number> =>
    (await app.request('/reference/verify', { method: 'POST', headers, body: JSON.stringify(body) })).status
  const statuses = (body: object) => Promise.all(Array.from({ length: 12 }, () => post(body)))
  expect(new Set(await statuses({ answer: {} }))).toEqual(new Set([200, 503]))
  expect(new Set(await statuses({ href: '/rows/cms-pfs:SAMPLE26D:1/0' }))).toEqual(new Set([200]))
})

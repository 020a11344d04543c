import { generateKeyPairSync, sign } from 'node:crypto'
import { testStore } from '../../test/support/engines.ts'
import { type Access, type Call, type Gate, perform, SCOPE_NAMES, type Visit } from '../operation.ts'
import { Problem, type ProblemCode } from '../problem.ts'
import { makeGate } from './admission.ts'
import { createKey, type IssuedKey, type NewKey } from './keys.ts'
import { makeLimiter } from './limit/limits.ts'
import { type RailsParts, railsOperations } from './operations.ts'

export const BASE_URL = 'https://registry.example'
const START = Date.UTC(2026, 6, 2)

/** The rails over a real store in a temporary directory, with a clock that the test moves. */
export async function testRails({ limits = false } = {}) {
  const store = await testStore()
  const { db } = store
  const clock = { ms: START }
  const parts: RailsParts = {
    db,
    pepper: new Uint8Array(32).fill(7),
    now: async () => clock.ms,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    baseUrl: () => BASE_URL,
    limits: { default_rpm: 120, reference_rpm: 300 },
    routes: { additional_public: ['/api/coverage'], additional_protected: { '/log/figures/entries': ['audit:read'] } },
  }
  const limiter = makeLimiter({ ...parts.limits, log_rpm: 6_000, enabled: limits }, () => clock.ms)
  const gate: Gate = makeGate(parts, limiter)
  const operations = new Map(railsOperations(parts).map((op) => [op.name, op]))

  const call = async (name: string, from: Partial<Call>, body: Record<string, unknown> = {}) => {
    const op = operations.get(name)
    if (!op) throw new Error(`no operation ${name}`)
    return perform(op, { address: '192.0.2.1', ...from }, gate, async () => body)
  }
  const answer = async (name: string, from: Partial<Call>, body: Record<string, unknown> = {}) => {
    const outcome = await call(name, from, body)
    if (!outcome.ok) throw outcome.problem
    return outcome.output as Record<string, unknown>
  }
  const problem = async (name: string, from: Partial<Call>, body: Record<string, unknown> = {}): Promise<Problem> => {
    const outcome = await call(name, from, body)
    if (outcome.ok) throw new Error(`${name} was not refused`)
    return outcome.problem
  }
  const nonce = async (agentKey: string) => (await answer('request_challenge', { agentKey }))['nonce'] as string
  const enter = async (
    from: Partial<Call>,
    access: Access,
    bucket: 'default' | 'reference' = 'default',
    cost?: () => number,
  ): Promise<Visit> => gate.enter({ address: '192.0.2.1', ...from }, access, bucket, cost)

  return {
    db,
    clock,
    parts,
    gate,
    operations,
    call,
    answer,
    problem,
    nonce,
    enter,
    passSeconds: (seconds: number) => {
      clock.ms += seconds * 1000
    },
    key: (wanted: Partial<NewKey> = {}): Promise<IssuedKey> =>
      createKey(parts, { name: 'test agent', scopes: SCOPE_NAMES, ...wanted }),
    token: async (agentKey: string, more: Record<string, unknown> = {}) =>
      (await answer('attest', { agentKey }, { nonce: await nonce(agentKey), ...more }))['rails_token'] as string,
    /** The code of the refusal, or `in`. */
    async verdict(from: Partial<Call>, access: Access): Promise<ProblemCode | 'in'> {
      return (await enter(from, access)).refusal?.code ?? 'in'
    },
    /** All rows of a table in the given order. */
    rows: <Row>(table: string, order: string) => db.query<Row>(`SELECT * FROM ${table} ORDER BY ${order}`),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
    },
  }
}

/** A key pair of an agent. */
export function anEd25519Key() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const jwk = publicKey.export({ format: 'jwk' })
  return {
    raw: new Uint8Array(Buffer.from(jwk.x ?? '', 'base64url')),
    publicKey,
    privateKey,
    sign: (text: string): string => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  }
}

const littleEndian = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.padStart(64, '0'), 'hex').reverse())
/** The neutral point, a point of order two, and the neutral point again, written with a coordinate beyond the prime. */
export const UNSOUND_KEYS = ['1', `7f${'f'.repeat(60)}ec`, `7f${'f'.repeat(60)}ee`].map(littleEndian)
/** R is the neutral point and S is 0: under the neutral point as key it is a signature of every text. */
export const CONSTANT_SIGNATURE = Buffer.concat([littleEndian('1'), new Uint8Array(32)]).toString('base64url')

/** The parts of a refusal that a caller could see. */
export const seen = ({ code, detail, extra }: Problem) => ({ code, detail, extra })

export async function refusal(work: Promise<unknown>): Promise<Problem> {
  try {
    await work
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('it was not refused')
}

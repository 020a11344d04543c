// The evidence card, run by a client in a frame without network (MCP Apps, SEP-1865). It talks to its host alone: it
// receives the question and the answer, asks for the same answer with its proof, and checks that here, in the frame. Then it
// shows what was verified in place of the sentence that the service wrote.

import { parsePolicy, verifyBody } from '../../proof/verify.ts'
import { claimOf } from '../browser/proved-claim.ts'

type Members = Record<string, unknown>
interface Message {
  id?: number
  method?: string
  params?: Members
  result?: Members
  error?: unknown
}
interface Result {
  content?: { type: string; text?: string }[]
  structuredContent?: Members
  _meta?: Members
  isError?: boolean
}

const PROTOCOL = '2026-01-26'
const element = (id: string): HTMLElement => document.getElementById(id) as HTMLElement
const policy = parsePolicy(element('policy').textContent ?? '')

let asked: Members = {}
let count = 0
const waiting = new Map<number, (message: Message) => void>()

const post = (message: object): void => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
const tell = (method: string, params: object = {}): void => post({ method, params })
const request = (method: string, params: object): Promise<Message> =>
  new Promise((resolve) => {
    const id = ++count
    waiting.set(id, resolve)
    post({ id, method, params })
  })

/** Text is set as text alone: nothing of an answer can become markup. */
function show(id: string, text: string, state = ''): void {
  element(id).textContent = text
  element(id).dataset['state'] = state
  tell('ui/notifications/size-changed', { height: document.documentElement.scrollHeight })
}

function showResult({ content = [], isError }: Result): void {
  show('statement', content.find(({ type }) => type === 'text')?.text ?? '', isError ? 'none' : '')
  show('verdict', '')
  element('verify').toggleAttribute('disabled', false)
}

async function verify(): Promise<void> {
  element('verify').toggleAttribute('disabled', true)
  show('verdict', 'Checking the proof.')
  const { result } = await request('tools/call', {
    name: 'lookup_price',
    arguments: { ...asked, include: 'proof' },
  })
  const { structuredContent, _meta } = (result ?? {}) as Result
  // As `QUESTION` in server.ts. The statement says how the question was read.
  const understood = _meta?.['agent-trust-registry/question'] as Members | undefined
  const { claim, verdict, state } = await verdictOn(structuredContent, understood ?? asked)
  show('statement', claim)
  show('verdict', verdict, state)
  element('verify').toggleAttribute('disabled', false)
}

interface Shown {
  claim: string
  verdict: string
  state: 'good' | 'bad'
}

async function verdictOn(body: Members | undefined, asked: Members): Promise<Shown> {
  if (!body || !policy) return { claim: '', verdict: 'The proof could not be fetched.', state: 'bad' }
  const { include: _, ...given } = asked
  const day = new Date().toISOString().slice(0, 10)
  const question = { region: 'national', as_of: day, cpt: '', ...given }
  const verdict = await verifyBody(JSON.stringify(body), policy, { question })
  const [decision] = verdict.ok ? verdict.decisions : []
  if (!verdict.ok || !decision) {
    const reason = verdict.ok ? 'nothing_proved' : verdict.reason
    return { claim: '', verdict: `Not verified: ${reason}. Do not use this answer.`, state: 'bad' }
  }
  const sources = [...new Set(verdict.rows.map(({ release }) => release.release_id))].join(', ')
  return {
    claim: claimOf(decision, question),
    verdict: `Verified here, in this frame, under the keys below. Proved by: ${sources}.`,
    state: 'good',
  }
}

window.addEventListener('message', ({ source, data }: MessageEvent<Message>) => {
  if (source !== window.parent || typeof data !== 'object' || data === null) return
  const { id, method, params = {} } = data
  if (method === 'ui/notifications/tool-input') asked = (params['arguments'] as Members | undefined) ?? {}
  else if (method === 'ui/notifications/tool-result') showResult(params as Result)
  else if (method === 'ui/resource-teardown' || method === 'ping') post({ id, result: {} })
  else if (method === undefined && id !== undefined) {
    waiting.get(id)?.(data)
    waiting.delete(id)
  }
})
element('verify').addEventListener('click', () => void verify())
await request('ui/initialize', {
  protocolVersion: PROTOCOL,
  appInfo: { name: 'evidence-card', version: '1.0.0' },
  appCapabilities: {},
})
tell('ui/notifications/initialized')

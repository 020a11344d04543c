// Two hundred questions as people write them, in eleven classes: what each was read as is in test/questions/questions.txt, and all
// four surfaces give the same answer to what was read.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Members } from '../../src/proof/shape.ts'
import { readText } from '../../src/surfaces/a2a/text.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { pathOf } from '../support/lookup.ts'
import { call, type ToolResult } from '../support/mcp.ts'

const TODAY = '2026-11-15'
const QUESTIONS = readFileSync(join(import.meta.dir, '../questions/questions.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [inClass = '', text = '', expected = ''] = line.split(' | ')
    return { inClass, text, expected: sorted(expected) }
  })

function sorted(words: string): string {
  const [first = '', ...rest] = words.split(' ')
  return [first, ...rest.sort()].join(' ')
}

/** What a text was read as, in the words of the table. */
function readAs(text: string): string {
  const { result } = readText(text, TODAY)
  if ('refusal' in result) return `!${result.refusal}`
  const { lines, ...alone } = result.input
  const all = Array.isArray(lines) ? (lines as Members[]) : [alone]
  const { cpt, modifier, ...others } = all[0] as Members
  const parts = Object.entries(others).map(([name, value]) => `${name}=${value}`)
  return sorted(
    [modifier ? `${cpt}-${modifier}` : cpt, ...parts, ...(all.length > 1 ? [`+${all.length}`] : [])].join(' '),
  )
}

test('of two hundred questions nine in ten are read as they were meant, and none is read as another', () => {
  expect(QUESTIONS).toHaveLength(200)
  expect(new Set(QUESTIONS.map(({ inClass }) => inClass)).size).toBe(11)
  const wrong = QUESTIONS.filter(({ text, expected }) => readAs(text) !== expected)
  expect(wrong.length).toBeLessThanOrEqual(20)
  // A question that is refused is no misleading answer. One that is read must be read with every value that it has.
  const misleading = wrong.filter(({ text, expected }) => !readAs(text).startsWith('!') && !expected.startsWith('!'))
  expect(misleading).toEqual([])
})

/** The amount of a price, or the code of a refusal. */
function outcomeOf(answer: Members): string {
  const { price, adjustment, code, status } = answer as {
    price?: { amount?: string; low?: string }
    adjustment?: { amount: string }
    code?: string
    status?: number
  }
  if (price === undefined || status !== undefined) return String(code)
  return adjustment?.amount ?? price.amount ?? String(price.low)
}

async function byA2a(app: TestApp, text: string): Promise<Members> {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] } },
  }
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
  const response = await app.app.fetch(
    new Request(`${BASE_URL}/a2a`, { method: 'POST', headers, body: JSON.stringify(body) }),
    '192.0.2.1',
  )
  const { result } = (await response.json()) as { result: { task: { artifacts: { parts: { data: Members }[] }[] } } }
  return result.task.artifacts[0]?.parts[0]?.data ?? {}
}

test('what was read has one answer by HTTP, by a tool, by a message and on a page', async () => {
  await using app = await testApp({ sample: true })
  const read = QUESTIONS.flatMap(({ text }) => {
    const { result } = readText(text, TODAY)
    return 'input' in result && !('lines' in result.input)
      ? [{ text, input: result.input as Members & { cpt: string } }]
      : []
  })
  let priced = 0
  for (const [at, { text, input }] of read.entries()) {
    const asked = { ...input, as_of: input['as_of'] ?? TODAY } as { cpt: string }
    const byHttp = outcomeOf((await (await app.request(pathOf(asked))).json()) as Members)
    const { result } = (await (await call(app, 'lookup_price', asked)).json()) as { result: ToolResult }
    expect([text, outcomeOf(result.structuredContent ?? {})]).toEqual([text, byHttp])
    expect([text, outcomeOf(await byA2a(app, text))]).toEqual([text, byHttp])
    const isPrice = /^[0-9.]+$/.test(byHttp)
    if (isPrice) priced++
    // A page takes as long as the rest together.
    if (at % 5 > 0) continue
    const { cpt, ...query } = asked
    const address = `${BASE_URL}${pathOf(query as never, `/price/${cpt}`)}`
    const page = await app.app.fetch(new Request(address, { headers: { accept: 'text/markdown' } }), '192.0.2.1')
    if (isPrice) expect([text, page.status, (await page.text()).includes(byHttp)]).toEqual([text, 200, true])
    else expect([text, page.status]).not.toEqual([text, 200])
  }
  expect(priced).toBeGreaterThan(5)
})

/** The calls of one agent, which has tools alone, until its task is done. */
class Agent {
  calls = 0
  constructor(readonly app: TestApp) {}

  async call(name: string, args: Members): Promise<ToolResult> {
    this.calls++
    const { result } = (await (await call(this.app, name, args)).json()) as { result: ToolResult }
    return result
  }

  price = (args: Members): Promise<ToolResult> => this.call('lookup_price', args)
}
const textOf = ({ content }: ToolResult): string => String(content[0]?.text)
const NPI = '1234567893'

/** What the advocate of a patient wants to know. Each is done by what the answers themselves say to do next. */
const TASKS: Readonly<Record<string, (agent: Agent) => Promise<string>>> = {
  'whose price the emergency visit has': async (agent) =>
    textOf(await agent.price({ cpt: '99284', place_of_service: '23' })),
  'the price at a place that is open': async (agent) => {
    const refused = await agent.price({ cpt: '99213', region: 'California' })
    const { choices } = (refused.structuredContent?.['about'] ?? {}) as { choices: { region: string }[] }
    return textOf(await agent.price({ cpt: '99213', region: choices[0]?.region }))
  },
  'what the hospital itself lists': async (agent) =>
    textOf(await agent.price({ cpt: '70450', npi: NPI, basis: 'hospital_gross' })),
  'whether the price is proved': async (agent) => {
    const { structuredContent } = await agent.price({ cpt: '99213' })
    const { href } = (structuredContent?.['proof'] ?? {}) as { href?: string }
    return textOf(await agent.call('verify_proof', { href }))
  },
  'how the price changed': async (agent) => textOf(await agent.call('price_history', { cpt: '99213' })),
  'what both knees cost': async (agent) => {
    const refused = await agent.price({ cpt: '27447-LT-RT' })
    expect(textOf(refused)).toContain('both sides are paid as one')
    return textOf(await agent.price({ cpt: '27447' }))
  },
  'what the reader does alone': async (agent) => textOf(await agent.price({ cpt: '70450', modifier: '26' })),
  'the price where the bill has a diagnosis': async (agent) => {
    const named = await agent.price({ cpt: 'J45.909' })
    expect(textOf(named)).toContain('ICD-10-CM')
    return textOf(await agent.price({ cpt: '99213' }))
  },
  'all that there is for a scan': async (agent) => textOf(await agent.call('code_sheet', { cpt: '70450', npi: NPI })),
  'what an assistant at surgery is paid': async (agent) => textOf(await agent.price({ cpt: '47562', modifier: '80' })),
}

test('an agent with tools alone does ten tasks of a patient, each in at most five calls', async () => {
  await using app = await testApp({ sample: true })
  expect(Object.keys(TASKS)).toHaveLength(10)
  for (const [task, work] of Object.entries(TASKS)) {
    const agent = new Agent(app)
    const text = await work(agent)
    expect([task, text]).toEqual([task, expect.stringMatching(/\$[0-9]|^Verified: /)])
    expect([task, agent.calls <= 5]).toEqual([task, true])
  }
})

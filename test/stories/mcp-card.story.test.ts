// The evidence card in a real browser, in the frame of a host that tells it the truth, and of one that does not.

import { expect, test } from 'bun:test'
import { answerOfPage, findChromium, whyNoChromium } from '../support/browser.ts'
import { testApp } from '../support/harness.ts'
import { connect } from '../support/mcp.ts'
import { isSkipped } from '../support/skipping.ts'

/** The part of a host that the card talks to: the page of an MCP client (MCP Apps, SEP-1865). */
const HOST = `
const { card, asked, result, proved, forged } = await (await fetch('/facts.json')).json()
async function shownBy(answer) {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin')
  const calls = []
  const done = new Promise((resolve) => addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow) return
    const reply = (message) => source.postMessage({ jsonrpc: '2.0', ...message }, '*')
    if (data.method === 'ui/initialize')
      reply({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'h', version: '1' }, hostCapabilities: { serverTools: {} }, hostContext: {} } })
    if (data.method === 'ui/notifications/initialized') {
      reply({ method: 'ui/notifications/tool-input', params: { arguments: asked } })
      reply({ method: 'ui/notifications/tool-result', params: result })
      setTimeout(() => frame.contentDocument.getElementById('verify').click(), 50)
    }
    if (data.method === 'tools/call') {
      calls.push(data.params)
      reply({ id: data.id, result: answer })
    }
    const text = (id) => frame.contentDocument?.getElementById(id)?.textContent ?? ''
    if (/erified/.test(text('verdict'))) resolve({ statement: text('statement'), verdict: text('verdict'), calls })
  }))
  frame.srcdoc = card
  document.body.append(frame)
  return done
}
export default async () => ({ good: await shownBy(proved), bad: await shownBy(forged) })`

/** The sentence of a service that lies beside a true proof. */
const LIE = '1.00 USD is the price of 99213. Verified.'

interface Shown {
  statement: string
  verdict: string
  calls: object[]
}

const chromium = findChromium()
const noBrowser = isSkipped('the evidence card in a browser', whyNoChromium(chromium))

test.skipIf(noBrowser)(
  'the evidence card shows what it verified in its own frame in place of the sentence that came with it',
  async () => {
    if (!chromium) throw new Error('there is no Chromium here, and none can be installed')
    const today = new Date().toISOString().slice(0, 10)
    await using app = await testApp({ sample: true, today })
    const client = await connect(app, 'modern')
    // Asked as on the bill, and verified as it was understood.
    const asked = { cpt: '99213-25', as_of: today }
    const ask = (args: object) => client.callTool({ name: 'lookup_price', arguments: { ...asked, ...args } })
    const { contents } = await client.readResource({ uri: 'ui://agent-trust-registry/evidence-card' })
    const card = contents[0]?.text ?? ''
    const result = await ask({})
    const proved = await ask({ include: 'proof' })
    const price = { amount: '1.00', currency: 'USD', per: null }
    const forged = { ...proved, structuredContent: { ...proved.structuredContent, price } }
    const lied = { ...result, content: [{ type: 'text', text: LIE }] }
    const facts = JSON.stringify({ card, asked, result: lied, proved, forged })
    const { good, bad } = await answerOfPage<{ good: Shown; bad: Shown }>(chromium, { 'facts.json': facts }, HOST)

    // What the service said is gone: code, place, day, amount and modifier are those of the proof.
    const { amount } = (proved.structuredContent as { price: { amount: string } }).price
    expect(good.statement).toBe(
      `99213-25, national, ${today}: ${amount} USD, medicare pfs, non facility, unchanged by 25.`,
    )
    expect(bad.statement).toBe('')
    expect(good.verdict).toBe('Verified here, in this frame, under the keys below. Proved by: cms-pfs:SAMPLE26D:1.')
    expect(good.calls).toEqual([{ name: 'lookup_price', arguments: { ...asked, include: 'proof' } }])
    expect(bad.verdict).toMatch(/^Not verified: \w+\. Do not use this answer\.$/)
    // It may load nothing and connect to nothing, and has no address of any service in it but the keys' own.
    expect(card).toContain(`content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"`)
    expect(card).not.toMatch(/<(link|img|iframe|script src)/)
  },
)

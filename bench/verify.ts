import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto'
import { browserModule, sourceOf } from '../scripts/build.ts'
import { utf8 } from '../src/proof/bytes.ts'
import { formatPolicy } from '../src/proof/note/policy.ts'
import { parseNote } from '../src/proof/note/signed-note.ts'
import type { CitedRow } from '../src/proof/price/row.ts'
import { verifyBody, verifyRow } from '../src/proof/verify.ts'
import { answerOfPage, findChromium } from '../test/support/browser.ts'
import { testApp } from '../test/support/harness.ts'
import { type Line, perSecond, rate, times } from './measure.ts'

/** How fast a stranger can check rows, beside the bare cryptography that no verifier can do without. */
export async function verification(): Promise<Line[]> {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders()
  const page = (await app.getJson('/api/registry?limit=200', headers)) as { data: CitedRow[] }
  const rows = page.data
  const { policy } = app
  let next = 0
  const one = (): CitedRow => rows[next++ % rows.length] as CitedRow

  const verified = await rate(async () => {
    const verdict = await verifyRow(one(), policy)
    if (!verdict.ok) throw new Error(verdict.reason)
  })
  const texts = rows.map((row) => JSON.stringify(row))
  const parsed = await rate(async () => {
    const verdict = await verifyBody(texts[next++ % texts.length] as string, policy)
    if (!verdict.ok) throw new Error(verdict.reason)
  })
  const bare = await rate(bareCryptography(one(), app.installation.registryLog.signers[0].publicKey))
  const browser = await inChromium(texts[0] as string, formatPolicy(app.installation.registryLog.signers))
  return [
    ...browser,
    {
      what: 'verify one row, from an object',
      figure: perSecond(verified),
      beside: `${times(verified, bare)} of bare Ed25519 + SHA-256`,
    },
    {
      what: 'verify one answer, from its text',
      figure: perSecond(parsed),
      beside: `${times(parsed, bare)} of bare Ed25519 + SHA-256`,
    },
    { what: 'bare Ed25519 verify and the same hashes (node:crypto)', figure: perSecond(bare), beside: 'the peer' },
  ]
}

/** One signature check, and as many hashes as the row's two paths and leaves take. */
function bareCryptography(row: CitedRow, publicKey: Uint8Array): () => void {
  const note = parseNote(row.proof.log.checkpoint)
  const message = utf8(note?.text ?? '')
  const signature = note?.signatures[0]?.signature ?? new Uint8Array()
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
    format: 'jwk',
  })
  const node = new Uint8Array(65)
  const leaf = utf8(JSON.stringify(row))
  const nodes = row.proof.row.path.length + row.proof.log.inclusion.length
  return () => {
    if (!verifySignature(null, message, key, signature)) throw new Error('the peer does not verify')
    createHash('sha256').update(leaf).digest()
    for (let i = 0; i < nodes; i++) createHash('sha256').update(node).digest()
  }
}

/** One row in a fresh page, and then one after another: how long a person waits. */
async function inChromium(row: string, policy: string): Promise<Line[]> {
  const chromium = findChromium()
  if (!chromium) return [{ what: 'verify one row in Chromium', figure: 'not measured', beside: 'no Chromium here' }]
  const module = `
    import { parsePolicy, verifyBody } from './verify.js'
    const ms = async () => {
      const began = performance.now()
      const verdict = await verifyBody(row, parsePolicy(policy))
      if (!verdict.ok) throw new Error(verdict.reason)
      return performance.now() - began
    }
    const [row, policy] = ${JSON.stringify([row, policy])}
    export default async function () {
      const first = await ms()
      const later = []
      for (let i = 0; i < 200; i++) later.push(await ms())
      return { first, median: later.sort((a, b) => a - b)[100] }
    }`
  const files = { 'verify.js': await browserModule(sourceOf('verify')) }
  const { first, median } = await answerOfPage<{ first: number; median: number }>(chromium, files, module)
  return [
    {
      what: 'verify one row in Chromium, first in a fresh page',
      figure: `${first.toFixed(1)} ms`,
      beside: `${(50 / first).toFixed(1)}x faster than 50 ms`,
    },
    {
      what: 'verify one row in Chromium, keys parsed anew each time',
      figure: `${median.toFixed(1)} ms`,
      beside: `${(50 / median).toFixed(1)}x faster than 50 ms`,
    },
  ]
}

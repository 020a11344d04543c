import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto'
import { utf8 } from '../src/proof/bytes.ts'
import type { CitedRow } from '../src/proof/row.ts'
import { parseNote } from '../src/proof/signed-note.ts'
import { verifyBody, verifyRow } from '../src/proof/verify.ts'
import { testApp } from '../test/harness.ts'
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
  return [
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

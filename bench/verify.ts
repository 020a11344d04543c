import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { publishedModule } from '../scripts/build.ts'
import { answerOf } from '../src/proof/answer-fixture.ts'
import { toBase64, utf8 } from '../src/proof/bytes.ts'
import { aSigner } from '../src/proof/fixture.ts'
import { pageOf } from '../src/proof/list-fixture.ts'
import { formatPolicy } from '../src/proof/note/policy.ts'
import { parseNote } from '../src/proof/note/signed-note.ts'
import type { CitedRow } from '../src/proof/price/proofs.ts'
import type { Manifest } from '../src/proof/price/release.ts'
import { type Row, rowText } from '../src/proof/price/row.ts'
import { aFee, aRow, MemoryRegistry, MemoryRelease } from '../src/proof/registry-fixture.ts'
import { HashTree } from '../src/proof/tree/hash-tree.ts'
import { type Hash, leafHash } from '../src/proof/tree/merkle.ts'
import { type Inquiry, parsePolicy, type TrustPolicy, verifyBody, verifyRow } from '../src/proof/verify-lists.ts'
import { answerOfPage, findChromium } from '../test/support/browser.ts'
import { type Line, perSecond, rate, times } from './measure.ts'

const DAY = '2026-07-15'
const ROWS_ON_A_PAGE = 200

/** How fast a stranger can check rows, beside the bare cryptography that no verifier can do without; and what it costs to send. */
export async function verification({ quick }: { quick: boolean }): Promise<Line[]> {
  const signer = await aSigner('registry.example/log/registry')
  const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy
  const registry = new MemoryRegistry(signer)
  const codes = Array.from({ length: 2_000 }, (_, i) => String(10_000 + i))
  const release = registry.publish(
    codes.map((cpt) => aFee({ cpt })),
    { chart: 'cms-pfs' },
  )
  const checked = async (body: string, asked: Inquiry): Promise<void> => {
    const verdict = await verifyBody(body, policy, asked)
    if (!verdict.ok) throw new Error(verdict.reason)
  }
  let next = 0
  const rows = await Promise.all(codes.slice(0, 200).map((_, i) => registry.cite(release, i) as Promise<CitedRow<Row>>))
  const one = (): CitedRow<Row> => rows[next++ % rows.length] as CitedRow<Row>
  const verified = await rate(async () => {
    const verdict = await verifyRow(one(), policy)
    if (!verdict.ok) throw new Error(verdict.reason)
  })
  const answers = await Promise.all(
    codes.slice(0, 200).map(async (cpt) => {
      const question = { cpt, as_of: DAY }
      return { question, text: JSON.stringify((await answerOf(registry, question)).body) }
    }),
  )
  const parsed = await rate(async () => {
    const { question, text } = answers[next++ % answers.length] as (typeof answers)[number]
    await checked(text, { question })
  })
  const page = JSON.stringify(await pageOf(registry, DAY, [{ release, from: 300, to: 300 + ROWS_ON_A_PAGE }]))
  const pages = await rate(() => checked(page, { page: { as_of: DAY, chart: 'cms-pfs' } }))
  const bare = await rate(bareCryptography(one(), signer.publicKey))
  const inBrowsers = () => inChromium((answers[0] as (typeof answers)[number]).text, formatPolicy([signer]))
  return [
    ...(quick ? [] : [...(await inBrowsers()), ...(await sizes())]),
    {
      what: `verify rows of a page of ${ROWS_ON_A_PAGE}, from its text, under one checkpoint`,
      figure: `${perSecond(pages * ROWS_ON_A_PAGE)}`,
      beside: `${(page.length / ROWS_ON_A_PAGE).toFixed(0)} bytes a row`,
    },
    {
      what: 'verify one row, from an object',
      figure: perSecond(verified),
      beside: `${times(verified, bare)} of bare Ed25519 + SHA-256`,
      ratio: { name: 'verify row / bare', value: verified / bare },
    },
    {
      what: 'verify one answer to its question, from its text',
      figure: perSecond(parsed),
      beside: `${times(parsed, bare)} of bare Ed25519 + SHA-256`,
      ratio: { name: 'verify answer / bare', value: parsed / bare },
    },
    { what: 'bare Ed25519 verify and the same hashes (node:crypto)', figure: perSecond(bare), beside: 'the peer' },
  ]
}

/** One signature check, and as many hashes as the row's paths and leaves take. */
function bareCryptography({ proof, ...row }: CitedRow<Row>, publicKey: Uint8Array): () => void {
  const note = parseNote(proof.log.checkpoint)
  const message = utf8(note?.text ?? '')
  const signature = note?.signatures[0]?.signature ?? new Uint8Array()
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
    format: 'jwk',
  })
  const node = new Uint8Array(65)
  const leaves = [row, proof.release, proof.in_force?.state, proof.in_force?.period].map((leaf) =>
    utf8(JSON.stringify(leaf)),
  )
  const nodes = proof.row.path.length + proof.log.inclusion.length + (proof.in_force?.path.length ?? 0)
  return () => {
    if (!verifySignature(null, message, key, signature)) throw new Error('the peer does not verify')
    for (const leaf of leaves) createHash('sha256').update(leaf).digest()
    for (let i = 0; i < nodes; i++) createHash('sha256').update(node).digest()
  }
}

const moduleOf = async (name: 'verify' | 'verify/lists'): Promise<Uint8Array> => utf8(await publishedModule(name))

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} KB`

/** What a client has to load, and what an answer of the largest registry we can think of has to carry. */
async function sizes(): Promise<Line[]> {
  const [lookups, lists] = [await moduleOf('verify'), await moduleOf('verify/lists')]
  const large = await largeRegistry()
  return [
    {
      what: 'the verifier of lookups as it is published, with its comments',
      figure: kilobytes(lookups.length),
      beside: `${kilobytes(gzipSync(lookups).length)} with gzip`,
    },
    {
      what: 'the same with all lists',
      figure: kilobytes(lists.length),
      beside: `${kilobytes(gzipSync(lists).length)} with gzip`,
    },
    ...large.map(({ what, text }) => ({
      what: `${what}, of two million rows, beside 10,000 charts`,
      figure: kilobytes(text.length),
      beside: `${kilobytes(gzipSync(text).length)} with gzip`,
    })),
  ]
}

const ROWS = 2_000_000
const CHARTS = 10_000

/** Registries of this size are not made whole: all rows but one are only hashes. */
async function largeRegistry(): Promise<{ what: string; text: string }[]> {
  const signer = await aSigner('registry.example/log/registry')
  const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy
  const npi = '1234567893'
  const registry = new MemoryRegistry(signer)
  const small = (i: number): Manifest => {
    const own = String(1_300_000_000 + i)
    return new MemoryRelease([], { chart: `hospital-mrf:${own}`, providers: [own] }).manifest
  }
  const charge = aRow({ cpt: '99213', npi, basis: 'hospital_cash', setting: 'outpatient', class: 'facility' })
  const releases = [
    largeRelease(aFee({ cpt: '99213' }), { chart: 'cms-pfs' }),
    largeRelease(charge, { chart: `hospital-mrf:${npi}`, providers: [npi] }),
  ]
  registry.releases.push(...releases)
  registry.append(...Array.from({ length: CHARTS }, (_, i) => small(i)), ...releases.map(({ manifest }) => manifest))
  const asked = [
    { what: 'a price of the physician schedule', question: { cpt: '99213', as_of: DAY } },
    {
      what: "a price of a hospital, with the proof that it is the provider's",
      question: { cpt: '99213', as_of: DAY, npi },
    },
  ]
  return Promise.all(
    asked.map(async ({ what, question }) => {
      const text = JSON.stringify((await answerOf(registry, question)).body)
      const verdict = await verifyBody(text, policy, { question })
      if (!verdict.ok) throw new Error(verdict.reason)
      return { what, text }
    }),
  )
}

function largeRelease(row: Row, given: Partial<Manifest> & { chart: string }): MemoryRelease {
  const at = ROWS / 2 + 12_345
  const leaves: Hash[] = Array.from({ length: ROWS }, (_, i) => leafHash(Uint8Array.of(i, i >> 8, i >> 16)))
  leaves[at] = leafHash(utf8(rowText(row)))
  const tree = new HashTree(leaves)
  const release = new MemoryRelease([row], { ...given, row_count: ROWS, rows_root: toBase64(tree.root) })
  release.neighbour = () => ({ row, index: at, path: tree.path(at).map(toBase64) })
  return release
}

/** One row in a fresh page, and then one after another: how long a person waits. */
async function inChromium(row: string, policy: string): Promise<Line[]> {
  const chromium = findChromium()
  if (!chromium) return [{ what: 'verify one row in Chromium', figure: 'not measured', beside: 'no Chromium here' }]
  const module = `
    const ms = async () => {
      const began = performance.now()
      const { parsePolicy, verifyBody } = await import('./verify.js')
      const verdict = await verifyBody(row, parsePolicy(policy), { question: { cpt: '10000', as_of: '${DAY}' } })
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
  const files = { 'verify.js': await publishedModule('verify') }
  const { first, median } = await answerOfPage<{ first: number; median: number }>(chromium, files, module)
  return [
    {
      what: 'verify one row in Chromium, first in a fresh page, with the loading of the verifier',
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

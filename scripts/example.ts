// The worked example of the specification: a small registry with the keys of the vectors, its answers, and the page that carries one of them
// through. The same bytes come out every time. Amounts are invented.

import { toBase64, toHex, utf8 } from '../src/proof/bytes.ts'
import { canonical } from '../src/proof/canonical-json.ts'
import { aNoisedState, aStateOfNothing, figuresBody, firstRelease } from '../src/proof/figures-fixture.ts'
import { MemoryLog } from '../src/proof/fixture.ts'
import { formatVerifierKey, keyId, type NoteSigner } from '../src/proof/note/signed-note.ts'
import { dollars, physicianFeeCents } from '../src/proof/price/physician-fee.ts'
import { type Row, rowKey, rowText } from '../src/proof/price/row.ts'
import { leafOf } from '../src/proof/price/timeline.ts'
import { aRow, MemoryRegistry } from '../src/proof/registry-fixture.ts'
import { type Hash, nodeHash } from '../src/proof/tree/merkle.ts'
import { signerOf } from '../test/support/vector-keys.ts'

const BASE = 'registry.example'
export const EXAMPLE = 'docs/spec/example'

function aVisit(code: string, setting: 'facility' | 'non_facility', rvu: [string, string, string], line: number): Row {
  const [work, practice, malpractice] = rvu
  const national = { work: '1.000', practice: '1.000', malpractice: '1.000' }
  const amount = dollars(physicianFeeCents({ work, practice, malpractice }, national, '33.4009'))
  return aRow({
    code,
    basis: 'medicare_pfs',
    setting,
    amount,
    indicators: { status: 'A', bilateral: '0', assistant: '1' },
    locator: [{ citation: 0, line }],
    derivation: {
      method: 'pfs-formula/1',
      inputs: {
        work_rvu: work,
        practice_rvu: practice,
        malpractice_rvu: malpractice,
        work_gpci: '1.000',
        practice_gpci: '1.000',
        malpractice_gpci: '1.000',
        conversion_factor: '33.4009',
      },
    },
  })
}

const VISITS = [
  aVisit('99211', 'non_facility', ['0.18', '0.50', '0.01'], 82),
  aVisit('99212', 'non_facility', ['0.70', '0.91', '0.06'], 83),
  aVisit('99213', 'facility', ['1.30', '0.55', '0.09'], 84),
  aVisit('99213', 'non_facility', ['1.30', '1.46', '0.09'], 84),
  aVisit('99214', 'non_facility', ['1.92', '1.87', '0.13'], 85),
]

const jsonFile = (body: object): string => `${JSON.stringify(body, null, 1)}\n`

/** All files of the example, by path from the top of the project. */
export async function exampleFiles(): Promise<Record<string, string | Uint8Array>> {
  const signer = signerOf(`${BASE}/log/registry`, 1)
  const registry = new MemoryRegistry(signer)
  registry.publish([aRow({ code: '80053' })], { chart: 'cms-clfs' })
  const release = registry.publish(VISITS, { chart: 'cms-pfs' })
  const as_of = '2026-07-15'
  const price = (await registry.answer({ cpt: '99213', as_of })).body
  const refusal = (await registry.answer({ cpt: '99999', basis: 'medicare_pfs', as_of })).body

  const ofFigures = signerOf(`${BASE}/log/figures`, 2)
  const figuresLog = new MemoryLog(ofFigures).append(utf8(canonical(aStateOfNothing())))
  const state = aNoisedState()
  const changes = firstRelease(1, state)
  figuresLog.append(...changes.map((entry) => utf8(canonical(entry))))
  const figures = await figuresBody(figuresLog, state, changes.length)
  const change = { ...changes[0], proof: { log: await figuresLog.prove(1) } }

  const vkeys = [signer, ofFigures].map(({ name, publicKey }) => formatVerifierKey(name, publicKey))
  const policy = [
    ...vkeys.map((key, i) => `log ${key} https://${[signer, ofFigures][i]?.name}`),
    'quorum none',
    '',
  ].join('\n')
  const checkpoints = [await registry.log.checkpoint(3), await registry.log.checkpoint()] as const
  const bundle = bundleOf(registry.entries.map((entry) => utf8(canonical(entry))))
  return {
    [`${EXAMPLE}/price-99213.json`]: jsonFile(price),
    [`${EXAMPLE}/absence-99999.json`]: jsonFile(refusal),
    [`${EXAMPLE}/figures.json`]: jsonFile(figures),
    [`${EXAMPLE}/change-w.json`]: jsonFile({ data: [change], states: [], page: {}, links: {} }),
    [`${EXAMPLE}/policy.txt`]: policy,
    [`${EXAMPLE}/checkpoint-3.txt`]: checkpoints[0],
    [`${EXAMPLE}/checkpoint-5.txt`]: checkpoints[1],
    [`${EXAMPLE}/tile-0-000.p-5.bin`]: registry.log.tile(0, 0, 5),
    [`${EXAMPLE}/entries-000.p-5.bin`]: bundle,
    'docs/spec/example.md': page({ registry, release, checkpoints, bundle, signer, vkey: vkeys[0] as string }),
  }
}

/** Each entry after its length in two bytes. */
const bundleOf = (entries: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(entries.flatMap((entry) => [entry.length >> 8, entry.length & 255, ...entry]))

interface Shown {
  registry: MemoryRegistry
  release: MemoryRegistry['releases'][number]
  checkpoints: readonly [older: string, newer: string]
  bundle: Uint8Array
  signer: NoteSigner
  vkey: string
}

const block = (...lines: readonly string[]): string => `\`\`\`\n${lines.join('\n')}\n\`\`\``
const bytesOf = (value: unknown): number => utf8(canonical(value)).length

function page({ registry, release, checkpoints, bundle, signer, vkey }: Shown): string {
  const { log, entries, state } = registry
  const { manifest, rows, leaves } = release
  const row = rows[3] as Row
  const [l0, l1, l2, l3] = leaves as [Hash, Hash, Hash, Hash]
  const { periods } = registry.standing
  const ofPeriods = periods.map(leafOf) as [Hash, Hash]
  const [e0, e1, e2, e3] = log.leaves as [Hash, Hash, Hash, Hash]
  const [a, b] = [nodeHash(e0, e1), nodeHash(e2, e3)]
  return `# A worked example

Generated by \`npm run generate\`. A service at \`https://${BASE}\` has published two releases; its registry log has five entries. Amounts are invented.

The answers are [price-99213.json](example/price-99213.json), [absence-99999.json](example/absence-99999.json), [figures.json](example/figures.json) and [change-w.json](example/change-w.json), to be checked with [policy.txt](example/policy.txt):

\`\`\`console
$ npm run -s atr -- verify ${EXAMPLE}/price-99213.json --policy ${EXAMPLE}/policy.txt --cpt 99213 --as-of 2026-07-15
\`\`\`

The steps are those of [proof.md](proof.md#how-a-body-is-checked). \`H1(x, y)\` is \`SHA-256(0x01 || x || y)\`.

## The row

\`GET /reference?cpt=99213&as_of=2026-07-15\`. Without \`row\`, the pointer, and \`proof\`, the body is the row. Its canonical JSON:

${block(rowText(row))}

\`SHA-256(0x00 || those bytes)\` is, in hex and as \`row.leaf_hash\`:

${block(toHex(l3), toBase64(l3))}

## The release

It has five rows, here with their keys and leaf hashes. The rule reads all under \`99213|national|\`, so the answer shows these and their neighbours.

${block(...rows.map((each, i) => `${i} ${rowKey(each)} ${toBase64(leaves[i] as Hash)}`))}

The pointer names \`proof.releases[0]\`, whose set has leaves 1, 2 and 4, and leaf 0 in \`hashes\`; the pointer adds leaf 3. Level 1 is H1(0, 1), H1(2, 3), and leaf 4; level 2 is H1 of the first two, and leaf 4; H1 of these is \`rows_root\`:

${block(toBase64(nodeHash(l0, l1)), toBase64(nodeHash(l2, l3)), toBase64(nodeHash(nodeHash(l0, l1), nodeHash(l2, l3))), manifest.rows_root)}

## The period

The canonical JSON of \`release\`, the manifest, and its leaf hash in hex and in base64:

${block(canonical(manifest), toHex(leafOf(manifest)), release.name)}

Each of the two releases is in force in one period. The timeline, by chart and first day, and its leaf hashes:

${block(...periods.map((each) => canonical(each)), ...ofPeriods.map(toBase64))}

\`proof.timeline\` has leaf 1, and leaf 0 as its hash. H1 of both is \`timeline_root\`, \`${state.timeline_root}\`. The period names the manifest, and holds 2026-07-15.

## The state and the log

${block(canonical(state))}

No hospital has published anything, so \`providers_root\` is that of the empty tree. Its leaf hash is that of entry 4 of the log, the last of five:

${block(...entries.map((each, i) => `${i} ${each.schema} ${bytesOf(each)} bytes ${toHex(log.leaves[i] as Hash)}`))}

\`inclusion\` is one hash, H1(A, B), where A is H1 of entries 0 and 1, and B of entries 2 and 3:

${block(toBase64(nodeHash(a, b)), toBase64(a), toBase64(b))}

H1 of that and entry 4 is the third line of \`checkpoint\`:

${block(checkpoints[1].trimEnd())}

The signature begins with the bytes \`${toHex(keyId(signer.name, signer.publicKey))}\`, the key id of this line of the policy, whose Ed25519 key verifies the other 64 over the first three lines:

${block(`log ${vkey} https://${signer.name}`)}

## The amount and the choice

(1.30 × 1.000 + 1.46 × 1.000 + 0.09 × 1.000) × 33.4009 = 95.192565, rounded half up to \`95.19\`.

The first schedule that may answer is \`cms-pfs\` (R2), with an edition on the day (R3). The place is \`national\` (R1), and the first setting is \`non_facility\`: the list has the row, with a price (R6).

For \`cpt=99999&basis=medicare_pfs\` the lists under \`99999|national|\` and \`99999|US-\` are empty: leaf 4, before both, is the last of the tree. The body is the refusal \`not_on_schedule\`, by R10.

## Growth

The log has grown from [size 3](example/checkpoint-3.txt) to [size 5](example/checkpoint-5.txt). The tile [\`tile/0/000.p/5\`](example/tile-0-000.p-5.bin) of the larger tree is the five leaf hashes. The root of the older checkpoint is H1(A, entry 2), \`${checkpoints[0].split('\n')[2]}\`; that of the newer H1(H1(A, B), entry 4), as above. The consistency proof from 3 to 5 is entry 2, entry 3, A, entry 4.

The bundle [\`tile/entries/000.p/5\`](example/entries-000.p-5.bin), ${bundle.length} bytes, begins with \`${toHex(bundle.slice(0, 2))}\`: the first entry has ${bytesOf(entries[0])}. It is the state that nothing is in force yet. By [public-log.md](public-log.md#what-is-in-force) the first four give the fifth.
`
}

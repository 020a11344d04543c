// docs/spec/example.md, with the bytes of the example in it.

import { fromBase64, toBase64 } from '../../src/proof/bytes.ts'
import { type Hash, nodeHash } from '../../src/proof/tree/merkle.ts'
import { bytes as b, DAY } from './example.ts'

const hash = (hex: string): Hash => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
const node = (left: string, right: string): string => toBase64(nodeHash(hash(left), hash(right)))
const hex = (base64: string): string => Buffer.from(fromBase64(base64) as Uint8Array).toString('hex')
const code = (text: string): string => `\`\`\`\n${text}\n\`\`\``
const spaced = (text: string): string => (text.match(/../g) ?? []).join(' ')

const [k0, k1, k2] = b.keys as [(typeof b.keys)[number], (typeof b.keys)[number], (typeof b.keys)[number]]
const [p0, p1] = b.periods as [(typeof b.periods)[number], (typeof b.periods)[number]]
const [e0, e1, e2, e3, e4] = b.entries.map((entry) => entry.hash) as [string, string, string, string, string]
const firstTwo = node(k0.hash, k1.hash)
const [oldest, middle] = [node(e0, e1), node(e2, e3)]
const firstFour = node(hex(oldest), hex(middle))

/** A statement that the page makes, which must be so. */
function must(...pairs: readonly [string | number, string | number][]): void {
  for (const [made, stated] of pairs) if (made !== stated) throw new Error(`${made} is not ${stated}`)
}
must(
  [node(hex(firstTwo), k2.hash), b.rowsRoot],
  [k2.hash, b.rowHash],
  [b.rowPath.join(), firstTwo],
  [node(p0.hash, p1.hash), b.timelineRoot],
  [b.periodIndex, 1],
  [node(hex(oldest), e2), b.older],
  [node(hex(firstFour), e4), b.root],
  [b.inclusion.join(), firstFour],
  [b.stateHash, e4],
  [b.manifestHash, e3],
)

export const examplePage = `# A worked example

A service whose address is \`https://registry.example\` has published two releases, and its registry log has five
entries. That is little enough to show every hash. The answers are in [price-99213.json](example/price-99213.json),
[absence-99999.json](example/absence-99999.json), [figures.json](example/figures.json) and
[change-w.json](example/change-w.json); the policy to check them with is [policy.txt](example/policy.txt). The amounts are
invented.

\`\`\`console
$ npm run -s atr -- verify docs/spec/example/price-99213.json --policy docs/spec/example/policy.txt --cpt 99213 --as-of ${DAY}
\`\`\`

In what follows \`+\` between hashes is concatenation.

## 1. The row

\`GET /reference?cpt=99213&as_of=${DAY}\`, without its \`proof\`:

\`\`\`json
${b.row}
\`\`\`

Its key is \`${b.key}\`. Its canonical JSON, ${b.rowSize} bytes:

${code(b.rowText)}

\`SHA-256(0x00 + those bytes)\` in hex is

${code(b.rowHash)}

and in base64 it is \`proof.row.leaf_hash\`, \`${b.rowHash64}\`.

## 2. The release

The release has three rows, sorted by key. Their leaf hashes:

| Index | Key | Leaf hash |
|---|---|---|
${b.keys.map((each, i) => `| ${i} | \`${each.key.replaceAll('|', '\\|')}\` | \`${each.hash}\` |`).join('\n')}

The row is leaf ${b.rowIndex}. Its path has one hash, \`SHA-256(0x01 + leaf 0 + leaf 1)\`:

${code(firstTwo)}

\`SHA-256(0x01 + that + leaf 2)\` in hex is

${code(b.rowsRootHex)}

and in base64 it is \`proof.release.rows_root\`, \`${b.rowsRoot}\`.

## 3. The manifest

The canonical JSON of \`proof.release\`, ${b.manifestSize} bytes:

${code(b.manifest)}

Its leaf hash:

${code(b.manifestHash)}

## 4. The period

Two releases are in force, each in one period. The timeline has two leaves, sorted by chart and first day:

${code(`${p0.text}\n${p1.text}`)}

Their leaf hashes:

${code(`${p0.hash}\n${p1.hash}`)}

The second is \`proof.in_force.period\`. Its \`release\` is the leaf hash of the manifest in base64,
\`${b.manifestHash64}\`; chart and first day are those of the manifest, and it does not end after it. Its path is the
other leaf. \`SHA-256(0x01 + first + second)\` is \`${b.timelineRoot}\`, which is \`timeline_root\`
of the state.

## 5. The state

The canonical JSON of \`proof.in_force.state\`, ${b.stateSize} bytes:

${code(b.state)}

No hospital has published anything, so \`providers_root\` is that of the empty tree. The leaf hash of the state:

${code(b.stateHash)}

## 6. The log

The state is entry ${b.logIndex} of the registry log, the last of five. With the inclusion path

${code(b.inclusion.join('\n'))}

it leads to

${code(b.rootHex)}

which in base64 is the third line of \`proof.log.checkpoint\`:

${code(b.checkpoint)}

## 7. The key

The signature line begins with the bytes \`${spaced(b.keyId)}\`: the key id of this line of the policy.

${code(b.policyLine)}

Its Ed25519 key verifies the other 64 bytes over the first three lines of the checkpoint.

## 8. The amount

(1.30 × 1.000 + 1.46 × 1.000 + 0.09 × 1.000) × 33.4009 = 95.192565, rounded half up to \`95.19\`.

## 9. The choice

The question has no setting, region or basis. The first schedule that may answer is \`cms-pfs\`
([lookup.md](lookup.md#charts)). Section 4 proves that it has an edition on ${DAY}. The place is \`national\`, and the
first setting that is tried is \`non_facility\`: the rule asks for the row with the key of section 1, and it is there
with a price. So it is the answer, and nothing else needs to be shown.

For \`cpt=99999&basis=medicare_pfs\` there is no such row. The body is a refusal, \`not_on_schedule\`, and \`because\` shows
the last row of the release, \`${b.neighbour}\`. Every key that the rule asks for would stand
after it, and nothing does.

## 10. Growth

The log has grown from [size 3](example/checkpoint-3.txt) to [size 5](example/checkpoint-5.txt). The tile
[\`tile/0/000.p/5\`](example/tile-0-000.p-5.bin) of the larger tree is 160 bytes, the five leaf hashes:

${code(b.entries.map((entry) => entry.hash).join('\n'))}

The fourth is the leaf hash of section 3, the fifth that of section 5. \`A = SHA-256(0x01 + first + second)\` and
\`B = SHA-256(0x01 + third + fourth)\` are

${code(`${oldest}\n${middle}`)}

\`SHA-256(0x01 + A + third)\` is \`${b.older}\`, the root of the older checkpoint.
\`SHA-256(0x01 + SHA-256(0x01 + A + B) + fifth)\` is \`${b.root}\`, the root of the
newer one: the log has only grown. The consistency proof from 3 to 5 is what both have in common and what the newer one
adds: third, fourth, A, fifth.

## 11. The entries

The bundle [\`tile/entries/000.p/5\`](example/entries-000.p-5.bin) is ${b.bundleSize} bytes:

| Entry | \`schema\` | Bytes |
|---|---|---|
${b.entries.map((entry, i) => `| ${i} | \`${entry.schema}\` | ${entry.size} |`).join('\n')}

It begins with \`${spaced(b.bundleHead)}\`: the first entry has ${b.entries[0]?.size} bytes. It is the
state that nothing is in force yet, with which every registry log begins. Hashed one by one, its five entries give the five
hashes of the tile. Replayed by the rule of [log.md](log.md#what-is-in-force), the first four give the two periods of
section 4, and so the state that is the fifth.
`

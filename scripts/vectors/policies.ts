// Policies: the trust file that a reader pins. One that is half understood is refused whole.

import { toBase64 } from '../../src/proof/bytes.ts'
import { COSIGNATURE, formatVerifierKey } from '../../src/proof/note/signed-note.ts'
import { replaced, respelled } from './edit.ts'
import { figures, ONE_OF_TWO, PLAIN, registry, w1, w2, w3 } from './keys.ts'
import type { VectorOf } from './vector.ts'

type Policy = VectorOf<'policy'>
const good = (
  name: string,
  policy: string,
  expected: Partial<Omit<Extract<Policy['expect'], { ok: true }>, 'ok'>> = {},
): Policy => ({
  name,
  kind: 'policy',
  policy,
  expect: { ok: true, logs: [registry.name], retired: [], witnesses: [], quorum: 'none', ...expected },
})
const bad = (name: string, policy: string): Policy => ({
  name,
  kind: 'policy',
  policy,
  expect: { ok: false, reason: 'policy_malformed' },
})

const vkey = formatVerifierKey(registry.name, registry.publicKey)
const LOG = `log ${vkey}\n`
const witness = (name: string, { name: key, publicKey } = w1): string =>
  `witness ${name} ${formatVerifierKey(key, publicKey, COSIGNATURE)}\n`
const THREE = LOG + witness('A', w1) + witness('B', w2) + witness('C', w3)
const NONE = 'quorum none\n'
const [, id = '', key = ''] = vkey.split(/\+(.{8})\+/)
const rekeyed = (encoded: string, keyId = id): string => `log ${registry.name}+${keyId}+${encoded}\n${NONE}`

/** Signs that no key name may have. */
const UNNAMED: Record<string, string> = {
  '\u0080': 'U+0080',
  '\u0085': 'U+0085',
  '\u009f': 'U+009F',
  '\u00a0': 'a no-break space',
  '\u2028': 'a line separator',
  '\u3000': 'an ideographic space',
  '\ufeff': 'a mark of byte order',
  '+': 'a plus sign',
}
const named = (name: string): string => `log ${formatVerifierKey(name, registry.publicKey)}\n${NONE}`

const P = 2n ** 255n - 19n
const coordinate = (y: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((y >> BigInt(8 * i)) & 255n))
const signed = (bytes: Uint8Array): Uint8Array => bytes.with(31, (bytes[31] as number) | 128)
const keyed = (publicKey: Uint8Array): string => `log ${formatVerifierKey(registry.name, publicKey)}\n${NONE}`
/** A key whose coordinate is so little, or so much less than the prime. */
const low = (y: number): string => keyed(coordinate(y > 0 ? BigInt(y) : P + BigInt(y)))
const LOW = { logs: [registry.name] }
const SMALL: [string, Uint8Array][] = [
  ['a coordinate of 0', coordinate(0n)],
  ['the neutral point', coordinate(1n)],
  ['a coordinate of the prime less 1', coordinate(P - 1n)],
  [
    'one of order 8',
    Uint8Array.from(Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex')),
  ],
  [
    'the other of order 8',
    Uint8Array.from(Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex')),
  ],
]
const mlDsaKey = (bytes: number): string => formatVerifierKey(w1.name, new Uint8Array(bytes).fill(7), 6)
const mlDsa = mlDsaKey(1312)
const retired = ({
  name = registry.name,
  key = w2.publicKey,
  size = '7',
  root = new Uint8Array(32).fill(7),
} = {}): string => `#retired ${formatVerifierKey(name, key)} ${size} ${toBase64(root)}\n`

export const policies: Policy[] = [
  good('one log', LOG + NONE),
  good('two logs', PLAIN, { logs: [registry.name, figures.name] }),
  good('an address', `${LOG.trimEnd()} https://vectors.example/log/registry\n${NONE}`),
  good('comments, empty lines and tabs', `# pinned\n\n${LOG.replace(' ', '\t ')} \n  # more\n${NONE}\n`),
  good('no newline at the end', (LOG + NONE).trimEnd()),
  good('the quorum before the log', NONE + LOG),
  good('witnesses that are not asked for', THREE + NONE, { witnesses: ['A', 'B', 'C'] }),
  good('one witness as the quorum', `${THREE}quorum B\n`, { witnesses: ['A', 'B', 'C'], quorum: 'B' }),
  good('one of two', ONE_OF_TWO, {
    logs: [registry.name, figures.name],
    witnesses: [w1.name, w2.name],
    quorum: 'witnesses',
  }),
  good('any', `${THREE}group g any A B C\nquorum g\n`, { witnesses: ['A', 'B', 'C'], quorum: 'g' }),
  good('all', `${THREE}group g all A B C\nquorum g\n`, { witnesses: ['A', 'B', 'C'], quorum: 'g' }),
  good('a group in a group', `${THREE}group g 1 A B\ngroup h 2 g C\nquorum h\n`, {
    witnesses: ['A', 'B', 'C'],
    quorum: 'h',
  }),
  good('a no-break space and a mark of byte order in a comment', `# \u00a0\ufeff\u2028\n${LOG}${NONE}`),
  good('a retired key', LOG + retired() + NONE, { retired: [{ name: registry.name, size: 7 }] }),
  good('a retired key before the log, of the empty log', retired({ size: '0' }) + LOG + NONE, {
    retired: [{ name: registry.name, size: 0 }],
  }),
  good('two retired keys of one log', LOG + retired() + retired({ key: w3.publicKey }) + NONE, {
    retired: [
      { name: registry.name, size: 7 },
      { name: registry.name, size: 7 },
    ],
  }),
  good('a retired key that is the key of a witness', LOG + retired({ key: w1.publicKey }) + witness('A', w1) + NONE, {
    retired: [{ name: registry.name, size: 7 }],
    witnesses: ['A'],
  }),
  good('comments that only look like a retired key', `${LOG}# retired x\n#retired: y\n#Retired z\n${NONE}`),
  good('a witness with a key of ML-DSA-44', `${LOG}witness A ${mlDsa}\n${NONE}`, { witnesses: ['A'] }),
  good('a coordinate of 2, the least that is taken', low(2), LOW),
  good('a coordinate of the prime less 2, the largest that is taken', low(-2), LOW),
  good('two keys of one log', `${LOG}log ${formatVerifierKey(registry.name, figures.publicKey)}\n${NONE}`, {
    logs: [registry.name, registry.name],
  }),
  good('a key as log and as witness', LOG + witness('A', registry) + NONE, { witnesses: ['A'] }),

  ...SMALL.map(([of, bytes]) => bad(`a key of small order, ${of}`, keyed(bytes))),
  ...SMALL.map(([of, bytes]) => bad(`a key of small order, ${of}, and the sign of x set`, keyed(signed(bytes)))),
  ...SMALL.map(([of, bytes]) =>
    bad(`a witness with a key of small order, ${of}`, LOG + witness('A', { ...w1, publicKey: bytes }) + NONE),
  ),
  bad('a retired key of small order', LOG + retired({ key: (SMALL[1] as [string, Uint8Array])[1] }) + NONE),
  bad('a coordinate that is the prime', low(0)),
  bad('a coordinate of the prime and 2', keyed(coordinate(P + 2n))),
  bad('a coordinate of all ones', keyed(coordinate(2n ** 255n - 1n))),
  bad('a coordinate of all ones, and the sign of x set', keyed(signed(coordinate(2n ** 255n - 1n)))),
  bad('a control character of U+0080 to U+009F in a comment', `# \u0085\u009f\n${LOG}${NONE}`),
  bad('a witness called by a name that is not ASCII', LOG + witness('A\u00e9') + NONE),
  bad('a witness called by signs that look like blanks', LOG + witness('A\u00a0') + NONE),
  bad('a group called by a name that is not ASCII', `${THREE}group \u0413 any A B\n${NONE}`),
  bad('a key name that is not ASCII', named('vectors.ex\u0430mple/log/registry')),
  bad('an address that is not ASCII', `${LOG.trimEnd()} https://v\u00e9ctors.example\n${NONE}`),
  bad('a log with a key of ML-DSA-44', `log ${mlDsa}\n${NONE}`),
  bad('a key of ML-DSA-44 with a byte too few', `${LOG}witness A ${mlDsaKey(1311)}\n${NONE}`),
  bad('a key of ML-DSA-44 with a byte too many', `${LOG}witness A ${mlDsaKey(1313)}\n${NONE}`),
  bad('a retired key without a checkpoint', `${LOG}${retired().split(' ').slice(0, 2).join(' ')}\n${NONE}`),
  bad('a retired key without a root', `${LOG}${retired().split(' ').slice(0, 3).join(' ')}\n${NONE}`),
  bad('a retired key with a word too many', `${LOG}${retired().trimEnd()} x\n${NONE}`),
  bad('a retired key with a leading zero in its size', LOG + retired({ size: '07' }) + NONE),
  bad('a retired key with a size past exact integers', LOG + retired({ size: '9007199254740992' }) + NONE),
  bad('a retired key with a root of 31 bytes', LOG + retired({ root: new Uint8Array(31) }) + NONE),
  bad('a retired key of a log that the policy does not name', LOG + retired({ name: figures.name }) + NONE),
  bad('a retired key that signs still', LOG + retired({ key: registry.publicKey }) + NONE),
  bad('a retired key twice', LOG + retired() + retired({ size: '8' }) + NONE),
  bad('nothing', ''),
  bad('no log', NONE),
  bad('no quorum', LOG),
  bad('two quorums', LOG + NONE + NONE),
  bad('a quorum of a name that is not defined', `${LOG}quorum w\n`),
  bad('a quorum before what it names', `${LOG}quorum A\n${witness('A')}`),
  bad('a quorum of two names', `${THREE}quorum A B\n`),
  bad('an unknown word', `${LOG}${NONE}minimum 2\n`),
  bad('a word in capitals', LOG.replace('log', 'LOG') + NONE),
  bad('CRLF', (LOG + NONE).replaceAll('\n', '\r\n')),
  bad('a NUL', `${LOG}\u0000${NONE}`),
  bad('a form feed', `${LOG}\f${NONE}`),
  bad('a delete sign in a comment', `# \u007f\n${LOG}${NONE}`),
  bad('a mark of byte order before the first line', `\ufeff${LOG}${NONE}`),
  bad('a no-break space between words', replaced(LOG, ' ', '\u00a0') + NONE),
  bad('a next line sign for a newline', `${LOG.trimEnd()}\u0085${NONE}`),
  ...Object.entries(UNNAMED).map(([sign, of]) => bad(`a key name with ${of}`, named(`vectors.example${sign}/log`))),
  bad('an empty key name', named('')),
  bad('a comment after a line', `${LOG}quorum none # all\n`),
  bad('a log with a word too many', `${LOG.trimEnd()} https://a.example b\n${NONE}`),
  bad('a log without its key', `log\n${NONE}`),
  bad('one log twice', LOG + LOG + NONE),
  bad('one key under two names', `${LOG}log ${formatVerifierKey('other.example', registry.publicKey)}\n${NONE}`),
  bad(
    'a log with the key of a witness',
    `log ${formatVerifierKey(registry.name, registry.publicKey, COSIGNATURE)}\n${NONE}`,
  ),
  bad('a witness with the key of a log', `${LOG}witness A ${formatVerifierKey(w1.name, w1.publicKey)}\n${NONE}`),
  bad('a witness without its key', `${LOG}witness A\n${NONE}`),
  bad('a witness called none', LOG + witness('none') + NONE),
  bad('two witnesses of one name', LOG + witness('A', w1) + witness('A', w2) + NONE),
  bad('one key for two witnesses', LOG + witness('A', w1) + witness('B', w1) + NONE),
  bad('another key id', rekeyed(key, `${id.slice(0, 7)}${id.endsWith('0') ? '1' : '0'}`)),
  bad('a key id in capitals', rekeyed(key, 'ABCDEF01')),
  bad('a key with padding bits set', rekeyed(respelledKey(key))),
  bad('a key without padding', rekeyed(key.replace(/=+$/, '').slice(0, -1))),
  bad('a key of 31 bytes', rekeyed(toBase64(Uint8Array.of(1, ...registry.publicKey.slice(1))))),
  bad('a key of an unknown type', rekeyed(toBase64(Uint8Array.of(2, ...registry.publicKey)))),
  bad('a name changed under its key id', replaced(LOG, 'vectors.example', 'vectors.examp1e') + NONE),
  bad('a group with no members', `${THREE}group g any\nquorum g\n`),
  bad('a group that asks for none', `${THREE}group g 0 A B\nquorum g\n`),
  bad('a group that asks for more than it has', `${THREE}group g 3 A B\nquorum g\n`),
  bad('a threshold with a leading zero', `${THREE}group g 01 A B\nquorum g\n`),
  bad('a threshold in words', `${THREE}group g most A B\nquorum g\n`),
  bad('a member twice in a group', `${THREE}group g 2 A A\nquorum g\n`),
  bad('a member of two groups', `${THREE}group g any A B\ngroup h any A C\nquorum g\n`),
  bad('a member that is not defined', `${THREE}group g any A D\nquorum g\n`),
  bad('a group that is its own member', `${THREE}group g any A g\nquorum g\n`),
  bad('a group with the name of a witness', `${THREE}group A any B C\nquorum A\n`),
]

/** 33 bytes need no padding, so the second spelling is that of a key one byte short. */
function respelledKey(encoded: string): string {
  return respelled(toBase64(Uint8Array.from(atob(encoded).slice(0, 32), (char) => char.charCodeAt(0))))
}

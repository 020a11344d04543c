// Policies: the file that a reader pins. One that is understood in part is refused whole.

import { toBase64 } from '../../src/proof/bytes.ts'
import { COSIGNATURE, ED25519, formatVerifierKey, type KeyType, ML_DSA_44 } from '../../src/proof/note/signed-note.ts'
import { figures, registry, w1, w2, w3 } from '../../test/support/vector-keys.ts'
import { each, replaced, respelled, SIZES, SPELLINGS } from './operators.ts'
import { all, type Line, vectorsOf } from './table.ts'

const vkey = (publicKey: Uint8Array, name = registry.name, type: KeyType = ED25519): string =>
  formatVerifierKey(name, publicKey, type)
const log = (key: string, url = ''): string => `log ${key}${url && ` ${url}`}\n`
const witness = (name: string, { name: key, publicKey }: { name: string; publicKey: Uint8Array }): string =>
  `witness ${name} ${vkey(publicKey, key, COSIGNATURE)}\n`

const KEY = vkey(registry.publicKey)
const LOG = log(KEY)
const NONE = 'quorum none\n'
const [A, B, C] = [witness('A', w1), witness('B', w2), witness('C', w3)]
const THREE = LOG + A + B + C
const ALL_THREE = { witnesses: ['A', 'B', 'C'] }
const [, id = '', encoded = ''] = KEY.split(/\+(.{8})\+/)
const keyed = (key: string, keyId = id): string => `log ${registry.name}+${keyId}+${key}\n${NONE}`
const ofType = (type: number, bytes: Uint8Array): string => keyed(toBase64(Uint8Array.of(type, ...bytes)))
const mlDsa = (bytes = 1312): string => vkey(new Uint8Array(bytes).fill(7), w1.name, ML_DSA_44)

/** The key of `w2` was one of the registry until this checkpoint. */
const ROOT = toBase64(new Uint8Array(32).fill(7))
const retired = (size = '7', root = ROOT, key = vkey(w2.publicKey)): string => `#retired ${key} ${size} ${root}\n`
const RETIRED = { name: registry.name, size: 7 }

/** Coordinates of points, least byte first, by RFC 8032, 5.1.2. */
const P = 2n ** 255n - 19n
const at = (y: bigint): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => Number((y >> BigInt(8 * i)) & 255n))
const signOfX = (key: Uint8Array): Uint8Array => key.with(31, (key[31] as number) | 128)
const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const SMALL_ORDER: Record<string, Uint8Array> = {
  'a coordinate of 0': at(0n),
  'the neutral point': at(1n),
  'a coordinate of the prime less 1': at(P - 1n),
  'one of order 8': hex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
  'the other of order 8': hex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'),
}
const ofSmallOrder = (what: string, policyOf: (key: Uint8Array) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(SMALL_ORDER).map(([name, key]) => [`${what}, ${name}`, policyOf(key)]))

/** Characters that no key name has in a policy, which is ASCII; in notes some of them may stand. */
const NOT_IN_NAMES: Record<string, string> = {
  'U+0085': '\u0085',
  'a no-break space': '\u00a0',
  'a line separator': '\u2028',
  'an ideographic space': '\u3000',
  'a mark of byte order': '\ufeff',
  'a letter that looks like an a': '\u0430',
  'a plus sign': '+',
}
const named = ([what, sign]: readonly [string, string]): [string, string] => [
  `a key name with ${what}`,
  log(vkey(registry.publicKey, `vectors.ex${sign}mple/log`)) + NONE,
]

const good: Line<string>[] = [
  ['one log', LOG + NONE, {}],
  ['two logs', LOG + log(vkey(figures.publicKey, figures.name)) + NONE, { logs: [registry.name, figures.name] }],
  ['two keys of one log', LOG + log(vkey(figures.publicKey)) + NONE, { logs: [registry.name, registry.name] }],
  ['an address', log(KEY, 'https://vectors.example/log/registry') + NONE, {}],
  ['an address that nothing is asked at', log(KEY, 'somewhere') + NONE, {}],
  ['comments, empty lines and tabs', `# pinned\n\n${LOG.replace(' ', '\t ')} \n  # more\n\t${NONE}\n`, {}],
  ['a no-break space and a mark of byte order in a comment', `# \u00a0\ufeff\u2028\n${LOG}${NONE}`, {}],
  ['no newline at the end', (LOG + NONE).trimEnd(), {}],
  ['the quorum before the log', NONE + LOG, {}],
  ['witnesses that are not asked for', THREE + NONE, ALL_THREE],
  ['one witness as the quorum', `${THREE}quorum B\n`, { ...ALL_THREE, quorum: 'B' }],
  ['any', `${THREE}group g any A B C\nquorum g\n`, { ...ALL_THREE, quorum: 'g' }],
  ['all', `${THREE}group g all A B C\nquorum g\n`, { ...ALL_THREE, quorum: 'g' }],
  ['as many as there are', `${THREE}group g 3 A B C\nquorum g\n`, { ...ALL_THREE, quorum: 'g' }],
  ['a group in a group', `${THREE}group g 1 A B\ngroup h 2 g C\nquorum h\n`, { ...ALL_THREE, quorum: 'h' }],
  ['a group that is not asked for', `${THREE}group g 1 A B\nquorum C\n`, { ...ALL_THREE, quorum: 'C' }],
  ['a retired key', LOG + retired() + NONE, { retired: [RETIRED] }],
  ['a retired key before the log, of size 0', retired('0') + LOG + NONE, { retired: [{ ...RETIRED, size: 0 }] }],
  [
    'two retired keys of one log',
    LOG + retired() + retired('8', ROOT, vkey(w3.publicKey)) + NONE,
    { retired: [RETIRED, { ...RETIRED, size: 8 }] },
  ],
  [
    'a retired key that is the key of a witness',
    LOG + retired('7', ROOT, vkey(w1.publicKey)) + A + NONE,
    { retired: [RETIRED], witnesses: ['A'] },
  ],
  ['comments that only look like a retired key', `${LOG}# retired x\n#retired: y\n#Retired z\n${NONE}`, {}],
  ['a witness with a key of ML-DSA-44', `${LOG}witness A ${mlDsa()}\n${NONE}`, { witnesses: ['A'] }],
  ['a witness with an address', `${LOG}${A.trimEnd()} https://w.example\n${NONE}`, { witnesses: ['A'] }],
  ['a key as log and as witness', LOG + witness('A', registry) + NONE, { witnesses: ['A'] }],
  ['a coordinate of 2, the least that is taken', log(vkey(at(2n))) + NONE, {}],
  ['a coordinate of the prime less 2, the largest that is taken', log(vkey(at(P - 2n))) + NONE, {}],
]

const texts = {
  nothing: '',
  'no log': NONE,
  'no quorum': LOG,
  'two quorums': LOG + NONE + NONE,
  CRLF: (LOG + NONE).replaceAll('\n', '\r\n'),
  'a NUL': `${LOG}\0${NONE}`,
  'a form feed': `${LOG}\f${NONE}`,
  'a delete sign in a comment': `# \u007f\n${LOG}${NONE}`,
  'a control character of U+0080 to U+009F in a comment': `# \u0085\u009f\n${LOG}${NONE}`,
  'a mark of byte order before the first line': `\ufeff${LOG}${NONE}`,
  'a no-break space between words': replaced(LOG, ' ', '\u00a0') + NONE,
  'a next line sign for a newline': `${LOG.trimEnd()}\u0085${NONE}`,
  'a comment after a line': `${LOG}quorum none # all\n`,
  'an unknown word': `${LOG}${NONE}minimum 2\n`,
  'a word that every object has': `${LOG}${NONE}constructor 2\n`,
  'a word in capitals': LOG.replace('log', 'LOG') + NONE,
  'a log with a word too many': log(KEY, 'https://a.example b') + NONE,
  'a log without its key': `log\n${NONE}`,
  'an address that is not ASCII': log(KEY, 'https://v\u00e9ctors.example') + NONE,
  'a witness called by signs that look like blanks': `${LOG}${witness('A\u00a0', w1)}${NONE}`,
  'a group called by a name that is not ASCII': `${THREE}group \u0413 any A B\n${NONE}`,
  ...Object.fromEntries(Object.entries(NOT_IN_NAMES).map(named)),
  'an empty key name': log(vkey(registry.publicKey, '')) + NONE,
}

const keys = {
  ...ofSmallOrder('a key of small order', (key) => log(vkey(key)) + NONE),
  ...ofSmallOrder('a key of small order and the sign of x set', (key) => log(vkey(signOfX(key))) + NONE),
  ...ofSmallOrder('a witness of small order', (key) => LOG + witness('A', { ...w1, publicKey: key }) + NONE),
  'a retired key of small order': LOG + retired('7', ROOT, vkey(at(1n))) + NONE,
  'a coordinate that is the prime': log(vkey(at(P))) + NONE,
  'a coordinate of the prime and 2': log(vkey(at(P + 2n))) + NONE,
  'a coordinate of all ones': log(vkey(at(2n ** 255n - 1n))) + NONE,
  'a coordinate of all ones, and the sign of x set': log(vkey(signOfX(at(2n ** 255n - 1n)))) + NONE,
  'another key id': keyed(
    encoded,
    id.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  ),
  'a key id in capitals': keyed(encoded, id.toUpperCase()),
  'a name changed under its key id': replaced(LOG, 'vectors.example', 'vectors.examp1e') + NONE,
  'a key with padding bits set': `${LOG}witness A ${respelled(mlDsa())}\n${NONE}`,
  'a key with padding': keyed(`${encoded}====`),
  'a key in the url alphabet': keyed(`-${encoded.slice(1)}`),
  'a key without its last letter': keyed(encoded.slice(0, -1)),
  'a key of 31 bytes': ofType(1, registry.publicKey.slice(1)),
  'a key of 33 bytes': ofType(1, Uint8Array.of(...registry.publicKey, 0)),
  'a key of an unknown type': ofType(2, registry.publicKey),
  'a log with the key of a witness': log(vkey(registry.publicKey, registry.name, COSIGNATURE)) + NONE,
  'a witness with the key of a log': `${LOG}witness A ${vkey(w1.publicKey, w1.name)}\n${NONE}`,
  'a log with a key of ML-DSA-44': `log ${mlDsa()}\n${NONE}`,
  'a key of ML-DSA-44 with a byte too few': `${LOG}witness A ${mlDsa(1311)}\n${NONE}`,
  'a key of ML-DSA-44 with a byte too many': `${LOG}witness A ${mlDsa(1313)}\n${NONE}`,
  'one log twice': LOG + LOG + NONE,
  'one key under two names': LOG + log(vkey(registry.publicKey, 'other.example')) + NONE,
  'one key for two witnesses': LOG + A + witness('B', w1) + NONE,
}

const retiredKeys = {
  'a retired key without a checkpoint': `${LOG}#retired ${vkey(w2.publicKey)}\n${NONE}`,
  'a retired key without a root': `${LOG}#retired ${vkey(w2.publicKey)} 7\n${NONE}`,
  'a retired key with a word too many': LOG + retired('7', `${ROOT} x`) + NONE,
  ...each('a retired key with a size', SIZES, '7', (size) => LOG + retired(size) + NONE),
  ...each('a retired key with a root', SPELLINGS, ROOT, (root) => LOG + retired('7', root) + NONE),
  'a retired key with a root of 31 bytes': LOG + retired('7', toBase64(new Uint8Array(31))) + NONE,
  'a retired key of a log that the policy does not name':
    LOG + retired('7', ROOT, vkey(w2.publicKey, figures.name)) + NONE,
  'a retired key that signs still': LOG + retired('7', ROOT, KEY) + NONE,
  'a retired key twice': LOG + retired() + retired('8') + NONE,
}

const quorums = {
  'a quorum without a name': `${LOG}quorum\n`,
  'a quorum of a name that is not defined': `${LOG}quorum w\n`,
  'a quorum before what it names': `${LOG}quorum A\n${A}`,
  'a quorum of two names': `${THREE}quorum A B\n`,
  'a witness without its key': `${LOG}witness A\n${NONE}`,
  'a witness called none': LOG + witness('none', w1) + NONE,
  'two witnesses of one name': LOG + A + witness('A', w2) + NONE,
  'a group with no members': `${THREE}group g any\nquorum g\n`,
  'a group that asks for none': `${THREE}group g 0 A B\nquorum g\n`,
  'a group that asks for more than it has': `${THREE}group g 3 A B\nquorum g\n`,
  'a threshold with a leading zero': `${THREE}group g 01 A B\nquorum g\n`,
  'a threshold in words': `${THREE}group g most A B\nquorum g\n`,
  'a member twice in a group': `${THREE}group g 2 A A\nquorum g\n`,
  'a member of two groups': `${THREE}group g any A B\ngroup h any A C\nquorum g\n`,
  'a member that is not defined': `${THREE}group g any A D\nquorum g\n`,
  'a member that is defined later': `${LOG}${A}group g any A B\n${B}quorum g\n`,
  'a member that is none': `${THREE}group g any A none\nquorum g\n`,
  'a group that is its own member': `${THREE}group g any A g\nquorum g\n`,
  'a group with the name of a witness': `${THREE}group A any B C\nquorum A\n`,
  'a group called none': `${THREE}group none any B C\nquorum none\n`,
}

const FOUND = { logs: [registry.name], retired: [], witnesses: [], quorum: 'none' }
const lines = [
  ...good.map(([name, policy, found]): Line<string> => [name, policy, { ...FOUND, ...(found as object) }]),
  ...all('policy_malformed', { ...texts, ...keys, ...retiredKeys, ...quorums }),
]

export const policies = vectorsOf('policy', lines, (policy) => ({ policy }))

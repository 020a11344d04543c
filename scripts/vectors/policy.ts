// Policies: the file that a reader pins. One that is understood in part is refused whole.

import { toBase64 } from '../../src/proof/bytes.ts'
import { COSIGNATURE, ED25519, formatVerifierKey, type KeyType, ML_DSA_44 } from '../../src/proof/note/signed-note.ts'
import { figures, registry, w1, w2, w3 } from '../../test/support/vector-keys.ts'
import { each, membersIn, type Operators, replaced, respelled, SIZES, SPELLINGS } from './operators.ts'
import { all, type Line, named, tableOf, vectorsOf } from './table.ts'

const vkey = (publicKey: Uint8Array, name = registry.name, type: KeyType = ED25519): string =>
  formatVerifierKey(name, publicKey, type)
const witness = (name: string, publicKey: Uint8Array, key = w1.name): string =>
  `witness ${name} ${vkey(publicKey, key, COSIGNATURE)}\n`
const KEY = vkey(registry.publicKey)
const LOG = `log ${KEY}\n`
const NONE = 'quorum none\n'
const A = witness('A', w1.publicKey)
const THREE = LOG + A + witness('B', w2.publicKey, w2.name) + witness('C', w3.publicKey, w3.name)
const log = (key: string, rest = ''): string => `log ${key}${rest}\n${NONE}`
const mlDsa = (bytes = 1312): string => vkey(new Uint8Array(bytes).fill(7), w1.name, ML_DSA_44)
/** A log with a key of this type and these bytes; the key id stays. */
const [, id = '', encoded = ''] = KEY.split(/\+(.{8})\+/)
const keyed = (key: string, keyId = id): string => log(`${registry.name}+${keyId}+${key}`)
const ofType = (type: number, bytes: Uint8Array): string => keyed(toBase64(Uint8Array.of(type, ...bytes)))

/** The key of `w2` was one of the registry until this checkpoint. */
const ROOT = toBase64(new Uint8Array(32).fill(7))
const retired = (size = '7', root = ROOT, key = vkey(w2.publicKey)): string => `#retired ${key} ${size} ${root}\n`

/** Coordinates of points, least byte first, by RFC 8032, 5.1.2. */
const P = 2n ** 255n - 19n
const at = (y: bigint): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => Number((y >> BigInt(8 * i)) & 255n))
const signOfX = (key: Uint8Array): Uint8Array => key.with(31, (key[31] as number) | 128)
const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const SMALL_ORDER: Operators<Uint8Array> = {
  'with a coordinate of 0': () => at(0n),
  'at the neutral point': () => at(1n),
  'with a coordinate of the prime less 1': () => at(P - 1n),
  'of order 8': () => hex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'),
  'at another point of order 8': () => hex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'),
}
const NOT_BELOW_PRIME: Operators<Uint8Array> = {
  'with a coordinate that is the prime': () => at(P),
  'with a coordinate of the prime and 2': () => at(P + 2n),
  'with a coordinate of all ones': () => at(2n ** 255n - 1n),
}
const withSign = (operators: Operators<Uint8Array>): Operators<Uint8Array> =>
  Object.fromEntries(Object.entries(operators).map(([name, make]) => [name, (key) => signOfX(make(key))]))

/** Meanings of the words of the table: `/` is a newline between them. */
const WORDS: Record<string, string> = {
  ...{ LOG, NONE, A, THREE },
  FIGURES: `log ${vkey(figures.publicKey, figures.name)}\n`,
  NEXT: `log ${vkey(figures.publicKey)}\n`,
  AT_2: `log ${vkey(at(2n))}\n`,
  AT_P_LESS_2: `log ${vkey(at(P - 2n))}\n`,
  WITH_URL: `log ${KEY} https://vectors.example/log/registry\n`,
  WITH_WORD: `log ${KEY} somewhere\n`,
  ODD: `# pinned\n\n${LOG.replace(' ', '\t ')} \n  # more\n\t`,
  COMMENTS: '# retired x\n#retired: y\n#Retired z\n# \u00a0\ufeff\u2028\n',
  ML_DSA: `witness A ${mlDsa()}\n`,
  A_WITH_URL: `${A.trimEnd()} https://w.example\n`,
  A_WITH_KEY_OF_LOG: witness('A', registry.publicKey),
  RETIRED: retired(),
  RETIRED_AT_0: retired('0'),
  RETIRED_TOO: retired('8', ROOT, vkey(w3.publicKey)),
  RETIRED_KEY_OF_A: retired('7', ROOT, vkey(w1.publicKey)),
}
const policyOf = (cell: string): string =>
  cell
    .split(' ')
    .map((word) => (Object.hasOwn(WORDS, word) ? named(WORDS, word) : `${word.replaceAll('_', ' ')}\n`))
    .join('')

/** Name, policy, and the members of what is found that are not those of one log. */
const TABLE = `
= ok
one log | LOG NONE
an address | WITH_URL NONE
an address that nothing is asked at | WITH_WORD NONE
comments, empty lines and tabs | ODD NONE
comments that only look like a retired key, and signs that are not ASCII in one | LOG COMMENTS NONE
the quorum before the log | NONE LOG
a coordinate of 2, the least that is taken | AT_2 NONE
a coordinate of the prime less 2, the largest that is taken | AT_P_LESS_2 NONE
two logs | LOG FIGURES NONE | logs=["${registry.name}","${figures.name}"]
two keys of one log | LOG NEXT NONE | logs=["${registry.name}","${registry.name}"]
three witnesses and | THREE $1 quorum_none | witnesses=["A","B","C"] | for COMMENTS group_g_1_A_B
one witness of three and | THREE $1 quorum_B | witnesses=["A","B","C"]&quorum="B" | for COMMENTS group_g_1_A_C
a group of three witnesses: | THREE $1 quorum_g | witnesses=["A","B","C"]&quorum="g" | for group_g_any_A_B_C group_g_all_A_B group_g_3_A_B_C
a group in a group | THREE group_h_1_A_B group_g_2_h_C quorum_g | witnesses=["A","B","C"]&quorum="g"
a witness: | LOG $1 NONE | witnesses=["A"] | for ML_DSA A_WITH_URL A_WITH_KEY_OF_LOG
a retired key | LOG RETIRED NONE | retired=[{"name":"${registry.name}","size":7}]
a retired key before the log, of size 0 | RETIRED_AT_0 LOG NONE | retired=[{"name":"${registry.name}","size":0}]
two retired keys of one log | LOG RETIRED RETIRED_TOO NONE | retired=[{"name":"${registry.name}","size":7},{"name":"${registry.name}","size":8}]
a retired key that is the key of a witness | LOG RETIRED_KEY_OF_A A NONE | retired=[{"name":"${registry.name}","size":7}]&witnesses=["A"]
= policy_malformed
three witnesses and | THREE $1 | for quorum_A_B quorum_D
three witnesses and | THREE $1 NONE | for witness_D group group_g_any group_g_0_A group_g_3_A_B group_g_01_A group_g_most_A group_g_2_A_A group_g_any_D group_g_any_none group_g_any_A_g group_A_any_B group_none_any_B group_\u0413_any_A
a member of two groups | THREE group_g_any_A group_h_any_A NONE
two groups of one name | THREE group_g_any_A group_g_any_B NONE
a group before its member | THREE group_h_any_A_g group_g_any_B NONE
a member that is defined later | LOG group_g_any_A A NONE
no log: | $1 NONE | for COMMENTS log
one log and | LOG $1 | for COMMENTS quorum quorum_w quorum_none_#_all
two quorums | LOG NONE NONE
an unknown word: | LOG NONE $1 | for minimum_2 constructor_2
a quorum before what it names | LOG quorum_A A
one log twice | LOG LOG NONE
`
const FOUND = { logs: [registry.name], retired: [], witnesses: [], quorum: 'none' }
const table = tableOf(TABLE).map(
  ([name, [policy = '', found = ''], expected]): Line<string> => [
    name,
    policyOf(policy),
    expected === 'ok' ? { ...FOUND, ...membersIn(found) } : expected,
  ],
)

/** Characters that no key name has in a policy, which is ASCII; in notes some of them may stand. */
const NOT_IN_NAMES = ['\u0085', '\u00a0', '\u2028', '\u3000', '\ufeff', '\u0430', '+']
const codeOf = (sign: string): string => `U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
const malformed: Record<string, string> = {
  nothing: '',
  CRLF: (LOG + NONE).replaceAll('\n', '\r\n'),
  'a NUL': `${LOG}\0${NONE}`,
  'a form feed': `${LOG}\f${NONE}`,
  'a delete sign in a comment': `# \u007f\n${LOG}${NONE}`,
  'a control character of U+0080 to U+009F in a comment': `# \u0085\u009f\n${LOG}${NONE}`,
  'a mark of byte order before the first line': `\ufeff${LOG}${NONE}`,
  'a no-break space between words': replaced(LOG, ' ', '\u00a0') + NONE,
  'a next line sign for a newline': `${LOG.trimEnd()}\u0085${NONE}`,
  'an address that is not ASCII': log(KEY, ' https://v\u00e9ctors.example'),
  'a log with a word too many': log(KEY, ' https://a.example b'),
  'a word in capitals': LOG.replace('log', 'LOG') + NONE,
  ...Object.fromEntries(
    NOT_IN_NAMES.map((sign) => [
      `a key name with ${codeOf(sign)}`,
      log(vkey(registry.publicKey, `v${sign}.example/log`)),
    ]),
  ),
  'an empty key name': log(vkey(registry.publicKey, '')),

  ...each('a key', { ...SMALL_ORDER, ...NOT_BELOW_PRIME }, registry.publicKey, (key) => log(vkey(key))),
  ...each('a key and the sign of x', withSign(SMALL_ORDER), w1.publicKey, (key) => log(vkey(key))),
  ...each('a witness', SMALL_ORDER, w1.publicKey, (key) => LOG + witness('A', key) + NONE),
  'a retired key of small order': LOG + retired('7', ROOT, vkey(at(1n))) + NONE,
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
  'a log with the key of a witness': log(vkey(registry.publicKey, registry.name, COSIGNATURE)),
  'a witness with the key of a log': `${LOG}witness A ${vkey(w1.publicKey, w1.name)}\n${NONE}`,
  'a key of ML-DSA-44 with a byte too few': `${LOG}witness A ${mlDsa(1311)}\n${NONE}`,
  'one key under two names': LOG + log(vkey(registry.publicKey, 'other.example')),

  'a retired key without a checkpoint': `${LOG}#retired ${vkey(w2.publicKey)}\n${NONE}`,
  'a retired key without a root': `${LOG}#retired ${vkey(w2.publicKey)} 7\n${NONE}`,
  'a retired key with a word too many': LOG + retired('7', `${ROOT} x`) + NONE,
  ...each('a retired key with a size', SIZES, '7', (size) => LOG + retired(size) + NONE),
  ...each('a retired key with a root', SPELLINGS, ROOT, (root) => LOG + retired('7', root) + NONE),
  'a retired key with a root of 31 bytes': LOG + retired('7', toBase64(new Uint8Array(31))) + NONE,
  'a retired key of a log that is not named': LOG + retired('7', ROOT, vkey(w2.publicKey, figures.name)) + NONE,
  'a retired key that signs still': LOG + retired('7', ROOT, KEY) + NONE,
  'a retired key twice': LOG + retired() + retired('8') + NONE,

  'a witness called none': LOG + witness('none', w1.publicKey) + NONE,
  'a witness called by signs that look like blanks': LOG + witness('A\u00a0', w1.publicKey) + NONE,
  'two witnesses of one name': LOG + A + witness('A', w2.publicKey) + NONE,
  'one key for two witnesses': LOG + A + witness('B', w1.publicKey) + NONE,
}

export const policies = vectorsOf(
  'policy',
  [...table, ['no newline at the end', (LOG + NONE).trimEnd(), FOUND], ...all('policy_malformed', malformed)],
  (policy) => ({ policy }),
)

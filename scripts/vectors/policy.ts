// Policies: the file that a reader pins. One that is understood in part is refused whole.

import { toBase64 } from '../../src/proof/bytes.ts'
import { COSIGNATURE, ED25519, formatVerifierKey, type KeyType, ML_DSA_44 } from '../../src/proof/note/signed-note.ts'
import { figures, registry, w1, w2, w3 } from '../../test/support/vector-keys.ts'
import { each, type Operators, replaced, respelled, SIZES, SPELLINGS } from './operators.ts'
import { all, type Line, vectorsOf } from './table.ts'

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
const RETIRED = { name: registry.name, size: 7 }

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

/** Lines that are added to a policy, one of them a vector: parted by `; `, and `/` stands for a newline. */
const added = (what: string, before: string, list: string, after = ''): Record<string, string> =>
  Object.fromEntries(
    list.split('; ').map((line) => [`${what}: ${line}`, `${before}${line.replaceAll('/', '\n')}\n${after}`]),
  )

const found = (policies: Record<string, string>, given: object): Line<string>[] =>
  all({ logs: [registry.name], retired: [], witnesses: [], quorum: 'none', ...given }, policies)
const names = ['A', 'B', 'C']
const good: Line<string>[] = [
  ...found(
    {
      'one log': LOG + NONE,
      'an address': log(KEY, ' https://vectors.example/log/registry'),
      'an address that nothing is asked at': log(KEY, ' somewhere'),
      'comments, empty lines and tabs': `# pinned\n\n${LOG.replace(' ', '\t ')} \n  # more\n\t${NONE}\n`,
      'comments that only look like a retired key': `${LOG}# retired x\n#retired: y\n#Retired z\n${NONE}`,
      'a no-break space and a mark of byte order in a comment': `# \u00a0\ufeff\u2028\n${LOG}${NONE}`,
      'no newline at the end': (LOG + NONE).trimEnd(),
      'the quorum before the log': NONE + LOG,
      'a coordinate of 2, the least that is taken': log(vkey(at(2n))),
      'a coordinate of the prime less 2, the largest that is taken': log(vkey(at(P - 2n))),
    },
    {},
  ),
  ...found({ 'two logs': LOG + log(vkey(figures.publicKey, figures.name)) }, { logs: [registry.name, figures.name] }),
  ...found({ 'two keys of one log': LOG + log(vkey(figures.publicKey)) }, { logs: [registry.name, registry.name] }),
  ...found(added('three witnesses', THREE, 'quorum none; group g 1 A B/quorum none'), { witnesses: names }),
  ...found(added('three witnesses', THREE, 'quorum B; group g 1 A C/quorum B'), { witnesses: names, quorum: 'B' }),
  ...found(
    added(
      'three witnesses',
      THREE,
      'group g any A B C/quorum g; group g all A B/quorum g; group g 3 A B C/quorum g; group h 1 A B/group g 2 h C/quorum g',
    ),
    { witnesses: names, quorum: 'g' },
  ),
  ...found(
    {
      'a witness with a key of ML-DSA-44': `${LOG}witness A ${mlDsa()}\n${NONE}`,
      'a witness with an address': `${LOG}${A.trimEnd()} https://w.example\n${NONE}`,
      'a key as log and as witness': LOG + witness('A', registry.publicKey) + NONE,
    },
    { witnesses: ['A'] },
  ),
  ...found({ 'a retired key': LOG + retired() + NONE }, { retired: [RETIRED] }),
  ...found(
    { 'a retired key before the log, of size 0': retired('0') + LOG + NONE },
    { retired: [{ ...RETIRED, size: 0 }] },
  ),
  ...found(
    { 'two retired keys of one log': LOG + retired() + retired('8', ROOT, vkey(w3.publicKey)) + NONE },
    { retired: [RETIRED, { ...RETIRED, size: 8 }] },
  ),
  ...found(
    { 'a retired key that is the key of a witness': LOG + retired('7', ROOT, vkey(w1.publicKey)) + A + NONE },
    { retired: [RETIRED], witnesses: ['A'] },
  ),
]

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
  ...added('no log', '', 'quorum none; log/quorum none'),
  ...added(
    'one log',
    LOG,
    'quorum w; quorum; quorum none # all; quorum none/quorum none; quorum none/minimum 2; quorum none/constructor 2',
  ),
  'no quorum': LOG,
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
  'one log twice': LOG + LOG + NONE,
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

  'a quorum before what it names': `${LOG}quorum A\n${A}`,
  'a member that is defined later': `${LOG}group g any A\n${A}${NONE}`,
  'a witness called none': LOG + witness('none', w1.publicKey) + NONE,
  'a witness called by signs that look like blanks': LOG + witness('A\u00a0', w1.publicKey) + NONE,
  'two witnesses of one name': LOG + A + witness('A', w2.publicKey) + NONE,
  'one key for two witnesses': LOG + A + witness('B', w1.publicKey) + NONE,
  ...added('three witnesses', THREE, 'quorum A B; quorum D; witness D/quorum none'),
  ...added(
    'three witnesses',
    THREE,
    'group g any; group g 0 A; group g 3 A B; group g 01 A; group g most A; group g 2 A A; group g any A/group h any A; group g any D; group g any none; group g any A g; group h any A g/group g any B; group A any B; group none any B; group g any A/group g any B; group \u0413 any A; group',
    NONE,
  ),
}

export const policies = vectorsOf('policy', [...good, ...all('policy_malformed', malformed)], (policy) => ({ policy }))

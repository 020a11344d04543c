import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toBase64 } from '../bytes.ts'
import { formatPolicy, meetsQuorum, parsePolicy, type TrustPolicy } from './policy.ts'
import { formatVerifierKey, keyId } from './signed-note.ts'

const publicKeyOf = (n: number): Uint8Array => new Uint8Array(32).fill(n)
const registry = { name: 'registry.example/log/registry', publicKey: publicKeyOf(1) }
const figures = {
  name: 'registry.example/log/figures',
  publicKey: publicKeyOf(2),
  url: 'https://registry.example/log/figures',
}
const witness = (n: number) => ({ name: `w${n}.example/witness`, publicKey: publicKeyOf(100 + n) })
const LOG = `log ${formatVerifierKey(registry.name, registry.publicKey)}`
const vkey = (n: number): string => formatVerifierKey(witness(n).name, witness(n).publicKey, 4)
const ROOT = toBase64(new Uint8Array(32).fill(7))
const retiredVkey = formatVerifierKey(registry.name, publicKeyOf(9))
const W = [0, 1, 2, 3, 4, 5, 6].map((n) => `witness w${n} ${vkey(n)}`)

function read(text: string): TrustPolicy {
  const policy = parsePolicy(text)
  if (!policy) throw new Error('the policy of this test is not one')
  return policy
}
const meets = (text: string, ...cosigners: readonly number[]): boolean => {
  const policy = read(text)
  return meetsQuorum(
    policy,
    policy.witnesses
      .map(({ key }) => key)
      .filter(({ publicKey }) => cosigners.includes((publicKey[0] as number) - 100)),
  )
}

test('a policy is read back with the keys it was written with', () => {
  const { name, publicKey } = registry
  expect(read(formatPolicy([registry, figures]))).toEqual({
    logs: [
      { key: { type: 1, name, publicKey, id: keyId(name, publicKey) } },
      {
        key: { type: 1, name: figures.name, publicKey: figures.publicKey, id: keyId(figures.name, figures.publicKey) },
        url: figures.url,
      },
    ],
    retired: [],
    witnesses: [],
    groups: [],
    quorum: 'none',
  })
})

test('a policy is written one log a line, with its address if it has one', () => {
  expect(formatPolicy([registry, figures])).toBe(
    `${LOG}\nlog ${formatVerifierKey(figures.name, figures.publicKey)} https://registry.example/log/figures\nquorum none\n`,
  )
})

test('a policy with witnesses asks for all of them, or for as many as it is told', () => {
  const written = formatPolicy([registry], [{ ...witness(1), url: 'https://w1.example' }, witness(2), witness(3)], 2)
  expect(written).toBe(
    `${LOG}\nwitness w1.example/witness ${vkey(1)} https://w1.example\nwitness w2.example/witness ${vkey(2)}\n` +
      `witness w3.example/witness ${vkey(3)}\n` +
      'group witnesses 2 w1.example/witness w2.example/witness w3.example/witness\nquorum witnesses\n',
  )
  expect(read(formatPolicy([registry], [witness(1), witness(2)])).groups[0]?.threshold).toBe(2)
  expect(read(formatPolicy([registry], [witness(1)], 0))).toMatchObject({ quorum: 'none', witnesses: [{}] })
})

test('what would not be read back is not written', () => {
  expect(() => formatPolicy([])).toThrow(RangeError)
  expect(() => formatPolicy([registry, registry])).toThrow(RangeError)
  expect(() => formatPolicy([registry], [witness(1), witness(1)])).toThrow(RangeError)
  for (const quorum of [-1, 2, 0.5, Number.NaN]) expect(() => formatPolicy([registry], [witness(1)], quorum)).toThrow()
  expect(() => formatPolicy([registry], [], 1)).toThrow(RangeError)
  expect(() => formatPolicy([registry], [{ ...witness(1), name: 'none' }])).toThrow(RangeError)
  expect(() => formatPolicy([{ ...registry, url: 'a b' }])).toThrow(RangeError)
  expect(() => formatPolicy([{ ...registry, url: 'a\nquorum none' }])).toThrow(RangeError)
})

test('the example of the specification: two of X and one of Y', () => {
  const text = [
    LOG,
    '',
    ...W.slice(1, 4),
    'group X-witnesses 2 w1 w2 w3',
    ...W.slice(4, 7),
    'group Y-witnesses any w4 w5 w6',
    'group X-and-Y all X-witnesses Y-witnesses',
    'quorum X-and-Y',
  ].join('\n')
  for (let set = 0; set < 64; set++) {
    const cosigners = [1, 2, 3, 4, 5, 6].filter((n) => set & (1 << (n - 1)))
    const x = cosigners.filter((n) => n <= 3).length
    expect(meets(text, ...cosigners)).toBe(x >= 2 && cosigners.length > x)
  }
})

test('a quorum may be one witness, and a witness outside of it does not count', () => {
  const text = `${LOG}\n${W[1]}\n${W[2]}\nquorum w2\n`
  expect(meets(text, 2)).toBe(true)
  expect(meets(text, 1)).toBe(false)
  expect(meets(text)).toBe(false)
  expect(meets(`${LOG}\nquorum none\n`)).toBe(true)
})

test('of n witnesses exactly the sets of k or more are a quorum', () => {
  const counts = fc.integer({ min: 1, max: 6 }).chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 1, max: n })))
  fc.assert(
    fc.property(counts, fc.uniqueArray(fc.integer({ min: 0, max: 6 })), ([n, k], cosigners) => {
      const witnesses = Array.from({ length: n }, (_, i) => witness(i))
      const policy = formatPolicy([registry], witnesses, k)
      expect(meets(policy, ...cosigners)).toBe(cosigners.filter((i) => i < n).length >= k)
    }),
  )
})

test('a retired key is written as a comment with the last checkpoint that it may have signed, and read back', () => {
  const retired = { key: { name: registry.name, publicKey: publicKeyOf(9) }, size: 7, root: new Uint8Array(32).fill(7) }
  const written = formatPolicy([registry], [], 0, [retired])
  expect(written).toBe(`${LOG}\n#retired ${retiredVkey} 7 ${ROOT}\nquorum none\n`)
  expect(read(written).retired).toMatchObject([{ key: { name: registry.name }, size: 7, root: retired.root }])
  // Words that only begin like it are comments.
  expect(read(written.replace('#retired', '#retired-keys:')).retired).toEqual([])
})

test('comments, empty lines and further space do not matter', () => {
  expect(parsePolicy(`# trust\n\n \t # indented\n ${LOG}\t\n  \nquorum \t none`)?.logs).toHaveLength(1)
})

test.each([
  ['nothing', ''],
  ['no quorum line', `${LOG}\n`],
  ['no log', 'quorum none\n'],
  ['two quorum lines', `${LOG}\nquorum none\nquorum none\n`],
  ['a quorum that is not defined', `${LOG}\nquorum w\n`],
  ['a quorum that is defined after it', `${LOG}\nquorum w1\n${W[1]}\n`],
  ['a plain key for a witness', `${LOG}\nwitness w ${LOG.slice(4)}\nquorum none\n`],
  ['a witness key for a log', `log ${vkey(1)}\nquorum none\n`],
  ['a log twice', `${LOG}\n${LOG}\nquorum none\n`],
  ['a log\u2019s key under two names', `${LOG}\nlog ${formatVerifierKey('x', registry.publicKey)}\nquorum none\n`],
  ['a witness\u2019s key twice', `${LOG}\n${W[1]}\nwitness again ${vkey(1)}\nquorum none\n`],
  ['one name for two witnesses', `${LOG}\n${W[1]}\nwitness w1 ${vkey(2)}\nquorum none\n`],
  ['one name for a witness and a group', `${LOG}\n${W[1]}\ngroup w1 any w1\nquorum none\n`],
  ['one name for two groups', `${LOG}\n${W[1]}\n${W[2]}\ngroup g any w1\ngroup g any w2\nquorum none\n`],
  ['a witness called none', `${LOG}\nwitness none ${vkey(1)}\nquorum none\n`],
  ['a group called none', `${LOG}\n${W[1]}\ngroup none any w1\nquorum none\n`],
  ['none as a member', `${LOG}\n${W[1]}\ngroup g any w1 none\nquorum g\n`],
  ['a witness without a key', `${LOG}\nwitness w1\nquorum none\n`],
  ['a witness with too many words', `${LOG}\n${W[1]} https://w1.example more\nquorum none\n`],
  ['a group without members', `${LOG}\ngroup g any\nquorum none\n`],
  ['a group without a rule', `${LOG}\n${W[1]}\ngroup g w1\nquorum none\n`],
  ['a group of something undefined', `${LOG}\n${W[1]}\ngroup g any w1 w2\nquorum none\n`],
  ['a group of something defined later', `${LOG}\ngroup g any w1\n${W[1]}\nquorum g\n`],
  ['a group in itself', `${LOG}\n${W[1]}\ngroup g any w1 g\nquorum g\n`],
  ['a member named twice in a group', `${LOG}\n${W[1]}\ngroup g 2 w1 w1\nquorum g\n`],
  ['a member of two groups', `${LOG}\n${W[1]}\ngroup g any w1\ngroup h any w1\nquorum g\n`],
  ['a threshold of zero', `${LOG}\n${W[1]}\ngroup g 0 w1\nquorum g\n`],
  ['a threshold past the members', `${LOG}\n${W[1]}\ngroup g 2 w1\nquorum g\n`],
  ['a threshold with a leading zero', `${LOG}\n${W[1]}\ngroup g 01 w1\nquorum g\n`],
  ['a negative threshold', `${LOG}\n${W[1]}\ngroup g -1 w1\nquorum g\n`],
  ['a threshold in hex', `${LOG}\n${W[1]}\ngroup g 0x1 w1\nquorum g\n`],
  ['an unknown word', `${LOG}\ntrust everyone\nquorum none\n`],
  ['a word in capitals', `${LOG.replace('log', 'LOG')}\nquorum none\n`],
  ['a log without a key', 'log\nquorum none\n'],
  ['a log with too many words', `${LOG} https://registry.example more\nquorum none\n`],
  ['a key with a wrong id', `${LOG.replace(/\+[0-9a-f]{8}\+/, '+00000000+')}\nquorum none\n`],
  ['a good key beside a damaged one', `${LOG}\n${LOG.slice(0, -4)}\nquorum none\n`],
  ['a comment after a word', `${LOG}\nquorum none # at all\n`],
  ['more after the quorum', `${LOG}\nquorum none at all\n`],
  ['carriage returns', `${LOG}\r\nquorum none\r\n`],
  ['an odd space', `${LOG}\nquorum\u00a0none\n`],
  ['a control character', `# \u0007\n${LOG}\nquorum none\n`],
  ['a control character of U+0080 to U+009F in a comment', `# \u0085\n${LOG}\nquorum none\n`],
  ['a name that is not ASCII', `${LOG}\nwitness w\u00e9 ${vkey(1)}\nquorum none\n`],
  ['a group whose name is not ASCII', `${LOG}\n${W[1]}\ngroup \u0433 any w1\nquorum none\n`],
  [
    'a key name that is not ASCII',
    `log ${formatVerifierKey('registry.\u0435xample', registry.publicKey)}\nquorum none\n`,
  ],
  ['an address that is not ASCII', `${LOG} https://r\u00e9gistry.example\nquorum none\n`],
  ['a retired key without its checkpoint', `${LOG}\n#retired ${retiredVkey}\nquorum none\n`],
  ['a retired key without its root', `${LOG}\n#retired ${retiredVkey} 7\nquorum none\n`],
  ['a retired key with a size that is no number', `${LOG}\n#retired ${retiredVkey} 07 ${ROOT}\nquorum none\n`],
  [
    'a retired key with a size past exact integers',
    `${LOG}\n#retired ${retiredVkey} 9007199254740992 ${ROOT}\nquorum none\n`,
  ],
  ['a retired key with a short root', `${LOG}\n#retired ${retiredVkey} 7 ${ROOT.slice(4)}\nquorum none\n`],
  ['a retired key and a word too many', `${LOG}\n#retired ${retiredVkey} 7 ${ROOT} more\nquorum none\n`],
  ['a retired key of a witness', `${LOG}\n#retired ${vkey(1)} 7 ${ROOT}\nquorum none\n`],
  [
    'a retired key of another log',
    `${LOG}\n#retired ${formatVerifierKey('x', publicKeyOf(9))} 7 ${ROOT}\nquorum none\n`,
  ],
  ['a key in use and retired', `${LOG}\n#retired ${LOG.slice(4)} 7 ${ROOT}\nquorum none\n`],
  ['a key retired twice', `${LOG}\n${`#retired ${retiredVkey} 7 ${ROOT}\n`.repeat(2)}quorum none\n`],
  ['a web page', '<!doctype html>\n<title>not found</title>\n'],
])('a policy with %s is refused whole', (_, text) => {
  expect(parsePolicy(text)).toBeUndefined()
})

test('a policy with any one character changed is refused or means something else, except in a comment or address', () => {
  const written = formatPolicy([registry, figures], [witness(1), witness(2)], 1)
  const meaning = JSON.stringify(read(written))
  const symbols = fc.constantFrom(...' \t\n#0129azAZ+/=-.')
  fc.assert(
    fc.property(fc.nat(written.length - 1), symbols, (at, symbol) => {
      const changed = written.slice(0, at) + symbol + written.slice(at + 1)
      const policy = parsePolicy(changed)
      const same = changed.replace(/[ \t]+/g, ' ').trim() === written.trim()
      if (!same && policy) expect(JSON.stringify(policy)).not.toBe(meaning)
      if (policy) expect(policy.quorum).toBe('witnesses') // one change never takes the witnesses away
    }),
    { numRuns: 2_000 },
  )
})

test('a policy that lost any of its lines never asks for less', () => {
  const lines = formatPolicy([registry], [witness(1), witness(2)], 2)
    .trimEnd()
    .split('\n')
  for (const lost of lines.keys()) expect(parsePolicy(lines.filter((_, i) => i !== lost).join('\n'))).toBeUndefined()
})

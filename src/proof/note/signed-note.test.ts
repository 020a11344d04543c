import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { concat, fromBase64, toBase64, toHex, utf8 } from '../bytes.ts'
import { failed } from '../fault.ts'
import { sha256 } from '../sha256.ts'
import {
  formatVerifierKey,
  keyId,
  type NoteSigner,
  openNote,
  parseNote,
  parseVerifierKey,
  signNote,
  type VerifierKey,
  verifyEd25519,
} from './signed-note.ts'

// The example of the C2SP specification, and the keys and note of Go's sumdb/note tests.
const EXAMPLE = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
const EXAMPLE_NOTE =
  'This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n'
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const ENOCH = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop'
const GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const PETER_LINE =
  '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
const ENOCH_LINE =
  '\u2014 EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n'

function pinned(vkey: string): VerifierKey {
  const key = parseVerifierKey(vkey)
  if (!key) throw new Error('the key of this test is not a key')
  return key
}

async function aSigner(name: string): Promise<NoteSigner & { vkey: string }> {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  return {
    name,
    publicKey,
    vkey: formatVerifierKey(name, publicKey),
    sign: async (message) =>
      new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, new Uint8Array(message))),
  }
}

test.each([EXAMPLE, PETER, ENOCH])('the published key %s is read, and written again the same', (vkey) => {
  const { name, id, publicKey } = pinned(vkey)
  expect(formatVerifierKey(name, publicKey)).toBe(vkey)
  expect(toHex(id)).toBe(vkey.split('+')[1] as string)
})

test('no part of a key but the whole is a key', () => {
  for (let start = 0; start < PETER.length; start++)
    for (let end = start; end <= PETER.length; end++)
      if (end - start < PETER.length) expect(parseVerifierKey(PETER.slice(start, end))).toBeUndefined()
})

test('a key with any one character changed is not a key', () => {
  for (let at = 0; at < PETER.length; at++)
    for (let code = 0; code < 256; code++) {
      const changed = PETER.slice(0, at) + String.fromCharCode(code) + PETER.slice(at + 1)
      if (changed !== PETER) expect(parseVerifierKey(changed)).toBeUndefined()
    }
})

/** A key text whose id is right for whatever bytes it holds, so that only the check at hand can refuse it. */
const withRightId = (name: string, body: Uint8Array): string =>
  `${name}+${toHex(sha256(concat(utf8(`${name}\n`), body)).slice(0, 4))}+${toBase64(body)}`

test('a key with the right id but another type, length or name is refused', () => {
  const { publicKey } = pinned(PETER)
  const typed = (type: number, key = publicKey) => concat(Uint8Array.of(type), key)
  expect(parseVerifierKey(withRightId('PeterNeumann', typed(1)))).toEqual(pinned(PETER))
  expect(parseVerifierKey(withRightId('PeterNeumann', typed(4)))).toMatchObject({ type: 4, publicKey })
  for (const type of [0, 2, 3, 5, 6, 0x65, 0xff])
    expect(parseVerifierKey(withRightId('PeterNeumann', typed(type)))).toBeUndefined()
  for (const key of [publicKey.slice(1), concat(publicKey, Uint8Array.of(0)), concat(publicKey, publicKey)])
    expect(parseVerifierKey(withRightId('PeterNeumann', typed(1, key)))).toBeUndefined()
  for (const name of ['', 'a b', 'a\u00a0b', 'a\u3000b', 'a\nb', 'a\tb', 'a+b', '\ud800'])
    expect(parseVerifierKey(withRightId(name, typed(1)))).toBeUndefined()
})

test.each([
  'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
  'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  PETER.toUpperCase(),
  PETER.replace('c74f20a3', 'C74F20A3'),
  ` ${PETER}`,
  `${PETER}\n`,
  `${PETER}=`,
])('%j is not a key', (vkey) => {
  expect(parseVerifierKey(vkey)).toBeUndefined()
})

test('the published notes open with their keys', async () => {
  const example = await openNote(EXAMPLE_NOTE, [pinned(EXAMPLE)])
  expect(example).toMatchObject({
    ok: true,
    note: { text: 'This is an example message.\n' },
    signers: [pinned(EXAMPLE)],
  })
  for (const keys of [[pinned(PETER)], [pinned(ENOCH)], [pinned(ENOCH), pinned(PETER)]]) {
    const opened = await openNote(`${GO_TEXT}\n${PETER_LINE}${ENOCH_LINE}`, keys)
    expect(opened).toMatchObject({ ok: true, note: { text: GO_TEXT } })
    expect(opened.ok && new Set(opened.signers)).toEqual(new Set(keys))
  }
})

test('a note without a signature by a pinned key is unsigned', async () => {
  expect(await openNote(`${GO_TEXT}\n${PETER_LINE}`, [])).toEqual(failed('note_unsigned'))
  expect(await openNote(`${GO_TEXT}\n${PETER_LINE}`, [pinned(ENOCH)])).toEqual(failed('note_unsigned'))
})

test('a line under a pinned name with another key id is another key, and is ignored', async () => {
  const foreign = toBase64(concat(Uint8Array.of(1, 2, 3, 4), new Uint8Array(64)))
  const note = `${GO_TEXT}\n\u2014 PeterNeumann ${foreign}\n${PETER_LINE}`
  expect(await openNote(note, [pinned(PETER)])).toMatchObject({ ok: true })
  expect(await openNote(`${GO_TEXT}\n\u2014 PeterNeumann ${foreign}\n`, [pinned(PETER)])).toEqual(
    failed('note_unsigned'),
  )
})

test('one bad signature by a pinned key spoils the note, whatever else signs it', async () => {
  const bytes = fromBase64(PETER_LINE.split(' ')[2]?.trimEnd() ?? '') as Uint8Array
  for (const at of [4, 35, 36, 67]) {
    const changed = bytes.slice()
    changed[at] = (changed[at] as number) ^ 1
    const note = `${GO_TEXT}\n\u2014 PeterNeumann ${toBase64(changed)}\n${ENOCH_LINE}`
    const refused = failed('note_signature_invalid')
    expect(await openNote(note, [pinned(PETER), pinned(ENOCH)])).toEqual(refused)
    expect(await openNote(note, [pinned(ENOCH)])).toMatchObject({ ok: true })
  }
  for (const length of [5, 67, 69, 76]) {
    const resized = toBase64(concat(bytes, new Uint8Array(16)).slice(0, length))
    const note = `${GO_TEXT}\n\u2014 PeterNeumann ${resized}\n`
    expect(await openNote(note, [pinned(PETER)])).toEqual(failed('note_signature_invalid'))
  }
})

test('a changed text does not open', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(GO_TEXT.length - 2), fc.constantFrom('x', '0', '\n', '\u00e9'), async (at, symbol) => {
      const changed = GO_TEXT.slice(0, at) + symbol + GO_TEXT.slice(at + 1)
      const opened = await openNote(`${changed}\n${PETER_LINE}`, [pinned(PETER)])
      expect(opened.ok).toBe(changed === GO_TEXT)
    }),
  )
})

const SIGNATURE = PETER_LINE.slice('\u2014 PeterNeumann '.length, -1)

test.each([
  ['nothing', ''],
  ['text alone', GO_TEXT],
  ['no signature after the empty line', `${GO_TEXT}\n`],
  ['no empty line', `${GO_TEXT}${PETER_LINE}`],
  ['no newline at the end', `${GO_TEXT}\n${PETER_LINE}`.slice(0, -1)],
  ['an empty line at the end', `${GO_TEXT}\n${PETER_LINE}\n`],
  ['an empty line between signatures', `${GO_TEXT}\n${PETER_LINE}\nnot a signature\n`],
  ['a line that is not a signature', `${GO_TEXT}\n${PETER_LINE}hello\n`],
  ['a hyphen for the dash', `${GO_TEXT}\n- PeterNeumann ${SIGNATURE}\n`],
  ['no space after the dash', `${GO_TEXT}\n\u2014PeterNeumann ${SIGNATURE}\n`],
  ['two spaces', `${GO_TEXT}\n\u2014 PeterNeumann  ${SIGNATURE}\n`],
  ['a space at the end', `${GO_TEXT}\n\u2014 PeterNeumann ${SIGNATURE} \n`],
  ['no name', `${GO_TEXT}\n\u2014  ${SIGNATURE}\n`],
  ['a plus in the name', `${GO_TEXT}\n\u2014 Peter+Neumann ${SIGNATURE}\n`],
  ['an odd space in the name', `${GO_TEXT}\n\u2014 Peter\u2003Neumann ${SIGNATURE}\n`],
  ['no padding', `${GO_TEXT}\n\u2014 PeterNeumann ${SIGNATURE.slice(0, -1)}\n`],
  ['base64 that is not canonical', `${GO_TEXT}\n\u2014 PeterNeumann AAAAAAB=\n`],
  ['a key id and nothing more', `${GO_TEXT}\n\u2014 PeterNeumann x08gow==\n`],
  ['a carriage return at each line end', `${GO_TEXT}\n${PETER_LINE}`.replaceAll('\n', '\r\n')],
  ['a carriage return in the signatures', `${GO_TEXT}\n${PETER_LINE.replace('\n', '\r\n')}`],
  ['a lone surrogate', `\ud800${GO_TEXT}\n${PETER_LINE}`],
  ['more than the size limit', `${'x'.repeat(70_000)}\n\n${PETER_LINE}`],
  ['more than the size limit in bytes, though not in characters', `${'\u20ac'.repeat(22_000)}\n\n${PETER_LINE}`],
])('a note with %s is malformed', async (_, note) => {
  expect(parseNote(note)).toBeUndefined()
  expect(await openNote(note, [pinned(PETER)])).toEqual(failed('note_malformed'))
})

test('control characters other than newline are refused, in notes and in texts to be signed', async () => {
  const signer = await aSigner('log.example')
  for (let code = 0; code < 0x20; code++) {
    if (code === 0x0a) continue
    const text = `a${String.fromCharCode(code)}b\n`
    expect(parseNote(`${text}\n${PETER_LINE}`)).toBeUndefined()
    expect(signNote(text, [signer])).rejects.toThrow(RangeError)
  }
  expect(parseNote(`a\u007fb\n\n${PETER_LINE}`)).toBeUndefined()
  expect(signNote('no newline', [signer])).rejects.toThrow(RangeError)
})

test('the size limit counts bytes: 65,536 are read and one more is refused', () => {
  for (const symbol of ['x', '\u00e9', '\u20ac', '\u{1f600}']) {
    const room = 65_536 - utf8(`\n\n${PETER_LINE}`).length
    const width = utf8(symbol).length
    const filler = symbol.repeat(Math.floor(room / width)) + 'x'.repeat(room % width)
    expect(parseNote(`${filler}\n\n${PETER_LINE}`)).toBeDefined()
    expect(parseNote(`${filler}x\n\n${PETER_LINE}`)).toBeUndefined()
  }
})

test('a cosigner\u2019s key is another key than a plain one over the same bytes, and opens no note', async () => {
  const { publicKey } = pinned(PETER)
  const vkey = formatVerifierKey('PeterNeumann', publicKey, 4)
  expect(vkey).not.toBe(PETER)
  expect(parseVerifierKey(vkey)).toEqual({
    type: 4,
    name: 'PeterNeumann',
    publicKey,
    id: sha256(concat(utf8('PeterNeumann\n'), Uint8Array.of(4), publicKey)).slice(0, 4),
  })
  expect(await openNote(`${GO_TEXT}\n${PETER_LINE}`, [pinned(vkey)])).toEqual(failed('note_unsigned'))
  const bytes = fromBase64(PETER_LINE.split(' ')[2]?.trimEnd() ?? '') as Uint8Array
  const relabelled = toBase64(concat(pinned(vkey).id, bytes.slice(4)))
  expect(await openNote(`${GO_TEXT}\n\u2014 PeterNeumann ${relabelled}\n`, [pinned(vkey)])).toEqual(
    failed('note_unsigned'),
  )
})

test('100 signatures are read and 101 are refused', () => {
  expect(parseNote(`text\n\n${PETER_LINE.repeat(100)}`)?.signatures).toHaveLength(100)
  expect(parseNote(`text\n\n${PETER_LINE.repeat(101)}`)).toBeUndefined()
})

test('the last empty line divides, so a text may itself hold a signed note', async () => {
  const [inner, outer] = [await aSigner('inner.example'), await aSigner('outer.example')]
  const whole = await signNote(await signNote('deep\n', [inner]), [outer])
  const opened = await openNote(whole, [pinned(outer.vkey)])
  expect(opened).toMatchObject({ ok: true, signers: [{ name: 'outer.example' }] })
  expect(await openNote(whole, [pinned(inner.vkey)])).toEqual(failed('note_unsigned'))
})

test('what is signed opens with the same text, and each signer is counted once', async () => {
  const [a, b] = [await aSigner('a.example/log'), await aSigner('b.example/log')]
  const keys = [pinned(a.vkey), pinned(b.vkey)]
  const line = fc.string({ unit: fc.constantFrom(...'az09 \u2014+=\u00e9\u{1f600}'), maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), async (lines) => {
      const text = `${lines.join('\n')}\n`
      expect(await openNote(await signNote(text, [a, b, a]), keys)).toMatchObject({
        ok: true,
        note: { text },
        signers: keys,
      })
    }),
    { numRuns: 30 },
  )
})

test('the key id covers the name, so one key under two names is two keys', async () => {
  const { publicKey } = await aSigner('a')
  expect(keyId('a', publicKey)).not.toEqual(keyId('b', publicKey))
  expect(keyId('a', publicKey)).toHaveLength(4)
})

test('bytes that are no key or no signature are a bad signature, not a fault', async () => {
  const message = utf8('message')
  expect(await verifyEd25519(new Uint8Array(31), new Uint8Array(64), message)).toBe(false)
  expect(await verifyEd25519(new Uint8Array(32), new Uint8Array(63), message)).toBe(false)
  expect(await verifyEd25519(new Uint8Array(32).fill(255), new Uint8Array(64), message)).toBe(false)
  expect(await verifyEd25519(pinned(PETER).publicKey, new Uint8Array(64).fill(255), message)).toBe(false)
})

test('nothing stands before a key or a line of signature', () => {
  expect(parseVerifierKey(EXAMPLE)).toBeDefined()
  for (const text of [`x+${EXAMPLE}`, `+${EXAMPLE}`, `${EXAMPLE}\n`]) expect(parseVerifierKey(text)).toBeUndefined()
  expect(parseNote(EXAMPLE_NOTE)).toBeDefined()
  for (const before of ['x', ' ', '- '])
    expect(parseNote(EXAMPLE_NOTE.replace('\u2014', `${before}\u2014`))).toBeUndefined()
})

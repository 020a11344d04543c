import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { utf8 } from '../proof/bytes.ts'
import { anEd25519Key, CONSTANT_SIGNATURE, UNSOUND_KEYS } from './fixture.ts'
import { isSignedBy, thumbprintOf } from './possession.ts'
import {
  isSignedRequest,
  parseByteMembers,
  parseSignatureInput,
  type SignedRequest,
  signatureBase,
} from './signed-request.ts'

/** RFC 9421 appendix B.1.4. */
const KEY = new Uint8Array(Buffer.from('JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs', 'base64url'))

const request = (url: string, fields: Record<string, string> = {}): SignedRequest => ({
  method: 'POST',
  url,
  header: (name) => fields[name],
  body: new Uint8Array(),
})

async function isGood(signed: SignedRequest, label: string, input: string, signature: string): Promise<boolean> {
  const announced = parseSignatureInput(input)?.get(label)
  const bytes = parseByteMembers(signature)?.get(label)
  const base = announced && signatureBase(signed, announced)
  return base !== undefined && bytes !== undefined && (await isSignedBy(KEY, bytes, utf8(base)))
}

test('the published signatures of RFC 9421 and of Web Bot Auth are reproduced', async () => {
  // RFC 9421 appendix B.2.6.
  const rfc = request('https://example.com/foo?param=Value&Pet=dog', {
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    'content-type': 'application/json',
    'content-length': '18',
  })
  const input =
    'sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"'
  const signature = 'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:'
  expect(await isGood(rfc, 'sig-b26', input, signature)).toBe(true)
  expect(await isGood({ ...rfc, method: 'GET' }, 'sig-b26', input, signature)).toBe(false)
  expect(await isGood({ ...rfc, url: 'https://example.org/foo' }, 'sig-b26', input, signature)).toBe(false)
  expect(await isGood(rfc, 'sig-b26', input.replace('1618884473', '1618884474'), signature)).toBe(false)

  // draft-meunier-web-bot-auth-architecture, appendix of test vectors.
  const bot = request('https://example.com/path/to/resource')
  const botInput =
    'sig1=("@authority");created=1735689600;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;nonce="zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A==";tag="web-bot-auth"'
  const botSignature = 'sig1=:QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==:'
  expect(await isGood(bot, 'sig1', botInput, botSignature)).toBe(true)
  expect(thumbprintOf(KEY)).toBe('poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U')
})

test('every part of a request that may be signed is taken from our own address', () => {
  const all = ['@method', '@target-uri', '@authority', '@scheme', '@path', '@query', '@request-target']
  const text = `a=(${all.map((name) => `"${name}"`).join(' ')});created=1`
  const input = parseSignatureInput(text)?.get('a')
  expect(input && signatureBase(request('https://Registry.Example:443/api?x=1'), input)?.split('\n')).toEqual([
    '"@method": POST',
    '"@target-uri": https://Registry.Example:443/api?x=1',
    '"@authority": registry.example',
    '"@scheme": https',
    '"@path": /api',
    '"@query": ?x=1',
    '"@request-target": /api?x=1',
    `"@signature-params": ${text.slice(2)}`,
  ])
})

test('a field that is not in the canonical form is not read', () => {
  const good = 'sig1=("@method" "date");created=1;keyid="k", sig2=("date");created=2'
  expect([...(parseSignatureInput(good)?.keys() ?? [])]).toEqual(['sig1', 'sig2'])
  const bad = [
    'sig1',
    'sig1=()',
    'sig1=("date"',
    'sig1=( "date")',
    'sig1=("date"  "@path")',
    'sig1=("date" "date")',
    'sig1=("date");created',
    'sig1=("date"); created=1',
    'sig1=("date");created=1.5',
    'sig1=("date";sf)',
    'sig1=("date\\"");created=1',
    'sig1=("date")\u0000',
    'Sig1=("date")',
    'sig1=("date"), sig1=("date")',
    `sig1=("${'x'.repeat(5000)}")`,
    Array.from({ length: 9 }, (_, i) => `s${i}=("date")`).join(', '),
  ]
  for (const text of bad) expect([text.slice(0, 40), parseSignatureInput(text)]).toEqual([text.slice(0, 40), undefined])
  for (const text of ['a=b', 'a=:*:', 'a=:AA==', 'a=:AA==:;x=1', 'a=:AA==: b=:AA==:'])
    expect([text, parseByteMembers(text)]).toEqual([text, undefined])
  expect(parseByteMembers('')?.size).toBe(0)
})

test('no text makes the readers fail', () => {
  const pieces = fc.constantFrom(
    'sig1',
    '=',
    '(',
    ')',
    '"',
    '@method',
    ' ',
    ';',
    ',',
    'created=',
    '1',
    ':',
    'AA==',
    '\\',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      parseSignatureInput(parts.join(''))
      parseByteMembers(parts.join(''))
    }),
    { numRuns: 300 },
  )
})

const AGENT = anEd25519Key()
const NOW = 1_000_000
const BODY = utf8('{"nonce":"a"}')
const digestOf = (body: Uint8Array, name = 'sha-256'): string =>
  `${name}=:${createHash(name.replace('-', '')).update(body).digest('base64')}:`

interface Draft {
  components: string
  /** In seconds. */
  created: string
  expires: string
  keyid: string
  more: string
  digest: string
  label: string
  /** Text before and after the signature and its input. */
  otherInput: string
  otherSignature: string
  laterInput: string
}

const DRAFT: Draft = {
  components: '"@method" "@target-uri" "content-digest"',
  created: ';created=1000',
  expires: ';expires=1300',
  keyid: ';keyid="aaaaaaaaaaaa"',
  more: ';tag="web-bot-auth"',
  digest: digestOf(BODY),
  label: 'sig',
  otherInput: '',
  otherSignature: '',
  laterInput: '',
}

/** Whether a request with this signature is accepted. The signature itself is right for what it covers. */
async function isAccepted(
  change: Partial<Draft> = {},
  moved: Partial<SignedRequest> = {},
  key = AGENT.raw,
): Promise<boolean> {
  const { components, created, expires, keyid, more, digest, ...draft } = { ...DRAFT, ...change }
  const input = `sig=(${components})${created}${expires}${keyid}${more}`
  const fields: Record<string, string> = { 'content-digest': digest, 'x-note': ' a ' }
  const sent: SignedRequest = { ...request('https://registry.example/attest', fields), body: BODY }
  const announced = parseSignatureInput(input)?.get('sig')
  const base = announced && signatureBase(sent, announced)
  const signature = base === undefined ? 'AAAA' : Buffer.from(AGENT.sign(base), 'base64url').toString('base64')
  fields['signature-input'] = draft.otherInput + input + draft.laterInput
  fields['signature'] = `${draft.otherSignature}${draft.label}=:${signature}:`
  return isSignedRequest({ ...sent, ...moved }, { key_id: 'aaaaaaaaaaaa', public_key: key }, NOW)
}

test('a request is signed by its key, for this address, with this body, just now', async () => {
  const good: Partial<Draft>[] = [
    {},
    { keyid: `;keyid="${thumbprintOf(AGENT.raw)}"` },
    { components: '"@method" "@authority" "@path" "content-digest" "x-note"' },
    { created: ';created=1030' },
    { created: ';created=701', expires: ';expires=1001' },
    { more: ';tag="web-bot-auth";alg="ed25519"' },
    { digest: `${digestOf(BODY, 'sha-512')}, md5=:AAAA:` },
    { digest: `${digestOf(BODY)}, ${digestOf(BODY, 'sha-512')}` },
    // Further signatures of others, or for other purposes.
    { otherInput: 'b=("@method");keyid="aaaaaaaaaaaa", c=("@method");tag="web-bot-auth";keyid="other", ' },
  ]
  for (const change of good) expect([change, await isAccepted(change)]).toEqual([change, true])
})

test('a right signature is refused if it covers too little, is not current, or comes twice', async () => {
  const bad: Partial<Draft>[] = [
    { components: '"@target-uri" "content-digest"' },
    { components: '"@method" "@target-uri"' },
    { components: '"@method" "content-digest"' },
    { components: '"@method" "@authority" "content-digest"' },
    { components: '"@method" "@path" "content-digest"' },
    { components: '"@method" "@target-uri" "content-digest" "x-missing"' },
    { components: '"@method" "@target-uri" "content-digest" "@status"' },
    { created: ';created=1031' },
    { created: '' },
    { created: ';created="1000"' },
    { expires: ';expires=1000', created: ';created=900' },
    { expires: ';expires=1301' },
    { expires: '' },
    { expires: ';expires="1300"' },
    { keyid: '' },
    { keyid: ';keyid="bbbbbbbbbbbb"' },
    { more: '' },
    { more: ';tag="other"' },
    { more: ';tag="web-bot-auth";alg="rsa"' },
    { digest: 'md5=:AAAA:' },
    { digest: 'sha-256=:AAAA:' },
    { digest: digestOf(utf8('another body')) },
    { digest: `${digestOf(BODY)}, ${digestOf(utf8('another body'), 'sha-512')}` },
    { label: 'other' },
    { otherInput: 'b=("@method");keyid="aaaaaaaaaaaa";tag="web-bot-auth", ' },
    { laterInput: ', b=("@method");keyid="aaaaaaaaaaaa";tag="web-bot-auth"' },
    { otherSignature: 'nonsense, ' },
  ]
  for (const change of bad) expect([change, await isAccepted(change)]).toEqual([change, false])
  expect(await isAccepted({}, { url: 'https://registry.example/other' })).toBe(false)
  expect(await isAccepted({}, { method: 'GET' })).toBe(false)
  expect(await isAccepted({}, { body: utf8('another body') })).toBe(false)
  expect(await isAccepted({}, { header: () => undefined })).toBe(false)
  expect(await isAccepted({}, {}, anEd25519Key().raw)).toBe(false)
})

test('a key of small order signs no request', async () => {
  const public_key = UNSOUND_KEYS[0] as Uint8Array
  const signature = Buffer.from(CONSTANT_SIGNATURE, 'base64url')
  expect(await isSignedBy(public_key, new Uint8Array(signature), utf8('anything'))).toBe(false)
})

test('as many members as are allowed are read, and texts of the largest size', () => {
  const eight = Array.from({ length: 8 }, (_, i) => `s${i}=:AA==:`).join(', ')
  expect(parseByteMembers(eight)?.size).toBe(8)
  const longest = `a=:${'A'.repeat(4096 - 4)}:`
  expect([parseByteMembers(longest)?.get('a')?.length, parseByteMembers(`${longest.slice(0, -1)}A:`)]).toEqual([
    3069,
    undefined,
  ])
  expect(parseSignatureInput('a=("x");n=-5;t="-5"')?.get('a')?.parameters).toEqual(
    new Map<string, string | number>([
      ['n', -5],
      ['t', '-5'],
    ]),
  )
})

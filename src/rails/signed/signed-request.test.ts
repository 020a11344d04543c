import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { utf8 } from '../../proof/bytes.ts'
import { isSignedBy, thumbprintOf } from '../possession.ts'
import { parseByteMembers, parseSignatureInput } from './signature-fields.ts'
import { type SignedRequest, signatureBase } from './signed-request.ts'

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

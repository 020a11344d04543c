import { expect, test } from 'bun:test'
import { readConfig } from './config.ts'
import { anMlDsaWitness, aSigner } from './proof/fixture.ts'
import { formatVerifierKey } from './proof/note/signed-note.ts'

const signer = await aSigner('witness.example/one')
const vkey = formatVerifierKey(signer.name, signer.publicKey, 4)
const { vkey: mlDsa } = await anMlDsaWitness('witness.example/one')
const URL = 'https://witness.example'

test('a witness is a key, an address and, if it has one, its ML-DSA-44 key', () => {
  const { WITNESSES, witnessQuorum } = readConfig({ WITNESSES: `${vkey} ${URL}/, ${vkey} ${URL} ${mlDsa}` })
  expect(WITNESSES).toMatchObject([
    { key: { type: 4 }, url: URL },
    { key: { type: 4 }, url: URL, mlDsaKey: { type: 6 } },
  ])
  expect(witnessQuorum).toBe(2)
})

test.each([
  ['a key of ML-DSA-44 alone', `${mlDsa} ${URL}`],
  ['two keys of Ed25519', `${vkey} ${URL} ${vkey}`],
  ['a key of a log', `${formatVerifierKey(signer.name, signer.publicKey)} ${URL}`],
  ['a key of small order', `${formatVerifierKey(signer.name, new Uint8Array(32), 4)} ${URL}`],
  ['a word too many', `${vkey} ${URL} ${mlDsa} more`],
  ['no address', vkey],
  ['more lines of ML-DSA-44 than a checkpoint has room for', Array(9).fill(`${vkey} ${URL} ${mlDsa}`).join(',')],
])('witnesses with %s are refused', (_, WITNESSES) => {
  expect(() => readConfig({ WITNESSES })).toThrow('the value of WITNESSES is not valid: see .env.example')
})

test('how long witnesses are waited for has bounds', () => {
  expect(readConfig({})).toMatchObject({ WITNESS_TIMEOUT_MS: 10_000, WITNESS_RETRIES: 3, LOG_RPM: 6_000 })
  for (const wrong of ['0', '99', '60001', 'x'])
    expect(() => readConfig({ WITNESS_TIMEOUT_MS: wrong })).toThrow('WITNESS_TIMEOUT_MS')
  for (const wrong of ['-1', '6', '1.5'])
    expect(() => readConfig({ WITNESS_RETRIES: wrong })).toThrow('WITNESS_RETRIES')
})

import { expect, test } from 'bun:test'
import { formatVerifierKey, openNote, parseVerifierKey, signNote } from '../proof/note/signed-note.ts'
import { generateLogKey, parseLogKey } from './log-key.ts'

// Published in Go's sumdb/note tests, and used for nothing else.
const GO_KEY = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz'
const GO_VERIFIER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const GO_LINE =
  '\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'

function readKey(line: string) {
  const signer = parseLogKey(line)
  if (!signer) throw new Error('the key of this test is not a key')
  return signer
}

test('a key made by Go signs here, byte for byte, as it signs in Go', async () => {
  const signer = readKey(GO_KEY)
  expect(formatVerifierKey(signer.name, signer.publicKey)).toBe(GO_VERIFIER)
  expect(await signNote(GO_TEXT, [signer])).toBe(`${GO_TEXT}\n${GO_LINE}`)
})

test('a new key is read back and signs notes that open with its public half', async () => {
  const signer = readKey(generateLogKey('registry.example/log/registry'))
  const verifier = parseVerifierKey(formatVerifierKey(signer.name, signer.publicKey))
  const note = await signNote('text\n', [signer])
  expect(verifier && (await openNote(note, [verifier]))).toMatchObject({ ok: true, note: { text: 'text\n' } })
})

test('two new keys differ', () => {
  expect(generateLogKey('log.example')).not.toBe(generateLogKey('log.example'))
})

test('a private key with a part missing or a character changed is refused', () => {
  for (let start = 0; start < GO_KEY.length; start++) {
    expect(parseLogKey(GO_KEY.slice(start + 1))).toBeUndefined()
    expect(parseLogKey(GO_KEY.slice(0, start))).toBeUndefined()
    for (const symbol of 'Ax0+/= \n') {
      const changed = GO_KEY.slice(0, start) + symbol + GO_KEY.slice(start + 1)
      if (changed !== GO_KEY) expect(parseLogKey(changed)).toBeUndefined()
    }
  }
  expect(parseLogKey(`${GO_KEY}\n`)).toBeUndefined()
  expect(parseLogKey(GO_VERIFIER)).toBeUndefined()
})

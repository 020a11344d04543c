import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { toBase64, utf8 } from '../bytes.ts'
import { failed } from '../fault.ts'
import { anMlDsaWitness, aSigner, MemoryLog } from '../fixture.ts'
import { openCheckpoint } from './checkpoint.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from './policy.ts'
import { formatVerifierKey, verifyEd25519 } from './signed-note.ts'

const NAME = 'w.example/witness'
const SECONDS = 1_700_000_000

const { key, vkey, cosign } = await anMlDsaWitness(NAME)
const cosigned = (given: string): Promise<string> => cosign(given, SECONDS)

const log = await aSigner('log.example/registry')
const memory = new MemoryLog(log).append(Uint8Array.of(1), Uint8Array.of(2))
const note = await memory.checkpoint()
const text = await memory.text()
const policyOf = (witness: string): TrustPolicy => {
  const policy = parsePolicy(formatPolicy([log]).replace('quorum none', `witness w ${witness}\nquorum w`))
  if (!policy) throw new Error('the policy of this test is not one')
  return policy
}

test('the id of an ML-DSA-44 key is the hash of its name, the type 6 and its 1,312 bytes', () => {
  expect(key.publicKey).toHaveLength(1_312)
  const hash = createHash('sha256').update(`${NAME}\n\x06`).update(key.publicKey).digest('hex')
  expect(vkey).toStartWith(`${NAME}+${hash.slice(0, 8)}+B`)
})

test('a policy may name a witness by its ML-DSA-44 key, whose cosignature then counts', async () => {
  expect(await openCheckpoint(note + (await cosigned(text)), policyOf(vkey))).toMatchObject({
    ok: true,
    cosigners: [{ key: { name: NAME, type: 6 }, seconds: SECONDS }],
  })
  expect(await openCheckpoint(note, policyOf(vkey))).toEqual(failed('quorum_not_met'))
})

test('an ML-DSA-44 cosignature of another size, by another name or of a changed bit spoils the note', async () => {
  const line = await cosigned(text)
  const bytes = Buffer.from(line.split(' ')[2] as string, 'base64')
  bytes[100] = (bytes[100] as number) ^ 1
  for (const forged of [
    await cosigned(text.replace('\n2\n', '\n3\n')),
    await cosign(text, SECONDS, 'x.example/witness'),
    `\u2014 ${NAME} ${toBase64(bytes)}\n`,
    `\u2014 ${NAME} ${toBase64(bytes.subarray(0, 76))}\n`,
  ])
    expect(await openCheckpoint(note + forged, policyOf(vkey))).toEqual(failed('note_signature_invalid'))
})

test('a verifier that does not pin the ML-DSA-44 key ignores its lines', async () => {
  const witness = await aSigner(NAME)
  const both = new MemoryLog(log, [witness], SECONDS).append(Uint8Array.of(1), Uint8Array.of(2))
  const carried = (await both.checkpoint()) + (await cosigned(text))
  expect(await openCheckpoint(carried, policyOf(formatVerifierKey(NAME, witness.publicKey, 4)))).toMatchObject({
    ok: true,
    cosigners: [{ key: { type: 4 } }],
  })
})

test('where the platform cannot check ML-DSA-44, its lines count for nothing and spoil nothing', async () => {
  const child = Bun.spawn(
    [
      process.execPath,
      '-e',
      `const importKey = crypto.subtle.importKey.bind(crypto.subtle)
       crypto.subtle.importKey = (...given) => given[2] === 'ML-DSA-44' ? Promise.reject(new Error('no such algorithm')) : importKey(...given)
       const { openCheckpoint, parsePolicy } = await import('${import.meta.dir}/../verify.ts')
       const [policy, note] = JSON.parse(await Bun.stdin.text())
       console.log(JSON.stringify(await Promise.all([policy, policy.replace('quorum w', 'quorum none')].map(async (text) => {
         const opened = await openCheckpoint(note, parsePolicy(text))
         return opened.ok ? opened.cosigners.length : opened.reason
       })))) `,
    ],
    { stdin: 'pipe', stdout: 'pipe' },
  )
  const policy = formatPolicy([log]).replace('quorum none', `witness w ${vkey}\nquorum w`)
  child.stdin.write(JSON.stringify([policy, note + (await cosigned(text))]))
  child.stdin.end()
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual(['quorum_not_met', 0])
})

test('bytes that change while a signature is checked do not change the verdict', async () => {
  const message = utf8('text')
  const signature = await log.sign(message)
  const copies = [log.publicKey.slice(), signature.slice(), message.slice()] as const
  const verdict = verifyEd25519(...copies)
  for (const bytes of copies) bytes.fill(0)
  expect(await verdict).toBe(true)
})

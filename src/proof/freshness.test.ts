import { expect, test } from 'bun:test'
import { failed } from './fault.ts'
import { aSigner } from './fixture.ts'
import { cosign } from './note/cosignature.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from './note/policy.ts'
import { aFee, MemoryRegistry, RECORDED } from './registry-fixture.ts'
import { verifyBody } from './verify-lists.ts'

const signer = await aSigner('registry.example/log/registry')
const witnesses = await Promise.all([1, 2, 3].map((n) => aSigner(`witness.example/w${n}`)))
const registry = new MemoryRegistry(signer)
const body = JSON.stringify(await registry.cite(registry.publish([aFee({ code: '99213' })], { chart: 'cms-pfs' }), 0))
const note = (await registry.proof()).checkpoint

const HOUR = 3_600
const recorded = Date.parse(RECORDED) / 1000
/** The answer, cosigned by the witnesses at these hours after the state was recorded; undefined stands for not at all. */
async function cosignedAt(...hours: (number | undefined)[]): Promise<string> {
  const text = note.slice(0, note.indexOf('\n\n') + 1)
  const lines = await Promise.all(
    hours.map((hour, i) =>
      hour === undefined ? '' : cosign(text, witnesses[i] as (typeof witnesses)[0], recorded + hour * HOUR),
    ),
  )
  return body.replaceAll(JSON.stringify(note), JSON.stringify(note + lines.join('')))
}
const policyOf = (quorum: number): TrustPolicy => parsePolicy(formatPolicy([signer], witnesses, quorum)) as TrustPolicy
const since = async (text: string, hours: number, policy = policyOf(2)): Promise<string> => {
  const notBefore = new Date((recorded + hours * HOUR) * 1000).toISOString()
  const verdict = await verifyBody(text, policy, { anyQuestion: true }, { notBefore })
  return verdict.ok ? 'fresh' : verdict.reason
}

test('with witnesses, a view is as old as the median of their cosignatures says', async () => {
  const text = await cosignedAt(50, 48, 60)
  expect(await since(text, 50)).toBe('fresh')
  expect(await since(text, 51)).toBe('state_too_old')
})

test('of two witnesses the earlier one decides', async () => {
  const text = await cosignedAt(50, 48)
  expect([await since(text, 48), await since(text, 49)]).toEqual(['fresh', 'state_too_old'])
})

test('one witness whose clock runs ahead does not make an old view young', async () => {
  expect(await since(await cosignedAt(1, 2, 1_000_000), 3)).toBe('state_too_old')
})

test('a log that says it is of tomorrow is as old as its witnesses say', async () => {
  const ahead = new MemoryRegistry(signer, witnesses, '2099-01-01T00:00:00Z')
  const text = JSON.stringify(await ahead.cite(ahead.publish([aFee({ code: '99213' })], { chart: 'cms-pfs' }), 0))
  expect(await since(text, 0)).toBe('state_too_old')
  expect(await since(text, 0, parsePolicy(formatPolicy([signer])) as TrustPolicy)).toBe('fresh')
})

test('where no pinned witness cosigned, the state itself says how old it is', async () => {
  expect(await since(body, 0, policyOf(0))).toBe('fresh')
  expect(await since(body, 1, policyOf(0))).toBe('state_too_old')
})

test('what only a retired key signed verifies for ever, and is never fresh', async () => {
  const current = await aSigner(signer.name)
  const size = registry.log.leaves.length
  const retired = [{ key: signer, size, root: await registry.log.root() }]
  const policy = parsePolicy(formatPolicy([current], [], 0, retired)) as TrustPolicy
  expect(await verifyBody(body, policy, { anyQuestion: true })).toMatchObject({ ok: true, recorded_at: RECORDED })
  expect(await since(body, -1, policy)).toBe('state_too_old')
})

test('a view that is dated after now tells nothing about its age', async () => {
  const text = await cosignedAt(1, 2, 3)
  const until = (hours: number) => {
    const notAfter = new Date((recorded + hours * HOUR) * 1000).toISOString()
    return verifyBody(text, policyOf(2), { anyQuestion: true }, { notAfter })
  }
  expect(await until(2)).toMatchObject({ ok: true })
  expect(await until(1)).toEqual(failed('state_too_old'))
})

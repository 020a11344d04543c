import { expect, test } from 'bun:test'
import { verify } from 'web-bot-auth'
import { verifierFromJWK } from 'web-bot-auth/crypto'
import { botSigner } from '../../src/fetch/signature.ts'
import { BOT_PURPOSE, purposeKey } from '../../src/rails/purpose-key.ts'
import { FetchingStore } from '../support/fetching.ts'

test('requests to a publisher are signed by the key that the service publishes', async () => {
  await using store = await FetchingStore.open(new Date().toISOString().slice(0, 10))
  // Waiting moves the clock of the test, and a signature must not be of the future.
  store.clock.now = Date.now() - 20_000
  store.laboratoryList([2026, 3])
  const { pepper } = store.app.installation
  await store.fetch('cms-clfs', { sign: botSigner(purposeKey(pepper, BOT_PURPOSE), 'https://registry.example') })
  expect(store.site.asked.length).toBeGreaterThan(1)

  const directory = await store.app.request('/.well-known/http-message-signatures-directory')
  expect(directory.headers.get('content-type')).toContain('application/http-message-signatures-directory+json')
  const { keys } = (await directory.json()) as { keys: JsonWebKey[] }
  const verifier = await verifierFromJWK(keys[0] as JsonWebKey)
  const isVerified = (address: string, headers: Headers): Promise<boolean> =>
    verify(new Request(address, { headers }), verifier).then(
      () => true,
      () => false,
    )
  for (const { path, headers } of store.site.asked) {
    expect(headers.get('signature-agent')).toBe('"https://registry.example"')
    expect(await isVerified(store.site.url + path, headers)).toBe(true)
    expect(await isVerified(`https://other.example${path}`, headers)).toBe(false)
    const forged = new Headers(headers)
    forged.set('signature-agent', '"https://rival.example"')
    expect(await isVerified(store.site.url + path, forged)).toBe(false)
  }
})

import { expect, test } from 'bun:test'
import { served } from './fixture.ts'
import { healthResources } from './health.ts'

const asked = (path: string, ready: () => Promise<boolean>) => served(...healthResources({ ready }))(path)

test('a service that can answer says so, and nobody caches it', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const response = await asked(path, async () => true)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({ status: 'ok' })
  }
})

test('a service that cannot answer is alive but not ready', async () => {
  const checks = [async () => false, () => Promise.reject(new Error('disk I/O error at /var/secret'))]
  for (const ready of checks) {
    expect((await asked('/healthz', ready)).status).toBe(200)
    const response = await asked('/readyz', ready)
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('retry-after')).toBe('5')
    const text = await response.text()
    expect(JSON.parse(text).code).toBe('unavailable')
    expect(text).not.toContain('disk')
  }
})

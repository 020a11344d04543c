import { expect, test } from 'bun:test'
import { ReplicaBehind } from '../../integrity/published.ts'
import { served } from './fixture.ts'
import { healthResources } from './health.ts'

const asked = (path: string, ready: () => Promise<unknown>, isLeaving = false) =>
  served(...healthResources({ ready, isLeaving: () => isLeaving }))(path)

test('a service that can answer says so, and nobody caches it', async () => {
  for (const path of ['/healthz', '/livez', '/readyz', '/startupz']) {
    const response = await asked(path, async () => true)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({ status: 'ok' })
  }
})

test('a service that cannot answer is alive but not ready', async () => {
  const ready = () => Promise.reject(new Error('disk I/O error at /var/secret'))
  for (const path of ['/readyz', '/startupz']) {
    for (const alive of ['/healthz', '/livez']) expect((await asked(alive, ready)).status).toBe(200)
    const response = await asked(path, ready)
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('retry-after')).toBe('5')
    const text = await response.text()
    expect(JSON.parse(text).code).toBe('unavailable')
    expect(text).not.toContain('disk')
  }
})

test('a service that is behind says why it is not ready', async () => {
  const ready = () => Promise.reject(new ReplicaBehind(undefined))
  expect(await (await asked('/readyz', ready)).json()).toMatchObject({
    status: 503,
    detail: expect.stringContaining('does not have the files of the newest releases'),
  })
})

test('a service that is about to stop is alive, has started, and is not ready', async () => {
  const statuses = ['/livez', '/startupz', '/readyz'].map(
    async (path) => (await asked(path, async () => true, true)).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 200, 503])
})

test('a service that could answer once has started, whatever happens then', async () => {
  let isAway = true
  const ready = async () => {
    if (isAway) throw new Error('away')
  }
  const get = served(...healthResources({ ready, isLeaving: () => false }))
  expect((await get('/startupz')).status).toBe(503)
  isAway = false
  expect((await get('/startupz')).status).toBe(200)
  isAway = true
  expect([(await get('/startupz')).status, (await get('/readyz')).status]).toEqual([200, 503])
})

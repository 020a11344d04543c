// How a service ends: a proxy sees it first, callers are answered to the last, and a closed terminal does not end it.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { serve } from '../support/replicas.ts'
import { atr } from '../support/service.ts'
import { aroundPrism } from '../support/through-prism.ts'
import { until } from '../support/until.ts'

const around = () => aroundPrism('connections are closed, which a proxy hides')

async function installed(folder: string): Promise<Record<string, string>> {
  const environment = { DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'error', ...around() }
  const { code, err } = await atr(['init', '--origin', 'leaving.example'], environment)
  expect([code, err]).toEqual([0, ''])
  return environment
}

test('after SIGTERM a service says that it is not ready, answers with the end of each connection, and then ends', async () => {
  using folder = temporaryFolder()
  const { child, url } = await serve({ ...(await installed(folder.path)), DRAIN_SECONDS: '60' })
  const statusOf = async (path: string): Promise<number> => (await fetch(`${url}${path}`)).status
  expect(await Promise.all(['/readyz', '/livez', '/startupz'].map(statusOf))).toEqual([200, 200, 200])
  child.kill('SIGTERM')
  await until(async () => (await statusOf('/readyz')) === 503, 'the service is not ready')
  const refused = await fetch(`${url}/readyz`)
  expect(await refused.json()).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('about to stop') })
  for (const path of ['/livez', '/startupz', '/api/readme', '/api/readme', '/api/readme']) {
    const answer = await fetch(`${url}${path}`)
    expect([path, answer.status, answer.headers.get('connection')]).toEqual([path, 200, 'close'])
  }
  expect(child.exitCode).toBeNull()
  // Whoever does not want to wait sends it again.
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})

test('a closed terminal does not end a service, and Ctrl-C ends it at once', async () => {
  using folder = temporaryFolder()
  const { child, url } = await serve({ ...(await installed(folder.path)), DRAIN_SECONDS: '300' })
  child.kill('SIGHUP')
  await Bun.sleep(200)
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  child.kill('SIGINT')
  expect(await child.exited).toBe(0)
})

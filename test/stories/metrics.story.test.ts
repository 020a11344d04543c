import { expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { loadSample } from '../../src/cli/sample.ts'
import { readConfig } from '../../src/config.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { standardError, start } from '../../src/main.ts'
import { storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/harness.ts'

test('metrics and log lines say what was asked and what was ready-made, and nothing that a caller sent', async () => {
  using folder = temporaryFolder()
  const store = await storeEnvironment(join(folder.path, 'data'))
  const config = readConfig({ ...store, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'info' })
  await createInstallation(config, { origin: 'registry.example', now: Date.now() }, (made) =>
    loadSample(made, Date.now),
  )
  using written = spyOn(standardError, 'add').mockImplementation(() => undefined)
  const service = start(config, await openInstallation(config))
  try {
    for (const path of ['/api/openapi.json', '/api/openapi.json', '/api/readme', '/<script>', '/reference?cpt=%00'])
      await (await fetch(`${service.localUrl}${path}`)).bytes()
    const response = await fetch(service.metricsUrl ?? '')
    const text = await response.text()
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    for (const line of [
      'atr_requests_total{route="/api/openapi.json",status="200"} 2',
      'atr_requests_total{route="unknown",status="404"} 1',
      'atr_requests_total{route="/reference",status="400"} 1',
      'atr_ready_answer_hits_total 1',
      'atr_ready_answer_misses_total 2',
    ])
      expect(text.split('\n')).toContain(line)
    expect(text).toMatch(/^atr_ready_answer_bytes [1-9]\d{4,}$/m)
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]\d+$/m)
    expect(text).not.toContain('script')
    expect((await fetch(`${service.localUrl}/metrics`)).status).toBe(404)
    expect((await fetch(String(service.metricsUrl).replace('/metrics', '/api/openapi.json'))).status).toBe(404)
  } finally {
    await service.stop()
  }
  const lines = written.mock.calls
    .flatMap(([text]) => String(text).trimEnd().split('\n'))
    .map((line) => JSON.parse(line))
  expect(lines.map(({ route, status }) => [route, status])).toEqual([
    ['/api/openapi.json', 200],
    ['/api/openapi.json', 200],
    ['/api/readme', 200],
    ['unknown', 404],
    ['/reference', 400],
    ['unknown', 404],
  ])
  for (const { code, ...line } of lines) {
    expect(code === undefined).toBe(line.status === 200)
    expect(line).toEqual({
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
      level: 'info',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      method: 'GET',
      route: expect.any(String),
      status: expect.any(Number),
      ms: expect.any(Number),
      caller: 'anonymous',
    })
  }
})

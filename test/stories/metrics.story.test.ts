import { expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { loadSample } from '../../src/cli/sample.ts'
import { readConfig } from '../../src/config.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { type RunningService, standardError, start } from '../../src/main.ts'
import { storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/harness.ts'

interface Line {
  route?: string
  status?: number
  code?: string
  [member: string]: unknown
}

/** A service of the sample, whose lines for the log are kept. */
async function logged(work: (service: RunningService) => Promise<void>): Promise<Line[]> {
  using folder = temporaryFolder()
  const store = await storeEnvironment(join(folder.path, 'data'))
  const config = readConfig({ ...store, PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'info' })
  await createInstallation(config, { origin: 'registry.example', now: Date.now() }, (made) =>
    loadSample(made, Date.now),
  )
  using written = spyOn(standardError, 'add').mockImplementation(() => undefined)
  const service = start(config, await openInstallation(config))
  try {
    await work(service)
  } finally {
    await service.stop()
  }
  return written.mock.calls.flatMap(([text]) => String(text).trimEnd().split('\n')).map((line) => JSON.parse(line))
}

test('a fault that reaches the listener is an empty 500, and one line of the log that names its class and no secret', async () => {
  const secret = 'atk_secret'
  const lines = await logged(async (service) => {
    service.app.fetch = () => {
      throw new RangeError(secret)
    }
    const response = await fetch(service.localUrl, { headers: { 'x-agent-key': secret } })
    expect([response.status, await response.text()]).toEqual([500, ''])
  })
  expect(lines).toEqual([
    { at: expect.any(String), level: 'error', part: 'listener', fault: 'RangeError', stack: expect.any(Array) },
  ])
  expect(JSON.stringify(lines)).not.toContain(secret)
})

test('metrics and log lines say what was asked and what was ready-made, and nothing that a caller sent', async () => {
  const lines = await logged(async (service) => {
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
    // A histogram for each route, and what alerts look at.
    for (const pattern of [
      /^atr_request_duration_seconds_bucket\{route="\/api\/openapi.json",le="0.005"\} [012]$/m,
      /^atr_request_duration_seconds_bucket\{route="\/api\/openapi.json",le="\+Inf"\} 2$/m,
      /^atr_request_duration_seconds_count\{route="\/api\/openapi.json"\} 2$/m,
      /^atr_build_info\{version="[0-9.]+",bun="[0-9.]+"\} 1$/m,
      /^atr_ready 1$/m,
      /^atr_head_lag_seconds 0$/m,
      /^atr_head_age_seconds [0-9.]+$/m,
      /^atr_queue_size 0$/m,
      /^atr_database_up 1$/m,
      /^atr_clock_skew_seconds -?[0-9.e-]+$/m,
      /^atr_chart_status\{chart="cms-pfs",status="[a-z]+"\} 1$/m,
      /^atr_chart_ends_timestamp_seconds\{chart="cms-pfs"\} [0-9]+$/m,
      /^atr_verification_failed_parts 0$/m,
      /^atr_disk_free_bytes [1-9][0-9]+$/m,
    ])
      expect(text).toMatch(pattern)
    // Every family is described, each sample belongs to one, and nothing else is said.
    for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^(# (HELP|TYPE) )?(atr|process)_[a-z_]+/)
    expect(text).toMatch(/^atr_ready_answer_bytes [1-9]\d{4,}$/m)
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]\d+$/m)
    expect(text).not.toContain('script')
    expect((await fetch(`${service.localUrl}/metrics`)).status).toBe(404)
    expect((await fetch(String(service.metricsUrl).replace('/metrics', '/api/openapi.json'))).status).toBe(404)
  })
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

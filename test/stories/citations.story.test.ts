import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { IntegrityReport } from '../../src/integrity/report/report-shape.ts'
import { temporaryFolder } from '../support/folder.ts'
import { DemoService } from '../support/service.ts'

const SAMPLE = join(import.meta.dir, '../../sample/CLFS-SAMPLE26Q4.csv')
const original = await Bun.file(SAMPLE).bytes()

/** The publisher, who can lose a file or replace it. */
let published: () => Response = () => new Response(original)
const publisher = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => published() })
const url = `http://127.0.0.1:${publisher.port}/clfs.csv`
afterAll(() => publisher.stop(true))

async function report(service: DemoService): Promise<IntegrityReport> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { 'x-agent-key': service.demoKey, 'content-type': 'application/json' }
    return (await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json() as never
  }
  const { nonce } = await post('/api/agent-rails/challenge', {})
  const { rails_token = '' } = await post('/api/agent-rails/attest', { nonce })
  const answer = await fetch(`${service.url}/api/data-integrity`, { headers: { 'x-agent-rails': rails_token } })
  expect(answer.status).toBe(200)
  return answer.json() as never
}

/** The laboratory schedule once more, from an address on the web. */
const LOAD = [
  'load',
  'cms-clfs',
  SAMPLE,
  '--edition',
  'CITED26Q4',
  '--effective-from',
  '2026-10-02',
  '--effective-to',
  '2099-12-31',
]
const PUBLISH = ['--sample', '--publish', '--url', url, '--override', 'r11_overlap', '--reason', 'sample_data']

test('the report tells what was found at the addresses of cited sources, and turns when one is lost', async () => {
  await using service = await demo({})
  const nowhere = await service.atr(['citations', 'check', '--all'])
  expect(nowhere.out).toMatch(/^there is no source to look at\n\d+ sources have no address on the web/)
  const loaded = await service.atr([...LOAD, ...PUBLISH])
  expect(loaded).toMatchObject({ code: 0, err: '' })
  const before = await report(service)
  expect(before.summary.citations).toMatchObject({ ok: 0, changed: 0 })
  expect(before.citations).toMatchObject({ oldest_check_at: null, total_failing: 0, archived_share: null })

  // Without the option this machine is nobody who may be asked.
  expect(await service.atr(['citations', 'check', '--json'])).toMatchObject({ code: 1 })
  const good = await service.atr(['citations', 'check', '--all', '--loopback', '--json'])
  expect(good.code).toBe(0)
  expect(JSON.parse(good.out).checked).toMatchObject([{ chart: 'cms-clfs', state: 'ok', http_status: 200 }])
  const sound = await report(service)
  expect(sound.summary.citations).toMatchObject({ ok: 1, changed: 0 })
  expect(sound.citations.checked_last_24h).toBe(1)
  expect(sound.jobs.last_link_check?.status).toBe('ok')
  expect(sound.status_reasons.filter((reason) => reason.startsWith('citation'))).toEqual([])

  const nothingDue = await service.atr(['citations', 'check', '--loopback'])
  expect(nothingDue).toMatchObject({ code: 0, out: expect.stringContaining('nothing is due') })

  published = () => new Response('another file\n')
  expect((await service.atr(['citations', 'check', '--all', '--loopback'])).code).toBe(1)
  const turned = await report(service)
  expect(turned.status).toBe('fail')
  expect(turned.status_reasons).toContain('citation_changed:cms-clfs')
  expect(turned.citations.failing).toMatchObject([
    {
      chart_id: 'cms-clfs',
      status: 'changed',
      http_status: 200,
      archived_copy: false,
      consecutive_failures: 1,
      source_url: url,
    },
  ])
  published = () => new Response(original)
})

test('with an archive a source that is lost is a warning, and the copy is the cited bytes', async () => {
  await using service = await demo({ archive: true })
  expect((await service.atr([...LOAD, ...PUBLISH])).code).toBe(0)
  const folder = service.environment['ARCHIVE'] as string
  const copies = readdirSync(folder, { recursive: true }).filter((name) => /[0-9a-f]{64}$/.test(String(name)))
  expect(copies).toHaveLength(1)
  expect(await Bun.file(join(folder, String(copies[0]))).bytes()).toEqual(original)

  published = () => new Response('another file\n')
  expect((await service.atr(['citations', 'check', '--all', '--loopback'])).code).toBe(1)
  const told = await report(service)
  expect(told.status_reasons).toContain('citation_changed:cms-clfs')
  expect(told.status).toBe('warn')
  expect(told.citations.failing[0]).toMatchObject({ archived_copy: true })
  expect(told.citations.archived_share).toBeGreaterThan(0)
  published = () => new Response(original)
})

async function demo({ archive = false }): Promise<DemoService & AsyncDisposable> {
  const folder = temporaryFolder()
  const environment = archive ? { ARCHIVE: join(folder.path, 'archive') } : {}
  const service = await DemoService.startNew(environment as Record<string, string>, folder)
  return Object.assign(service, {
    async [Symbol.asyncDispose]() {
      await service.stop()
      folder[Symbol.dispose]()
    },
  })
}

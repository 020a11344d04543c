// Walks an invented schedule through everything that must know it, and prints what it met. `new-schedule.story.test.ts` runs it in a
// copy of the product to which the schedule was added.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load as loadCommand } from '../../src/cli/load.ts'
import { load } from '../../src/ingest/load.ts'
import { readSource } from '../../src/ingest/source.ts'
import { sourceCheck } from '../../src/ingest/source-check.ts'
import type { Problem } from '../../src/problem.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { openApiOf } from '../support/contract.ts'
import { BASE_URL, testApp } from '../support/harness.ts'

const [CHART, BASIS] = ['cms-invented', 'medicare_invented']
await using app = await testApp({ today: '2026-02-01' })
const { db, registryLog: log, cosign } = app.installation

async function loadAndPublish(lines: number, name: string): Promise<string> {
  const path = join(app.folder.path, name)
  const prices = Array.from({ length: lines }, (_, i) => `G${String(100 + i).padStart(4, '0')},x,${i + 1}.00`)
  writeFileSync(path, ['An invented schedule', '', 'Code,Name,Limit', ...prices].join('\n'))
  const { release } = await load(db, CHART, [path], { url: 'https://example.org/invented.csv' }, app.clock.now)
  try {
    await publish({ db, log, cosign }, release.release_id, app.clock.now)
    return release.release_id
  } catch (error) {
    return (error as Problem).detail
  }
}

const statusOn = async (day: string): Promise<unknown> => {
  app.clock.now = Date.parse(`${day}T12:00:00Z`)
  const headers = await app.railsHeaders(['integrity:read'])
  const report = (await app.getJson('/api/data-integrity', headers)) as { charts: { kind: string; status: string }[] }
  return report.charts.map(({ kind, status }) => `${kind} ${status}`).join()
}

const openApi = JSON.stringify([await openApiOf(app.app), await openApiOf(app.app, 'get_openapi_core')])
const [, kinds = ''] = loadCommand.options?.find(([shown]) => shown === 'KIND') ?? []
const short = await loadAndPublish(3, 'short_2026_January.csv')
const release = await loadAndPublish(20, 'invented_2026_January.csv')
const question = { cpt: 'G0102', basis: BASIS, as_of: '2026-02-01' }
const address = `/reference?${new URLSearchParams(question)}`
const body = await (await app.request(address)).text()
const verdict = await verifyBody(body, app.policy, { question })
const [proved] = verdict.ok ? verdict.rows : []
if (proved?.row.kind !== 'price') throw new Error(`the answer has no proved price: ${body}`)
const check = sourceCheck([await readSource(join(app.folder.path, 'invented_2026_January.csv'))])
const coverage = (await app.getJson(`/api/coverage?chart=${CHART}`)) as {
  data: { about: { title: string; codes: number } }[]
}
const asked = new Request(`${BASE_URL}/price/G0102?basis=${BASIS}`, { headers: { accept: 'text/html' } })
const page = await app.app.fetch(asked, '192.0.2.1')

console.log(
  JSON.stringify({
    openApi: [CHART, BASIS, 'cms_invented'].filter((word) => openApi.includes(word)),
    commandLine: kinds.split(/[ ,:]+/).includes(CHART),
    short,
    release,
    price: proved.row.price,
    source: check(proved.row, proved.release.citations),
    coverage: coverage.data.map(({ about: { title, codes } }) => `${title}, ${codes} codes`),
    status: [await statusOn('2026-02-01'), await statusOn('2026-04-01')],
    page: (await page.text()).includes('invented amount'),
  }),
)

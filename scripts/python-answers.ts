// Writes python/tests/answers.json: answers of two services with sample data, each with its policy and its question. The keys are
// new each time, so it is written when the form of an answer has changed, and no test compares it.

import { withdraw } from '../src/registry/release/withdrawal.ts'
import { aPrice, aRelease } from '../test/support/builders.ts'
import { type TestApp, testApp } from '../test/support/harness.ts'

const DAY = '2026-11-19'
const NPI = '1234567893'

interface StoredAnswer {
  policy: 'demo' | 'gaps'
  asked: object | null
  body: string
}

const LOOKUPS: readonly (readonly [name: string, question: Record<string, string>])[] = [
  ['a price', { cpt: '99213' }],
  ['a price at a ZIP code', { cpt: '99213', region: '94102' }],
  ['a price with an adjusting modifier', { cpt: '27447', modifier: '80-59' }],
  ['a modifier that is not allowed', { cpt: '27447', modifier: '50-59' }],
  ['a price of a hospital', { cpt: '99213', npi: NPI }],
  ['not on a schedule', { cpt: '99999' }],
  ['an absence', { cpt: 'A0428' }],
  ['an ambiguous region', { cpt: '99213', region: 'CA' }],
  ['a modifier without a price', { cpt: '99213', modifier: '26' }],
]
const BILL = [
  { cpt: '99213', as_of: DAY },
  { cpt: '99999', as_of: DAY },
  { cpt: 'bad', as_of: DAY },
  { cpt: '85025', units: 2, billed: '50.00', as_of: DAY },
]

/** A service whose physician schedule has run out, and of which one release was withdrawn. */
async function withGaps(): Promise<TestApp> {
  const app = await testApp({ today: DAY })
  const { db, registryLog: log, cosign } = app.installation
  const physician = { chart: 'cms-pfs', rows: [aPrice({ code: '99213', setting: 'non_facility' })] }
  await app.publish(aRelease({ ...physician, edition: 'A', effective_to: '2026-03-31' }))
  await app.publish(aRelease({ ...physician, edition: 'B', effective_from: '2026-07-01', effective_to: '2026-10-31' }))
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ code: '85025', basis: 'medicare_clfs' })] }))
  await app.publish(
    aRelease({
      chart: 'cms-clfs',
      edition: 'TEST2',
      effective_from: '2026-10-01',
      rows: [aPrice({ code: '85025', basis: 'medicare_clfs', price: { amount: '9.00', currency: 'USD' } })],
    }),
  )
  await app.publish(aRelease({ chart: 'cms-asp', rows: [aPrice({ code: 'J0003', basis: 'medicare_asp' })] }))
  await withdraw({ db, log, cosign }, 'cms-asp:TEST1:1', 'wrong_source', app.clock.now)
  return app
}

await using demo = await testApp({ today: DAY, sample: true })
await using gaps = await withGaps()
const headers = await demo.railsHeaders(['registry:read'])
const get = async (app: TestApp, path: string, init: RequestInit = {}): Promise<string> =>
  (await app.request(path, init)).text()
const query = (parts: Record<string, string>): string => String(new URLSearchParams(parts))

const answers: Record<string, StoredAnswer> = {}
const ofDemo = async (name: string, asked: object, path: string, init?: RequestInit): Promise<void> => {
  answers[name] = { policy: 'demo', asked, body: await get(demo, path, init) }
}
for (const [name, parts] of LOOKUPS) {
  const question = { ...parts, as_of: DAY }
  await ofDemo(name, { question }, `/reference?${query(question)}`)
}
const early = { cpt: '99213', as_of: '2020-01-01' }
await ofDemo('no edition', { question: early }, `/reference?${query(early)}`)
const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ lines: BILL }) }
await ofDemo('a bill', { questions: BILL }, '/reference/batch', sent)
const sheet = { cpt: '99213', as_of: DAY, region: '94102' }
await ofDemo('a sheet', { sheet }, `/reference/sheet?${query(sheet)}`)
await ofDemo('a history', { history: { cpt: '99213' } }, '/reference/history?cpt=99213')
const coverage = { as_of: DAY, chart: 'cms-pfs' }
await ofDemo('coverage', { coverage }, `/api/coverage?${query(coverage)}`)
const page = { cpt: '99213', region: 'national', as_of: DAY }
await ofDemo('a page', { page }, `/api/registry?${query(page)}`, { headers })
const over = { cpt: '99213', as_of: DAY }
answers['last known'] = {
  policy: 'gaps',
  asked: { question: over },
  body: await get(gaps, `/reference?${query(over)}`),
}
answers['releases'] = { policy: 'gaps', asked: { releases: {} }, body: await get(gaps, '/api/releases') }
answers['a row that was withdrawn'] = { policy: 'gaps', asked: null, body: await get(gaps, '/rows/cms-asp:TEST1:1/0') }

const policies = { demo: await get(demo, '/log/policy'), gaps: await get(gaps, '/log/policy') }
await Bun.write('python/tests/answers.json', `${JSON.stringify({ policies, answers }, null, 1)}\n`)

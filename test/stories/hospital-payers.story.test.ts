import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../../src/ingest/load.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { ask, mustBeProved, pathOf, questionOf } from '../support/lookup.ts'
import { connect, type ToolResult } from '../support/mcp.ts'

const NPI = '1234567893'
/** The names of payers and plans in it are never served. */
const FILE = [
  'hospital_name,last_updated_on,version,type_2_npi',
  `x,2026-09-01,3.0.0,${NPI}`,
  'description,code|1,code|1|type,setting,modifiers,payer_name,plan_name,standard_charge|gross,standard_charge|discounted_cash,standard_charge|negotiated_dollar,standard_charge|negotiated_percentage,standard_charge|negotiated_algorithm,standard_charge|methodology',
  'x,70551,CPT,outpatient,TC,,,3000,1719.00,,,,',
  'x,70551,CPT,outpatient,TC,Aetna,Zebra HMO,3000,1719.00,900,,,fee schedule',
  'x,70551,CPT,outpatient,TC,Aetna,Zebra Medicare Advantage,3000,1719.00,600,,,fee schedule',
  'x,70551,CPT,outpatient,TC,Cigna,Zebra PPO,3000,1719.00,,62.5,,percent of total billed charges',
  'x,70551,CPT,outpatient,TC,Humana,Zebra PPO,3000,1719.00,,,see the contract,other',
  'x,470,MS-DRG,inpatient,,Aetna,Zebra HMO,64000,32000,30000,,,case rate',
  '',
].join('\n')

async function loaded(): Promise<TestApp> {
  const app = await testApp()
  const { db, registryLog, cosign } = app.installation
  const file = join(app.folder.path, `${NPI}_hospital_standardcharges.csv`)
  writeFileSync(file, FILE)
  const { release } = await load(db, 'hospital-mrf', [file], { url: 'https://hospital.example/file' }, app.clock.now)
  await publish({ db, log: registryLog, cosign }, release.release_id, app.clock.now, [])
  return app
}

test('a payer\u2019s own rate at a hospital is asked for by its name, and each answer proves itself', async () => {
  await using app = await loaded()
  const asked = { cpt: '70551', npi: NPI }
  // The hospital lists the code with TC alone, as any facility's line of imaging is.
  expect(await ask(app, { ...asked, basis: 'hospital_cash' })).toMatchObject({
    price: { amount: '1719.00' },
    modifier: 'TC',
    listed_with: 'TC',
  })
  expect(await ask(app, { ...asked, payer: 'aetna/commercial' })).toMatchObject({
    kind: 'price',
    basis: 'hospital_payer',
    payer: 'aetna/commercial',
    price: { amount: '900.00' },
    listed_with: 'TC',
  })
  expect(await ask(app, { ...asked, payer: 'cigna' })).toMatchObject({
    kind: 'rate',
    price: { amount: '62.50', per: '100 USD' },
    indicators: { methodology: 'percent_of_charges' },
  })
  expect(await ask(app, { cpt: 'DRG-470', npi: NPI, payer: 'aetna' })).toMatchObject({ price: { amount: '30000.00' } })
  for (const [payer, code] of [
    ['aetna', 'payer_ambiguous'],
    ['uhc', 'payer_not_listed'],
    ['humana', 'modifier_not_priced'],
  ] as const) {
    const refused = await ask(app, { ...asked, payer })
    expect([payer, refused.code]).toEqual([payer, code])
    expect(refused.about.available).toMatchObject({
      modifiers: ['TC'],
      payers: ['aetna/commercial', 'aetna/medicare_advantage', 'cigna/commercial', 'humana/commercial'],
    })
  }
  expect(await ask(app, { ...asked, payer: 'humana', modifier: 'TC' })).toMatchObject({ code: 'absent_algorithm_only' })
  expect(await app.problemCode(`/reference?cpt=70551&payer=aetna`)).toBe('invalid_parameter')
})

test('sheets have the rates of the payer that is asked for, and batches take one in each line', async () => {
  await using app = await loaded()
  const question = { cpt: '70551', npi: NPI, payer: 'aetna' }
  const text = await (await app.request(pathOf(question, '/reference/sheet'))).text()
  await mustBeProved(app, text, { sheet: questionOf(app, question) })
  const rows = (JSON.parse(text) as { data: { basis: string; payer: string | null }[] }).data
  expect(rows.flatMap(({ payer }) => payer ?? [])).toEqual(['aetna/commercial', 'aetna/medicare_advantage'])
  expect(rows.filter(({ payer }) => payer === null).length).toBe(4)

  const lines = [
    { cpt: '70551', npi: NPI, payer: 'aetna/commercial', units: 1 },
    { cpt: '70551', npi: NPI, payer: 'cigna/commercial', units: 1 },
  ]
  const body = await (
    await app.request('/reference/batch', {
      method: 'POST',
      body: JSON.stringify({ lines }),
      headers: { 'content-type': 'application/json' },
    })
  ).text()
  await mustBeProved(app, body, { questions: lines.map((line) => questionOf(app, line as never)) })
  const { results } = JSON.parse(body) as { results: { extended: unknown }[] }
  // A share of charges is no amount of a line.
  expect(results.map(({ extended }) => extended)).toEqual([{ amount: '900.00' }, null])
  expect(text + body).not.toMatch(/zebra/i)
})

test('an agent asks for a payer as people say it, and is told whose rate it is', async () => {
  await using app = await loaded()
  const client = await connect(app, 'modern')
  const sentenceOf = async (args: object): Promise<string> => {
    const result = (await client.callTool({ name: 'lookup_price', arguments: { ...args } })) as ToolResult
    return JSON.stringify(result.content)
  }
  const asked = { cpt: '70551', npi: NPI, modifier: 'TC' }
  expect(await sentenceOf({ ...asked, payer: 'Aetna commercial' })).toMatch(
    /\$900\.00 is Aetna\u2019s own rate at this hospital/,
  )
  expect(await sentenceOf({ ...asked, payer: 'Cigna' })).toMatch(/of each 100 dollars that the hospital charges/)
})

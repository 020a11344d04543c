// CMS's archive of the equipment schedule, given to both loads that it belongs to. Amounts and names are invented.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { recheck } from '../../src/cli/fsck.ts'
import { zip } from '../../src/files/zip-fixture.ts'
import { load } from '../../src/ingest/load.ts'
import type { Citation } from '../../src/proof/price/release.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { ask, holdTheRest } from '../support/lookup.ts'
import { connect } from '../support/mcp.ts'

const STATES =
  'AL AR AZ CA CO CT DC DE FL GA IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY AK HI PR VI'.split(
    ' ',
  )
const csv = (...lines: string[][]): string =>
  `${lines.map((cells) => cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join()).join('\r\n')}\r\n`
const item = (code: string, mod: string, amounts: readonly [string, string]): string[] => [
  ...[code, mod, '', 'D', 'CR', '0', '0'],
  ...STATES.flatMap(() => amounts),
  'X',
]
const HEAD = ['HCPCS', 'Mod', 'Mod2']
const ARCHIVE = zip([
  {
    name: 'DMEPOS26_JUL.csv',
    data: csv(
      ['July 2026 DMEPOS Fee Schedule'],
      [
        ...HEAD,
        'JURIS',
        'CATG',
        'Ceiling',
        'Floor',
        ...STATES.flatMap((s) => [`${s} (NR)`, `${s} (R)`]),
        'Description',
      ],
      item('E0601', 'RR', ['51.00', '87.00']),
      item('E0748', 'NU', ['4,000.00', '0']),
      item('E2620', 'KE', ['0', '640.50']),
    ),
  },
  {
    name: 'Former CBA Fee Schedule File - JUL2026.csv',
    data: csv(
      ['Former CBA Fee Schedule'],
      [''],
      [...HEAD, 'Mod3', 'CATG', 'Lakeside', 'Two Rivers, IL-IN', 'Description'],
      ['E0601', 'RR', '', '', 'CR', '42.10', '43.20', 'X'],
    ),
  },
  {
    name: 'Former CBA National Mail-Order DTS Fee Schedule - JUL2026.csv',
    data: csv(
      ['Mail'],
      [...HEAD, 'CATG', 'National Mail-Order', 'Description'],
      ['A4253', 'KL', '', 'IN', '8.32', 'X'],
    ),
  },
  {
    name: 'Former CBA ZIP Code File  - JUL2026.csv',
    data: csv(
      ['Former CBA ZIP codes'],
      ['CBA State', 'CBA ZIP Code', 'CBA Name Short', 'CBA Name', 'Year/Qtr'],
      ['IL', '60611', 'Lakeside', 'Lakeside, IL', '202603'],
      ['IL', '60633', 'Two Rivers, IL-IN', 'Two Rivers', '202603'],
    ),
  },
  {
    name: 'DME Rural Zip Code Quarter 3 2026.csv',
    data: csv(['STATE', 'DMEPOS RURAL ZIP CODE', 'YEAR/QTR'], ['IL', '62001', '20263']),
  },
  { name: 'DMEREAD.pdf', data: '%PDF-1.7' },
])
const ZIP5 = ['60611', '60633', '61701', '62001'].map((code) => `IL${code}0610216      0 A${' '.repeat(52)}20263\r\n`)

/** Loads and publishes what is in the archive and the ZIP5 file. Gives what is cited, and as from where. */
async function publishFrom(app: TestApp, chart: string, names: readonly string[]): Promise<string[]> {
  const { db, registryLog, cosign } = app.installation
  const files = { 'dme26-c.zip': ARCHIVE, 'ZIP5_JUL2026.txt': new TextEncoder().encode(ZIP5.join('')) }
  for (const [name, bytes] of Object.entries(files)) await Bun.write(join(app.folder.path, name), bytes)
  const paths = names.map((name) => join(app.folder.path, name))
  const said = { data_class: 'sample', url: names.map((name) => `https://publisher.example/${name}`) } as const
  const { release } = await load(db, chart, paths, said, app.clock.now)
  await publish({ db, log: registryLog, cosign }, release.release_id, app.clock.now, overrideAll('sample_data'))
  return (JSON.parse(release.citations) as Citation[]).map(({ file, url }) => `${file} ${url}`)
}

test('equipment in a former bidding area has its amount there, and the amount of the state where it has none', async () => {
  await using app = await testApp({ today: '2026-09-15' })
  await publishFrom(app, 'cms-dmepos', ['dme26-c.zip'])
  // Each list is cited as from where it is: two of the three come with the equipment schedule.
  expect(await publishFrom(app, 'zip-locality', ['ZIP5_JUL2026.txt', 'dme26-c.zip'])).toEqual([
    'ZIP5_JUL2026.txt https://publisher.example/ZIP5_JUL2026.txt',
    expect.stringMatching(/ https:..publisher.example.dme26-c.zip$/),
    expect.stringMatching(/ https:..publisher.example.dme26-c.zip$/),
  ])
  await holdTheRest(app, 'cms-dmepos')
  // What is counted of places is what their rows say, whatever they say of themselves.
  expect((await recheck(app.installation, app.clock.now)).faults).toEqual([])
  const rent = (region: string, setting?: string) => ask(app, { cpt: 'E0601', modifier: 'RR', region, setting })
  const told = async (answer: ReturnType<typeof ask>) => {
    const { price, region, setting } = await answer
    return [(price as { amount: string }).amount, String(region).slice(0, 4), setting]
  }
  expect(await told(rent('60611'))).toEqual(['42.10', 'CBA-', 'non_rural'])
  expect(await told(rent('60633'))).toEqual(['43.20', 'CBA-', 'non_rural'])
  expect(await told(rent('61701'))).toEqual(['51.00', 'US-I', 'non_rural'])
  expect(await told(rent('62001'))).toEqual(['87.00', 'US-I', 'rural'])
  expect(await told(rent('IL'))).toEqual(['51.00', 'US-I', 'non_rural'])
  expect(await told(rent('60611', 'rural'))).toEqual(['87.00', 'US-I', 'rural'])
  expect(await told(ask(app, { cpt: 'E0748', modifier: 'NU', region: '60611' }))).toEqual([
    '4000.00',
    'US-I',
    'non_rural',
  ])
  // An amount for rural areas alone is not given elsewhere, and whoever asks for a state is told.
  const alone = (region: string) => ask(app, { cpt: 'E2620', modifier: 'KE', region })
  expect(await told(alone('62001'))).toEqual(['640.50', 'US-I', 'rural'])
  expect(await told(alone('IL'))).toEqual(['640.50', 'US-I', 'rural'])
  for (const zip of ['61701', '60611']) {
    const { code, agent_hint } = await alone(zip)
    expect([code, agent_hint]).toEqual(['modifier_not_priced', expect.stringContaining('rural areas alone')])
  }
  // Its own name is taken too, and what it leads to is all there is of the code there.
  const { region: area, place } = await rent('60611')
  expect(place).toMatchObject({ bidding_area: area, rural: false })
  expect(await told(rent(String(area).toLowerCase()))).toEqual(['42.10', 'CBA-', 'non_rural'])
  const sheet = (await app.getJson('/reference/sheet?cpt=E0601&region=60611')) as {
    data: { region: string; setting: string }[]
  }
  expect(sheet.data.map((row) => [row.region, row.setting])).toEqual([
    [area, 'non_rural'],
    ['US-IL', 'non_rural'],
    ['US-IL', 'rural'],
  ])
  const page = (await app.getJson(`/api/registry?cpt=E0601&region=${area}`, await app.railsHeaders())) as {
    data: unknown[]
  }
  expect(page.data.length).toBe(1)
  const { available } = (await ask(app, { cpt: 'E0601', modifier: 'RR', region: 'GU' })).about
  expect(JSON.stringify(available)).toContain('US-IL')
  expect(JSON.stringify(available)).not.toContain('CBA-')

  const client = await connect(app, 'modern')
  const said = async (name: string, args: object): Promise<string> =>
    (await client.callTool({ name, arguments: { cpt: 'E0601', ...args } })).content[0]?.text ?? ''
  for (const include of [{}, { include: 'proof' }]) {
    const price = (region: string) => said('lookup_price', { modifier: 'RR', region, ...include })
    expect(await price('60611')).toMatch(
      /^Equipment supplier: \$42\.10 .*former bidding area CBA-[0-9A-F]{8}, non-rural\)(?!.*another amount)/,
    )
    // Who asks for the fee of other places gets it, and hears which one applies there.
    const asked = (region: string, setting: string) =>
      said('lookup_price', { modifier: 'RR', region, setting, ...include })
    expect(await asked('61701', 'rural')).toMatch(
      /^Equipment supplier: \$87\.00 .* does not list this ZIP code as rural: there the non_rural/,
    )
    expect(await asked('60611', 'rural')).toMatch(
      /^Equipment supplier: \$87\.00 .* lies in the former bidding area CBA-/,
    )
    expect(await asked('62001', 'non_rural')).toMatch(
      /^Equipment supplier: \$51\.00 .* CMS lists this ZIP code as rural: there the rural/,
    )
    for (const fitting of [asked('62001', 'rural'), asked('61701', 'non_rural')])
      expect(await fitting).not.toContain('this ZIP code')
    expect(await price('61701')).toMatch(/US-IL, non-rural\)(?!.*another amount)/)
    expect(await price('IL')).toMatch(/US-IL, non-rural\).*bidding areas it may be another amount: give the ZIP code/)
  }
  expect(await said('lookup_price', { cpt: 'E0748', modifier: 'NU', region: '60611' })).toContain(
    'No amount of its own was loaded for the former competitive bidding area there',
  )
  const onlyRural = { cpt: 'E2620', modifier: 'KE' }
  expect(await said('lookup_price', { ...onlyRural, region: 'IL' })).toContain('CMS states it for rural areas alone')
  expect(await said('lookup_price', { ...onlyRural, region: '62001' })).not.toContain('alone')
  expect(await said('code_sheet', { region: '60611' })).toContain(`lies in the former bidding area ${area}: its fee`)
  expect(await said('code_sheet', { region: '61701' })).toContain('does not list this ZIP code as rural')
  expect(await said('code_sheet', { region: area })).toContain('may lie in another state')
  const headers = { accept: 'text/markdown' }
  const shown = new Request(`${BASE_URL}/price/E0601?region=60611&modifier=RR`, { headers })
  const text = await (await app.app.fetch(shown, '192.0.2.1')).text()
  expect(text).toContain('outside rural areas, for the former bidding area CBA-')
  expect(text).not.toContain('in rural areas and outside them')
  expect(text).not.toContain('another amount')
  const ofOthers = new Request(`${BASE_URL}/price/E0601?region=61701&modifier=RR&setting=rural`, { headers })
  expect(await (await app.app.fetch(ofOthers, '192.0.2.1')).text()).toContain('does not list this ZIP code as rural')
  const ofState = new Request(`${BASE_URL}/price/E0601?region=IL&modifier=RR`, { headers })
  expect(await (await app.app.fetch(ofState, '192.0.2.1')).text()).toContain('may be another amount: give the ZIP code')
})

test('without the list of ZIP codes the amount of the state is told as such', async () => {
  await using app = await testApp({ today: '2026-09-15' })
  await publishFrom(app, 'cms-dmepos', ['dme26-c.zip'])
  await publishFrom(app, 'zip-locality', ['ZIP5_JUL2026.txt'])
  await holdTheRest(app, 'cms-dmepos')
  expect((await ask(app, { cpt: 'E0601', modifier: 'RR', region: '60611' })).price).toMatchObject({ amount: '51.00' })
  const client = await connect(app, 'modern')
  for (const include of [{}, { include: 'proof' }]) {
    const asked = { cpt: 'E0601', modifier: 'RR', region: '60611', ...include }
    const { content } = await client.callTool({ name: 'lookup_price', arguments: asked })
    expect(content[0]?.text).toContain('it may be another amount, and whether this ZIP code is in one is not known')
  }
})

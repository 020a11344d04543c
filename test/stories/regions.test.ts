import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { readGpci } from '../../src/ingest/schedules/gpci.ts'
import type { PlaceRow } from '../../src/proof/price/row.ts'
import { aPlace } from '../../src/proof/registry-fixture.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { ask, holdTheRest, told } from '../support/lookup.ts'
import { published, testOnPublished } from '../support/published-files.ts'

/** A schedule that was loaded for the country and one of California's localities. */
async function partOfCalifornia(app: TestApp): Promise<void> {
  const rows = ['national', 'US-CA-18', 'US-AL-00'].map((region) => aPrice({ code: '99213', region }))
  await app.publish(aRelease({ rows: [...rows, anAbsence({ code: '99214' })] }))
}

test('a state that is one locality is answered by it, and one with several asks for a choice', async () => {
  await using app = await testApp()
  await partOfCalifornia(app)
  expect(await ask(app, { cpt: '99213', region: 'US-AL' })).toMatchObject({ region: 'US-AL-00' })
  // Which localities were loaded does not decide: Los Angeles is not California.
  expect(await ask(app, { cpt: '99213', region: 'US-CA' })).toMatchObject({
    code: 'region_ambiguous',
    about: { choices: [{ region: 'US-CA-18' }] },
  })
  const rows = ['national', 'US-CA-05', 'US-CA-18'].map((region) => aPrice({ code: '99213', region }))
  await app.publish(aRelease({ edition: 'B', effective_from: '2026-07-01', rows }))
  const { code, about } = await ask(app, { cpt: '99213', region: 'US-CA' })
  const { choices, available } = about
  expect([code, choices.map(({ region }) => region)]).toEqual(['region_ambiguous', ['US-CA-05', 'US-CA-18']])
  expect(available.regions).toEqual(['US-CA-05', 'US-CA-18', 'national'])
  expect(JSON.stringify(choices)).not.toContain('amount')
})

test('the factor of anesthesia in a state with several localities, and in a divided ZIP code, has places to choose from', async () => {
  await using app = await testApp()
  const factor = { code: '00000', basis: 'medicare_anesthesia', setting: null, kind: 'rate' } as const
  const rows = ['US-CA-05', 'US-CA-18', 'US-AL-00'].map((region) => aPrice({ ...factor, region }))
  await app.publish(aRelease({ chart: 'cms-anesthesia', rows }))
  const places = [aPlace('94102', 'US-CA-05'), aPlace('94103', null)]
  await app.publish(aRelease({ chart: 'zip-locality', effective_from: '2026-07-01', rows: places }))
  for (const [region, expected] of [
    ['CA', ['US-CA-05', 'US-CA-18']],
    ['94103', ['US-CA-05']],
  ] as const) {
    const { code, about } = await ask(app, { cpt: '00790', basis: 'medicare_anesthesia', region })
    const { choices } = about
    expect([code, choices.map((each) => each.region)]).toEqual(['region_ambiguous', [...expected]])
    for (const { region, href } of choices) expect(await app.getJson(href)).toMatchObject({ kind: 'rate', region })
  }
  // Whoever leaves a modifier out before a place is chosen hears what that means, as at the place.
  const reported = { cpt: '00790', basis: 'medicare_anesthesia', modifier: 'AD' }
  const there = await ask(app, { ...reported, region: 'US-CA-05' })
  const open = await ask(app, { ...reported, region: 'CA' })
  expect([there.code, open.code]).toEqual(['modifier_not_priced', 'region_ambiguous'])
  expect(there.agent_hint).toMatch(/^Ask without the modifier, .* most often pays less/)
  expect(open.agent_hint).toBe(
    `Whichever place you choose, there is no price as asked. ${there.agent_hint} Take a region from \`about.choices\`.`,
  )
  // A factor of which Medicare pays half is a price as asked, once the place is chosen.
  expect(await ask(app, { ...reported, modifier: 'QK', region: 'US-CA-05' })).toMatchObject({
    adjustment: { modifier: 'QK', rule: 'medical-direction/1', factor: '0.500' },
  })
})

test('on a page, places to choose from have the names of their states', async () => {
  await using app = await testApp()
  await partOfCalifornia(app)
  const page = async (accept: string): Promise<string> =>
    (await app.request('/price/99213?region=CA', { headers: { accept } })).text()
  for (const accept of ['text/html', 'text/markdown'])
    expect((await page(accept)).replaceAll('\\', '')).toContain('US-CA-18, Medicare area 18 of California')
})

test('a region that a release was loaded without is said to be left out, not to have no price', async () => {
  await using app = await testApp()
  await partOfCalifornia(app)
  for (const region of ['US-CA-05', 'US-NY', 'US-AK'])
    expect([region, await ask(app, { cpt: '99213', region })]).toMatchObject([
      region,
      {
        status: 404,
        code: 'region_not_covered',
        about: { available: { regions: ['US-AL-00', 'US-CA-18', 'national'] } },
        detail: expect.stringContaining('cms-pfs:TEST1:1'),
      },
    ])
})

test('what a schedule says of a code for the whole country holds in a region that was left out', async () => {
  await using app = await testApp()
  await partOfCalifornia(app)
  expect(await told(app, { cpt: '99214', region: 'US-CA-05' })).toBe('absent_bundled')
  // A code that the schedule does not have at all is not on it in any region.
  expect(await told(app, { cpt: '99215', region: 'US-CA-05', basis: 'medicare_pfs' })).toBe('not_on_schedule')
})

test('a statement of another schedule does not stand in for a price that was left out', async () => {
  await using app = await testApp()
  await partOfCalifornia(app)
  const derivation = { method: 'clfs-indicator/1', inputs: { indicator: 'L' } }
  const stated = anAbsence({ code: '99213', basis: 'medicare_clfs', reason: 'no_price_stated', derivation })
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [stated] }))
  const { code, proof } = await ask(app, { cpt: '99213', region: 'US-CA-05' })
  expect(code).toBe('region_not_covered')
  // What every schedule was asked is shown, and, by the periods around their places, that the others are not held.
  expect(proof.releases?.map(({ release }) => release.chart)).toEqual(['cms-pfs', 'cms-clfs'])
  expect(proof.timeline?.leaves?.map(([, { chart }]) => chart)).toEqual(['cms-clfs', 'cms-pfs'])
})

test('a code that has rows for other places only is not said to be missing', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ region: 'US-CA-18' })] }))
  await holdTheRest(app, 'cms-pfs')
  expect(await ask(app, { cpt: 'G0101', region: 'US-CA-05' })).toMatchObject({
    code: 'region_not_covered',
    about: { available: { regions: ['US-CA-18'] } },
  })
  // For the whole country it has no price, and prices for places: one must be chosen.
  expect(await ask(app, { cpt: 'G0101' })).toMatchObject({
    code: 'region_ambiguous',
    about: { choices: [{ region: 'US-CA-18' }] },
  })
})

test('a schedule that has no localities leaves none out', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ basis: 'medicare_clfs', setting: null })] }))
  for (const region of ['US-CA-05', 'US-CA', '60611'])
    expect(await ask(app, { cpt: 'G0101', region, basis: 'medicare_clfs' })).toMatchObject({ region: 'national' })
})

testOnPublished(
  'the states said to have several localities are those that have them in the file of CMS',
  ['cms-pfs/2026-rvu26b/GPCI2026.csv'],
  async () => {
    const bytes = readFileSync(published('cms-pfs/2026-rvu26b/GPCI2026.csv'))
    const localities = readGpci({ name: 'GPCI2026.csv', text: bytes.toString('latin1') } as never)
    const byState = Map.groupBy(localities, ({ region }) => region.slice(3, 5))
    expect([localities.length, byState.size]).toEqual([109, 53])
    await using app = await testApp()
    await app.publish(aRelease({ rows: localities.map(({ region }) => aPrice({ region })) }))
    for (const [state, held] of byState) {
      const { code, region, about } = await ask(app, { cpt: 'G0101', region: state })
      if (held.length > 1)
        expect([code, about.choices.map((each) => each.region)]).toEqual([
          'region_ambiguous',
          held.map((each) => each.region).sort(),
        ])
      else expect(region).toBe(held[0]?.region ?? '')
    }
  },
)

test('equipment at a ZIP code that may lie in two states is ambiguous, and the states around it are the choices', async () => {
  await using app = await testApp()
  const place = (zip: string, region: string | null, state: string | null): PlaceRow => ({
    kind: 'place',
    zip,
    plus_four: null,
    region,
    state,
    effective_from: '2026-01-01',
    locator: [{ citation: 0, line: 1 }],
  })
  // Of the second one the five-digit file says that its last four digits decide.
  const rows = [place('42220', 'US-KY-00', 'KY'), place('42223', null, null), place('42230', 'US-TN-35', 'TN')]
  await app.publish(aRelease({ chart: 'zip-locality', rows }))
  const rent = (region: string) =>
    aPrice({ code: 'E0601', basis: 'medicare_dmepos', modifier: 'RR', region, setting: 'non_rural' })
  await app.publish(aRelease({ chart: 'cms-dmepos', rows: ['US-AL', 'US-KY', 'US-TN'].map(rent) }))
  const question = { cpt: 'E0601', modifier: 'RR', basis: 'medicare_dmepos' }
  expect(await ask(app, { ...question, region: '42220' })).toMatchObject({ region: 'US-KY' })
  const { code, about } = await ask(app, { ...question, region: '42223' })
  const { choices } = about
  expect([code, choices.map(({ region }) => region)]).toEqual(['region_ambiguous', ['US-KY', 'US-TN']])
  for (const { region, href } of choices) expect(await app.getJson(href)).toMatchObject({ region })
})

test('the states to choose from at a rural ZIP code lead to rural prices', async () => {
  await using app = await testApp()
  const place: PlaceRow = {
    ...{ kind: 'place', zip: '42223', plus_four: null, region: null, state: null, rural: true },
    ...{ effective_from: '2026-01-01', locator: [{ citation: 0, line: 1 }] },
  }
  const near: PlaceRow = { ...place, zip: '42220', region: 'US-KY-00', state: 'KY' }
  await app.publish(aRelease({ chart: 'zip-locality', rows: [near, place] }))
  const rent = (setting: 'rural' | 'non_rural') =>
    aPrice({ code: 'E0601', basis: 'medicare_dmepos', modifier: 'RR', region: 'US-KY', setting })
  await app.publish(aRelease({ chart: 'cms-dmepos', rows: [rent('non_rural'), rent('rural')] }))
  const question = { cpt: 'E0601', modifier: 'RR', basis: 'medicare_dmepos', region: '42223' }
  const led = async (asked: object): Promise<unknown[]> =>
    Promise.all((await ask(app, { ...question, ...asked })).about.choices.map(({ href }) => app.getJson(href)))
  expect(await led({})).toMatchObject([{ region: 'US-KY', setting: 'rural' }])
  expect(await led({ setting: 'non_rural' })).toMatchObject([{ region: 'US-KY', setting: 'non_rural' }])
})

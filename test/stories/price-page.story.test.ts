import { expect, test } from 'bun:test'
import type { PlaceRow } from '../../src/proof/price/row.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, testApp } from '../support/harness.ts'

test('on the page of a price that a modifier changes, every amount of that question is the changed one', async () => {
  await using app = await testApp()
  const indicators = { status: 'A', bilateral: '1', assistant: '2', co_surgeon: '0' }
  const surgery = (region: string, amount: string) =>
    aPrice({ code: '27447', region, setting: 'facility', indicators, price: { amount, currency: 'USD' } })
  const rows = [surgery('national', '1000.00'), surgery('US-AL-00', '900.00'), surgery('US-AK-01', '1200.00')]
  await app.publish(aRelease({ edition: 'A', effective_from: '2026-01-01', effective_to: '2026-06-30', rows }))
  await app.publish(aRelease({ edition: 'B', effective_from: '2026-07-01', rows }))
  const page = async (accept: string): Promise<string> => {
    const request = new Request(`${BASE_URL}/price/27447?region=US-AL-00&modifier=80-59`, { headers: { accept } })
    return (await app.app.fetch(request, '192.0.2.1')).text()
  }
  const { localities, history } = JSON.parse(await page('application/json')) as {
    localities: { region: string; amount: string }[]
    history: { price: { amount: string } }[]
  }
  expect(localities).toEqual([
    { region: 'US-AL-00', amount: '144.00' },
    { region: 'US-AK-01', amount: '192.00' },
  ])
  expect(history.map(({ price }) => price.amount)).toEqual(['144.00', '144.00'])
  for (const accept of ['text/html', 'text/markdown']) {
    const shown = await page(accept)
    expect(shown).toContain('$192.00')
    // What the row states stands where the arithmetic is shown, and nowhere as what others pay.
    expect(shown).not.toContain('1,200.00')
  }
})

test('where a setting has no price, the page leads to the same modifier elsewhere before another modifier', async () => {
  await using app = await testApp()
  const scan = { code: '70450' }
  const rows = [
    ...(['facility', 'non_facility'] as const).map((setting) => aPrice({ ...scan, setting, modifier: '26' })),
    aPrice({ ...scan, setting: 'non_facility', modifier: 'TC' }),
    anAbsence({ ...scan, setting: 'facility', modifier: 'TC', reason: 'not_applicable_in_setting' }),
  ]
  await app.publish(aRelease({ rows }))
  const opps = aPrice({ ...scan, basis: 'medicare_opps', setting: 'outpatient' })
  await app.publish(aRelease({ chart: 'cms-opps', rows: [opps] }))
  const path = '/price/70450?modifier=TC&setting=facility'
  const request = new Request(`${BASE_URL}${path}`, { headers: { accept: 'text/markdown' } })
  const page = await (await app.app.fetch(request, '192.0.2.1')).text()
  expect(page).toMatch(/\[Medicare, doctor\]\(\/price\/70450\S*modifier=TC&setting=non\\?_facility/)
  expect(page).toContain('[Medicare, hospital outpatient, without modifier]')
})

test('an equipment fee that holds in rural areas too is not shown as one for elsewhere', async () => {
  await using app = await testApp()
  const rented = { basis: 'medicare_dmepos', region: 'US-MT', modifier: 'RR' } as const
  const rows = [
    ...(['non_rural', 'rural'] as const).map((setting) => aPrice({ ...rented, code: 'E0601', setting })),
    aPrice({ ...rented, code: 'E0602', setting: 'non_rural' }),
  ]
  await app.publish(aRelease({ chart: 'cms-dmepos', rows }))
  const place = (zip: string, rural: boolean): PlaceRow => ({
    ...{ kind: 'place', zip, plus_four: null, region: 'US-MT-01', state: 'MT', rural },
    ...{ effective_from: '2026-01-01', locator: [{ citation: 0, line: 1 }] },
  })
  await app.publish(aRelease({ chart: 'zip-locality', rows: [place('59001', true), place('59101', false)] }))
  const page = async (query: string, accept: string): Promise<string> => {
    const request = new Request(`${BASE_URL}/price/${query}`, { headers: { accept } })
    return (await app.app.fetch(request, '192.0.2.1')).text()
  }
  for (const accept of ['text/html', 'text/markdown']) {
    for (const query of ['E0602-RR?region=59001', 'E0602-RR?region=MT&setting=rural']) {
      const shown = await page(query, accept)
      expect(shown).toContain('E0602-RR in rural areas and outside them, for Montana (US-MT)')
      expect(shown).not.toContain('outside rural areas')
    }
    // Elsewhere the fee is that of the place, and the table has it for both.
    const elsewhere = await page('E0602-RR?region=59101', accept)
    expect(elsewhere).toContain('E0602-RR outside rural areas, for Montana')
    expect(elsewhere).toContain('in rural areas and outside them')
    const both = await page('E0601-RR?region=59101', accept)
    expect(both).toMatch(/E0601-RR outside rural areas.*in rural areas/s)
    expect(both).not.toContain('outside them')
  }
})

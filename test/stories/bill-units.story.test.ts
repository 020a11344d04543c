import { expect, test } from 'bun:test'
import { aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, testApp } from '../support/harness.ts'

const NPI = '1234567893'

test('a bill does not multiply its units with a price that the hospital states for a unit of its own', async () => {
  await using app = await testApp()
  const own = { npi: NPI, basis: 'hospital_gross', setting: 'outpatient' } as const
  const rows = [
    aPrice({ code: 'P9047', ...own, price: { amount: '284.15', currency: 'USD', per: '100 ML' } }),
    aPrice({ code: 'G0101', ...own, price: { amount: '10.00', currency: 'USD' } }),
  ]
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, effective_from: '2026-07-01', rows }))
  const drug = aPrice({
    code: 'P9047',
    basis: 'medicare_asp',
    setting: null,
    price: { amount: '53.077', currency: 'USD', per: '50 ML' },
  })
  await app.publish(aRelease({ chart: 'cms-asp', rows: [drug] }))
  const lines = 'P9047,,2,300.00,2026-07-15\nG0101,,3,40.00,2026-07-15'
  const body = new URLSearchParams({ lines, npi: NPI, kind: 'professional' })
  const request = new Request(`${BASE_URL}/bill`, { method: 'POST', headers: { accept: 'text/html' }, body })
  const page = await (await app.app.fetch(request, '192.0.2.1')).text()
  expect(page).toContain('id="bill-lines"')
  expect(page).not.toContain('568.30')
  const asked = ['P9047', 'G0101'].map((cpt) => ({ cpt, npi: NPI, basis: 'hospital_gross', units: 2 }))
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ lines: asked }),
  }
  const batch = await (await app.request('/reference/batch', init)).json()
  expect(batch.results.map(({ extended }: { extended: unknown }) => extended)).toEqual([null, { amount: '20.00' }])
  expect(batch.summary).toMatchObject({ lines: 2, priced: 1, totals: [{ lines: 1, low: '20.00', high: '20.00' }] })
})

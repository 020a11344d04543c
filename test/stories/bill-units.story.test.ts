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
  const bill = async (as: string): Promise<string> => {
    const lines = 'P9047,,2,300.00\nG0101,,3,40.00'
    const body = new URLSearchParams({ lines, npi: NPI, ...(as === '' ? {} : { as }) })
    const headers = { accept: 'text/html' }
    const request = new Request(`${BASE_URL}/bill`, { method: 'POST', headers, body })
    return (await app.app.fetch(request, '192.0.2.1')).text()
  }
  const [page, sheet] = [await bill(''), await bill('csv')]
  for (const text of [page, sheet]) {
    expect(text).not.toContain('568.30')
    // Medicare states the price for the unit that the code is billed in.
    expect(text).toContain('106.154')
  }
  expect(page).toContain('$284.15 per 100 ml')
  expect(sheet).toContain('stated per 100 ml, which the units of the bill do not count: 284.15')
  const lines = ['P9047', 'G0101'].map((cpt) => ({ cpt, npi: NPI, basis: 'hospital_gross', units: 2 }))
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ lines }) }
  const batch = await (await app.request('/reference/batch', init)).json()
  expect(batch.results.map(({ extended }: { extended: unknown }) => extended)).toEqual([null, { amount: '20.00' }])
  expect(batch.summary).toMatchObject({ lines: 2, priced: 1, totals: [{ lines: 1, low: '20.00', high: '20.00' }] })
  // The total of the column has the other line alone.
  expect(page.replaceAll(/<[^>]+>/g, ' ')).toMatch(/gross charge\s+1\s+\$30\.00\s+\$40\.00/)
})

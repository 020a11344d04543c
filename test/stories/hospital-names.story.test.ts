import { expect, test } from 'bun:test'
import { hospitalNames } from '../../src/surfaces/words/hospitals.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { BASE_URL, testApp } from '../support/harness.ts'

const TODAY = '2026-11-15'
const NPI = '1234567893'

test('hospitals are found by the names that the operator gives them, which no proof has', async () => {
  const names = hospitalNames(`${NPI} Example General\n1003000126 Example Children's`)
  await using app = await testApp({ today: TODAY, hospitalNames: names })
  const own = { npi: NPI, setting: 'outpatient', price: { amount: '150.00', currency: 'USD' } } as const
  const rows = [aPrice({ code: '99213', basis: 'hospital_cash', ...own })]
  await app.publish(aRelease({ chart: `hospital-mrf:${NPI}`, rows }))
  const get = async (path: string, accept = 'text/html'): Promise<Response> =>
    app.app.fetch(new Request(`${BASE_URL}${path}`, { headers: { accept } }), '192.0.2.1')
  const bill = async (npi: string): Promise<Response> =>
    app.app.fetch(
      new Request(`${BASE_URL}/bill`, {
        method: 'POST',
        body: new URLSearchParams({ lines: '99213,,1,300.00,2026-11-15', npi }),
      }),
      '192.0.2.1',
    )
  expect(await (await get('/')).text()).toContain('Example General, NPI 1234567893, 1 row, edition ')
  expect((await get('/price?cpt=99213&npi=example+general')).headers.get('location')).toBe(
    `/price/99213?region=national&npi=${NPI}`,
  )
  for (const accept of ['text/html', 'text/markdown'])
    expect(await (await get(`/price/99213?npi=${NPI}`, accept)).text()).toContain(
      'Example General: so named by the operator of this site',
    )
  const { hospital, reference } = (await (await get(`/price/99213?npi=${NPI}`, 'application/json')).json()) as never
  expect(hospital).toEqual({ npi: NPI, name: 'Example General', named_by: 'operator' } as never)
  expect(JSON.stringify(reference)).not.toContain('Example General')

  const several = await (await get('/price?cpt=99213&npi=example')).text()
  expect(several).toContain('What you wrote can mean several. Choose one:')
  expect(several).toContain(`href="/price/99213?region=national&amp;as_of=${TODAY}&amp;npi=1003000126"`)
  expect(await (await get('/price?cpt=99213&npi=nobody')).text()).toContain(
    'a name that the operator of this site has given',
  )
  expect(await (await bill('example general')).text()).toContain('$150.00')
  const refused = await bill('example')
  expect([refused.status, (await refused.text()).includes('The hospital can be one of several')]).toEqual([400, true])
})

// Questions as programs and language models send them at the first try, and what a refusal tells them for the second.

import { expect, test } from 'bun:test'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { connect } from '../support/mcp.ts'

async function withPrices(): Promise<TestApp> {
  const app = await testApp()
  const regions = ['national', 'US-IL-12', 'US-IL-16', 'US-AK-01']
  const visits = regions.map((region) => aPrice({ cpt: '99213', region }))
  await app.publish(aRelease({ rows: [...visits, aPrice({ cpt: '70450', modifier: '26' })] }))
  return app
}

test('a refusal says in its text what to send, to whoever reads nothing else', async () => {
  await using app = await withPrices()
  const expected: [query: string, detail: RegExp, hint: RegExp][] = [
    ['code=99213', /known are cpt, region/, /under one of the names/],
    ['cpt=99213&modifier=26&modifier=59', /modifier is given more than once/, /one parameter, as `26-59`/],
    ['cpt=99213&modifier=26,59', /`26-59`/, /26-59 for several/],
    ['cpt=99213&setting=office', /one of non_facility/, /non_facility for an office.*outpatient for what the hospital/],
    ['cpt=99213&as_of=07/15/2026', /YYYY-MM-DD/, /as 2026-07-15/],
    ['cpt=99213&basis=cash', /hospital_cash/, /need its npi/],
    ['cpt=99213&region=IL', /several places/, /the ZIP code of the place/],
  ]
  for (const [query, detail, hint] of expected) {
    const problem = await app.problem(`/reference?${query}`)
    expect([query, problem['detail']]).toEqual([query, expect.stringMatching(detail)])
    expect([query, problem['agent_hint']]).toEqual([query, expect.stringMatching(hint)])
  }
  const client = await connect(app, 'modern')
  const said = async (name: string, args: object): Promise<string> =>
    (await client.callTool({ name, arguments: args as Record<string, unknown> })).content[0]?.text ?? ''
  expect(await said('lookup_price', { code: '99213' })).toMatch(/^unknown_parameter: .*known are cpt, region/)
  expect(await said('lookup_price', { cpt: '99213', include: 'all' })).toContain('include takes `proof`')
})

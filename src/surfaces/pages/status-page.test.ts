import { expect, test } from 'bun:test'
import { landingParts, rendered } from '../discovery/fixture.ts'
import { frameOf } from '../site/frame.ts'
import type { SiteStatus } from './status-forms.tsx'
import { statusPage } from './status-page.ts'

const witnesses = { configured: 3, cosigned: 2, quorum: 2 }
const logs = [{ origin: 'trust.example/log/registry', size: 15, signed_at: '2026-11-15T12:00:00.000Z', witnesses }]

const bothOf = async (status: Partial<SiteStatus>): Promise<string[]> => {
  const charts = await landingParts().charts()
  const page = statusPage({
    frame: frameOf(),
    status: async () => ({ as_of: '2026-11-15', charts_total: charts.length, charts, logs, ...status }),
    stamp: () => undefined,
  })
  return [await rendered(page, 'text/html'), await rendered(page, 'text/markdown')]
}

test('the status says how fresh charts are, who has cosigned, and what was verified', async () => {
  const verification = {
    last_full_verification_at: '2026-11-15T03:00:00.000Z',
    rows_verified: 12345,
    rows_failed: 0,
    failing: [],
  }
  for (const text of await bothOf({ verification })) {
    for (const fact of [
      '1 price list: all of them in force',
      '2 of 3 witnesses have cosigned',
      '12,345 rows',
      'all of them hold',
    ])
      expect(text).toContain(fact)
  }
  for (const text of await bothOf({})) expect(text).not.toContain('verified')
})

test('what failed is named, and is said not to be served', async () => {
  const verification = {
    last_full_verification_at: '2026-11-15T03:00:00.000Z',
    rows_verified: 5,
    rows_failed: 1,
    failing: ['cms-pfs:RVU26D:1'],
  }
  for (const text of await bothOf({ verification }))
    expect(text).toContain('these failed and are not served: cms-pfs:RVU26D:1')
  const [charts] = [await landingParts().charts()]
  const expired = charts.map((chart) => ({ ...chart, status: 'expired' as const, effective_to: '2026-11-14' }))
  for (const text of await bothOf({ charts: expired }))
    expect(text).toContain('1 price list: 1 has expired and gives no price for today.')
  // Its publisher is late, and the operator has let it go on.
  const overdue = charts.map((chart) => ({ ...chart, status: 'overdue' as const }))
  for (const text of await bothOf({ charts: overdue })) {
    expect(text).toContain('1 price list: the next edition of 1 is overdue.')
    expect(text).toContain('in force, next edition long overdue')
  }
  const two = [...expired, ...expired]
  for (const text of await bothOf({ charts: two, charts_total: 2 }))
    expect(text).toContain('2 price lists: 2 have expired and give no price for today.')
  const [, markdown] = await bothOf({ logs: logs.map((log) => ({ ...log, size: 1 })) })
  expect(markdown).toContain(': 1 entry, signed')
})

test('a list is expired when it gives no price any more, not when its publisher is late', async () => {
  const [chart] = await landingParts().charts()
  if (!chart) throw new Error('there is no chart')
  const late = { ...chart, status: 'expired' as const, effective_to: '2026-12-31' }
  for (const text of await bothOf({ charts: [late] })) {
    expect(text).toContain('in force, next edition long overdue')
    expect(text).not.toContain('expired')
  }
  for (const text of await bothOf({ charts: [{ ...late, effective_to: '2026-11-14' }] })) {
    expect(text).toContain('1 has expired and gives no price for today')
    expect(text).not.toContain('in force,')
  }
})

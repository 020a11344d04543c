import { expect, test } from 'bun:test'
import type { IntegrityReport } from '../src/integrity/report-shape.ts'
import { aPrice, aRelease } from './builders.ts'
import { testApp } from './harness.ts'

test('the integrity report tells the state of every chart from what is stored, on any day', async () => {
  await using app = await testApp({ sample: true })
  const headers = await app.railsHeaders(['integrity:read'])
  const report = async () => (await app.getJson('/api/data-integrity', headers)) as IntegrityReport
  const fresh = await report()
  expect(fresh.charts.map(({ chart_id, status }) => [chart_id, status])).toEqual([
    ['cms-clfs', 'fresh'],
    ['cms-pfs', 'fresh'],
    ['hospital-mrf:1234567893', 'fresh'],
  ])
  expect(fresh.summary.rows_served + fresh.summary.rows_withheld).toBe(
    fresh.charts.reduce((sum, { rows }) => sum + rows, 0),
  )
  expect(fresh.proofs).toMatchObject({ log_size: 4, rows_failed: 0, rows_without_proof: 0 })
  expect(fresh.figures.release_id).toBe('2026-11-15.1')
  expect(fresh.jobs.last_load?.at).toBe('2026-11-15T12:00:00.000Z')

  app.clock.now = Date.parse('2027-01-20T12:00:00Z')
  const late = (await app.getJson('/api/data-integrity', await app.railsHeaders(['integrity:read']))) as IntegrityReport
  expect(late.status).toBe('fail')
  expect(late.status_reasons).toEqual(['chart_expired:cms-clfs', 'chart_expired:cms-pfs'])
  expect(late.summary.charts).toMatchObject({ fresh: 1, expired: 2 })

  await app.publish(
    aRelease({
      chart: 'cms-opps',
      edition: 'LATER',
      effective_from: '2030-01-01',
      rows: [aPrice({ basis: 'medicare_opps', setting: 'outpatient' })],
    }),
  )
  expect(
    ((await app.getJson('/api/data-integrity', await app.railsHeaders())) as IntegrityReport).jobs.last_load?.at,
  ).toBe('2027-01-20T12:00:00.000Z')
})

test('with nothing loaded the report says so, and makes nothing up', async () => {
  await using app = await testApp()
  const report = (await app.getJson('/api/data-integrity', await app.railsHeaders())) as IntegrityReport
  expect(report).toMatchObject({
    release_id: null,
    charts: [],
    jobs: { last_load: null },
    figures: { release_id: null },
  })
  expect(report.status_reasons).toContain('no_chart_published')
})

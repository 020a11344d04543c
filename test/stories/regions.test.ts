import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { readGpci } from '../../src/ingest/cms/gpci.ts'
import { answersTo } from '../../src/proof/question.ts'
import { verifyBody } from '../../src/proof/verify.ts'
import { onlyLocality } from '../../src/registry/lookup/region.ts'
import { anAbsence, aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { published, testOnPublished } from '../support/published-files.ts'

/** A schedule that was loaded for the country and one of California's localities. */
async function partOfCalifornia(app: TestApp): Promise<void> {
  const rows = ['national', 'US-CA-18', 'US-AL-00'].map((region) => aPrice({ cpt: '99213', region }))
  await app.publish(aRelease({ rows: [...rows, anAbsence({ cpt: '99214' })] }))
}

test('one locality that was loaded does not stand for a state that has several', async () => {
  await using app = await testApp()
  await partOfCalifornia(app)
  expect(await app.problem('/reference?cpt=99213&region=US-CA')).toMatchObject({
    code: 'region_ambiguous',
    regions: ['US-CA-18'],
  })
  expect(await app.getJson('/reference?cpt=99213&region=US-CA-18')).toMatchObject({ region: 'US-CA-18' })
  expect(await app.getJson('/reference?cpt=99213&region=US-AL')).toMatchObject({ region: 'US-AL-00' })
})

test('a region that a release was loaded without is said to be left out, not to have no price', async () => {
  await using app = await testApp()
  await partOfCalifornia(app)
  for (const [region, prefix] of [
    ['US-CA-05', '99213|US-CA-05|'],
    ['US-NY', '99213|US-NY-'],
    ['US-AK', '99213|US-AK-'],
  ] as const) {
    const problem = await app.problem(`/reference?cpt=99213&region=${region}`)
    expect(problem).toMatchObject({
      status: 404,
      code: 'region_not_covered',
      regions: ['national'],
      absence: [{ key_prefix: prefix }],
    })
    const verdict = await verifyBody(JSON.stringify(problem), app.policy, answersTo({ cpt: '99213', region }))
    expect(verdict).toMatchObject({ ok: true, absences: 1 })
  }
})

test('what a schedule says of a code for the whole country holds in a region that was left out', async () => {
  await using app = await testApp()
  await partOfCalifornia(app)
  expect(await app.problemCode('/reference?cpt=99214&region=US-CA-05')).toBe('absent_bundled')
  // A code that the schedule does not have at all is not on it in any region.
  expect(await app.problemCode('/reference?cpt=99215&region=US-CA-05')).toBe('not_on_schedule')
})

test('a statement of another schedule does not stand in for a price that was left out', async () => {
  await using app = await testApp()
  await partOfCalifornia(app)
  const packaged = anAbsence({ cpt: '99213', basis: 'medicare_opps', setting: 'outpatient' })
  await app.publish(aRelease({ chart: 'cms-opps', rows: [packaged] }))
  const problem = await app.problem('/reference?cpt=99213&region=US-CA-05')
  expect(problem).toMatchObject({ code: 'region_not_covered' })
  expect(
    await verifyBody(JSON.stringify(problem), app.policy, answersTo({ cpt: '99213', region: 'US-CA-05' })),
  ).toMatchObject({
    absences: 2,
  })
})

test('where not even the national rows were loaded there is no telling', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ rows: [aPrice({ region: 'US-CA-18' })] }))
  const problem = await app.problem('/reference?cpt=G0999&region=US-CA-05')
  expect(problem.code).toBe('region_not_covered')
  expect(problem).not.toHaveProperty('regions')
})

test('a schedule that has no localities leaves none out', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aPrice({ basis: 'medicare_clfs', setting: null })] }))
  expect(await app.problem('/reference?cpt=G0101&region=US-CA-05')).toMatchObject({
    code: 'not_on_schedule',
    regions: ['national'],
  })
})

testOnPublished(
  'the states said to have several localities are those that have them in the file of CMS',
  ['cms-pfs/2026-rvu26b/GPCI2026.csv'],
  () => {
    const bytes = readFileSync(published('cms-pfs/2026-rvu26b/GPCI2026.csv'))
    const localities = readGpci({ name: 'GPCI2026.csv', text: bytes.toString('latin1') } as never)
    const byState = Map.groupBy(localities, ({ region }) => region.slice(3, 5))
    expect([localities.length, byState.size]).toEqual([109, 53])
    for (const [state, held] of byState) {
      const choose = () => onlyLocality(state, [held[0]?.region ?? ''])
      if (held.length > 1) expect(choose).toThrow('region_ambiguous')
      else expect(choose()).toBe(held[0]?.region)
    }
  },
)

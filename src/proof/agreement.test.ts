// The service and the verifier agree: what an honest service says verifies as what it says, and what a service hides is
// noticed or makes no difference.

import { test } from 'bun:test'
import fc from 'fast-check'
import { type AdmittedLeaves, answerOf, everything, sayingOf } from './answer-fixture.ts'
import { aSigner } from './fixture.ts'
import type { Question } from './lookup/question.ts'
import { formatPolicy } from './note/policy.ts'
import type { AnyRow, Row } from './price/row.ts'
import { rowKey } from './price/row.ts'
import { aFee, aPlace, aRow, MemoryRegistry } from './registry-fixture.ts'
import { parsePolicy, type TrustPolicy, verifyBody } from './verify.ts'

const signer = await aSigner('registry.example/log/registry')
const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy
const NPIS = ['1234567893', '1679576722'] as const
const CODES = ['99213', '99214', '00810'] as const
const REGIONS = ['national', 'US-IL-15', 'US-IL-16', 'US-AL-00'] as const
const DAYS = ['2026-06-30', '2026-07-01', '2026-07-15', '2026-08-01', '2026-09-30', '2026-10-01'] as const

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const isAbsent = fc.integer({ min: 0, max: 4 }).map((dice) => dice === 0)
const from = oneOf('2026-07-01', '2026-07-01', '2026-08-01')

const absence = {
  kind: 'absence',
  reason: 'bundled',
  derivation: { method: 'cms-status/1', inputs: { status_code: 'B' } },
}
const feeRow = fc
  .record({
    code: oneOf(...CODES),
    region: oneOf(...REGIONS),
    modifier: oneOf(null, null, '26', '50'),
    setting: oneOf('non_facility', 'facility'),
    effective_from: from,
    absent: isAbsent,
  })
  .map(
    ({ absent, ...row }): AnyRow =>
      absent ? aRow({ ...row, basis: 'medicare_pfs', region: 'national', setting: null, ...absence }) : aFee(row),
  )
const testRow = fc
  .record({ code: oneOf(...CODES), modifier: oneOf(null, 'QW'), effective_from: from })
  .map((row): AnyRow => aRow(row))
const supplyRow = fc
  .record({
    code: oneOf(...CODES),
    region: oneOf('US-IL', 'US-AL'),
    setting: oneOf('rural', 'non_rural'),
    modifier: oneOf(null, 'NU'),
  })
  .map((row): AnyRow => aRow({ ...row, basis: 'medicare_dmepos' }))
const chargeRow = fc
  .record({
    code: oneOf(...CODES),
    npi: oneOf(...NPIS),
    basis: oneOf('hospital_cash', 'hospital_gross'),
    modifier: oneOf(null, '25', 'LT'),
    class: oneOf(null, 'facility', 'professional'),
    setting: oneOf('outpatient', 'inpatient'),
  })
  .map((row): AnyRow => aRow({ ...row, derivation: { method: 'verbatim/1', inputs: { amount: '10.56' } } }))
const placeRow = fc
  .record({
    zip: oneOf('60611', '60701'),
    region: oneOf(null, 'US-IL-15', 'US-IL-16', 'US-AL-00'),
    part: oneOf(null, '0001-0499', '0500-0999'),
    rural: fc.boolean(),
  })
  .map(({ zip, region, part, rural }): AnyRow => ({ ...aPlace(zip, region, part), rural }))

const rows = (row: fc.Arbitrary<AnyRow>) => fc.uniqueArray(row, { maxLength: 9, selector: rowKey })
const registries = fc
  .record({
    fees: fc.option(rows(feeRow)),
    tests: fc.option(rows(testRow)),
    drugs: fc.boolean(),
    supplies: fc.option(rows(supplyRow)),
    places: fc.option(rows(placeRow)),
    charges: fc.array(rows(chargeRow), { maxLength: 2 }),
  })
  .map(({ fees, tests, drugs, supplies, places, charges }) => {
    const registry = new MemoryRegistry(signer)
    if (fees) registry.publish(fees, { chart: 'cms-pfs' })
    if (tests) registry.publish(tests, { chart: 'cms-clfs', effective_to: '2026-12-31' })
    if (drugs) registry.publish([], { chart: 'cms-asp' })
    if (supplies) registry.publish(supplies, { chart: 'cms-dmepos' })
    if (places) registry.publish(places, { chart: 'zip-locality' })
    for (const [i, own] of charges.entries()) {
      const npis = [...new Set([NPIS[i] as string, ...own.map((row) => (row as Row).npi as string)])].sort()
      registry.publish(own, { chart: `hospital-mrf:${NPIS[i]}`, providers: npis })
    }
    return registry
  })
const questions: fc.Arbitrary<Question> = fc.record({
  cpt: oneOf(...CODES),
  as_of: oneOf(...DAYS),
  region: oneOf(...REGIONS, 'IL', 'AL', 'GU', '60611', '60701', '60701-0123', '60701-0600', '99999'),
  modifier: oneOf(undefined, undefined, '26', '25', '25-26', '50', '50-26', 'LT-RT', 'NU', 'QW'),
  setting: oneOf(undefined, undefined, 'facility', 'non_facility'),
  npi: oneOf(undefined, undefined, undefined, ...NPIS, '1999999992'),
})

const verdictOn = async (body: object, question: Question): Promise<string> => {
  const verdict = await verifyBody(JSON.stringify(body), policy, { question })
  return verdict.ok ? verdict.decisions.map(whole).join() : `refused: ${verdict.class}`
}
/** A decision to the last member. */
const whole = (decision: object): string => JSON.stringify(decision)

test('what an honest service answers is verified as its own decision', async () => {
  await fc.assert(
    fc.asyncProperty(registries, questions, async (registry, question) => {
      const { body, decision } = await answerOf(registry, question)
      const said = await verdictOn(body, question)
      if (said !== whole(decision)) throw new Error(`${sayingOf(decision)} was taken for ${said}`)
    }),
    { numRuns: 600 },
  )
})

/** All views that hide one leaf which the honest answer rests on. */
function* viewsWithout(registry: MemoryRegistry): Generator<AdmittedLeaves> {
  const all = everything(registry)
  for (const { index } of all.periods) yield { ...all, periods: all.periods.filter((each) => each.index !== index) }
  for (const { index } of all.providers)
    yield { ...all, providers: all.providers.filter((each) => each.index !== index) }
  for (const release of registry.releases)
    for (const index of release.rows.keys())
      yield {
        ...all,
        rows: (of) => (of === release ? all.rows(of).filter((each) => each.index !== index) : all.rows(of)),
      }
}

test('a service that hides any leaf is refused, or its decision is the honest one', async () => {
  await fc.assert(
    fc.asyncProperty(registries, questions, async (registry, question) => {
      const honest = whole((await answerOf(registry, question)).decision)
      for (const view of viewsWithout(registry)) {
        const { body } = await answerOf(registry, question, view)
        const said = await verdictOn(body, question)
        if (said !== honest && !said.startsWith('refused: ')) throw new Error(`${said} in place of ${honest}`)
      }
    }),
    { numRuns: 120 },
  )
})

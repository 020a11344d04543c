import { expect, test } from 'bun:test'
import { failed } from './fault.ts'
import { aSigner } from './fixture.ts'
import type { Question } from './lookup/question.ts'
import { formatPolicy } from './note/policy.ts'
import { aFee, aPlace, aRow, MemoryRegistry, type MemoryRelease } from './registry-fixture.ts'
import { parsePolicy, type TrustPolicy, verifyBody } from './verify-lists.ts'

const signer = await aSigner('registry.example/log/registry')
const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy

const JULY = '2026-07-15'
const NPI = '1234567893'

function registry(): MemoryRegistry {
  const made = new MemoryRegistry(signer)
  made.publish(
    [
      aFee({ code: '99213' }),
      aFee({ code: '99213', setting: 'facility', amount: '57.45' }),
      aFee({ code: '99213', region: 'US-IL-16', amount: '98.00' }),
      aFee({ code: '99213', region: 'US-IL-15', amount: '97.00' }),
      aFee({ code: '99213', region: 'US-AL-00', amount: '90.00' }),
      aFee({ code: '70450', modifier: '26', amount: '40.00' }),
      aFee({ code: '99285', setting: 'facility', amount: '170.00' }),
      aRow({
        code: '99285',
        kind: 'absence',
        basis: 'medicare_pfs',
        setting: 'non_facility',
        reason: 'not_applicable_in_setting',
        derivation: { method: 'pfs-na/1', inputs: { na_indicator: 'NA' } },
      }),
      aRow({ code: '99070', kind: 'absence', basis: 'medicare_pfs' }),
      aRow({
        code: '80053',
        kind: 'absence',
        basis: 'medicare_pfs',
        reason: 'paid_elsewhere',
        derivation: { method: 'cms-status/1', inputs: { status_code: 'X' } },
      }),
    ],
    { chart: 'cms-pfs' },
  )
  made.publish([aRow({ code: '80053' }), aRow({ code: '36415', amount: '8.83' })], { chart: 'cms-clfs' })
  made.publish([aPlace('60611', 'US-IL-16'), aPlace('60701', null), aPlace('35004', 'US-AL-00')], {
    chart: 'zip-locality',
  })
  made.publish(
    [
      aRow({
        code: '99213',
        npi: NPI,
        basis: 'hospital_gross',
        setting: 'outpatient',
        amount: '300.00',
        derivation: { method: 'verbatim/1', inputs: { amount: '300.00' } },
      }),
      aRow({
        code: '99213',
        npi: NPI,
        basis: 'hospital_cash',
        setting: 'outpatient',
        amount: '145.20',
        derivation: { method: 'verbatim/1', inputs: { amount: '145.20' } },
      }),
    ],
    { chart: `hospital-mrf:${NPI}`, providers: [NPI] },
  )
  return made
}

const QUESTIONS: [Partial<Question>, string][] = [
  [{ cpt: '99213' }, 'price 95.19'],
  [{ cpt: '99213', setting: 'facility' }, 'price 57.45'],
  [{ cpt: '99213', region: '60611' }, 'price 98.00'],
  [{ cpt: '99213', region: 'AL' }, 'price 90.00'],
  [{ cpt: '99213', region: '35004' }, 'price 90.00'],
  [{ cpt: '99213', region: 'IL' }, 'region_ambiguous'],
  [{ cpt: '99213', region: '60701' }, 'region_ambiguous'],
  [{ cpt: '99213', region: 'US-TX-99' }, 'region_not_covered'],
  [{ cpt: '99213', region: '99999' }, 'unknown_zip'],
  [{ cpt: '99213', modifier: '25' }, 'price 95.19'],
  [{ cpt: '99213', modifier: '50' }, 'price 95.19'],
  [{ cpt: '99213', modifier: '22' }, 'modifier_not_priced'],
  [{ cpt: '70450', modifier: '26' }, 'price 40.00'],
  [{ cpt: '99285' }, 'price 170.00'],
  [{ cpt: '99285', setting: 'non_facility' }, 'absent not_applicable_in_setting'],
  [{ cpt: '99070' }, 'absent bundled'],
  [{ cpt: '80053', region: '60611' }, 'price 10.56'],
  [{ cpt: '80053', region: '60701' }, 'price 10.56'],
  [{ cpt: '80053', setting: 'outpatient' }, 'price 10.56'],
  [{ cpt: '12345' }, 'no_edition'],
  [{ cpt: '12345', basis: 'medicare_clfs' }, 'not_on_schedule'],
  [{ cpt: '99213', as_of: '2026-10-05' }, 'no_edition'],
  [{ cpt: '99213', npi: NPI, region: '60611' }, 'price 145.20'],
  [{ cpt: '99213', npi: NPI, basis: 'hospital_gross' }, 'price 300.00'],
  [{ cpt: '99214', npi: NPI }, 'not_on_schedule'],
  [{ cpt: '99213', npi: '1999999992' }, 'unknown_provider'],
]

const asked = (question: Partial<Question>): Question => ({ cpt: '99213', as_of: JULY, ...question })

test('honest answers are what a biller expects, and are verified as the answers to their questions', async () => {
  const store = registry()
  for (const [question, expected] of QUESTIONS) {
    const { body, decision } = await store.answer(asked(question))
    const said =
      decision.outcome === 'price'
        ? `price ${'amount' in decision.row.price ? decision.row.price.amount : ''}`
        : decision.outcome === 'absent'
          ? `absent ${decision.row.reason}`
          : decision.outcome
    expect([question, said]).toEqual([question, expected])
    const verdict = await verifyBody(JSON.stringify(body), policy, { question: asked(question) })
    expect([question, verdict.ok ? 'ok' : verdict.reason]).toEqual([question, 'ok'])
  }
})

test('no answer is accepted as the answer to another question', async () => {
  const store = registry()
  const answers = await Promise.all(QUESTIONS.map(async ([question]) => (await store.answer(asked(question))).body))
  for (const [i, body] of answers.entries())
    for (const [j, [question]] of QUESTIONS.entries()) {
      if (i === j) continue
      const verdict = await verifyBody(JSON.stringify(body), policy, { question: asked(question) })
      if (!verdict.ok) continue
      // Two questions may have one answer: then the honest answer to the other one says the same.
      const { row: _a, place: _p, proof: _c, ...own } = answers[j] as Record<string, unknown>
      const { row: _d, place: _q, proof: _f, ...other } = body as Record<string, unknown>
      expect([QUESTIONS[i]?.[0], question, other]).toEqual([QUESTIONS[i]?.[0], question, own])
    }
})

test('what is told of modifiers beside a row follows from it, also where nobody asked', async () => {
  const { body } = await registry().answer(asked({}))
  const follows = { modifier: '50', rule: 'bilateral/1', factor: '1.500', amount: '142.79' }
  const verdictOn = async (beside: object) => {
    const verdict = await verifyBody(JSON.stringify({ ...body, ...beside }), policy, { anyQuestion: true })
    return verdict.ok ? 'ok' : verdict.reason
  }
  expect(await verdictOn({ adjustment: follows })).toBe('ok')
  for (const adjustment of [
    null,
    {},
    { ...follows, factor: '0.010', amount: '0.95' },
    { ...follows, note: 'x' },
    { ...follows, modifier: '22' },
    { amount: '1.00' },
    ['50'],
    'x',
    0,
    false,
  ])
    expect([adjustment, await verdictOn({ adjustment })]).toEqual([adjustment, 'body_contradicts_proof'])
  for (const modifiers_ignored of [['25'], ['25', '59', 'RT']])
    expect(await verdictOn({ modifiers_ignored })).toBe('ok')
  for (const modifiers_ignored of [
    null,
    [],
    { x: 1 },
    '25',
    ['50'],
    ['26'],
    ['25', '25'],
    ['59', '25'],
    [25],
    [null],
    0,
  ])
    expect([modifiers_ignored, await verdictOn({ modifiers_ignored })]).toEqual([modifiers_ignored, 'not_recognised'])
})

test('an absence has no adjustment', async () => {
  const store = registry()
  const [release] = store.releases as [MemoryRelease]
  const row = await store.cite(
    release,
    release.rows.findIndex((each) => each.kind === 'absence' && each.reason === 'bundled'),
  )
  expect(await verifyBody(JSON.stringify(row), policy, { anyQuestion: true })).toMatchObject({ ok: true })
  const adjustment = { modifier: '50', rule: 'bilateral/1', factor: '1.500', amount: '142.79' }
  const verdict = await verifyBody(JSON.stringify({ ...row, adjustment }), policy, { anyQuestion: true })
  expect(verdict).toEqual(failed('body_contradicts_proof'))
})

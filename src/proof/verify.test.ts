import { expect, test } from 'bun:test'
import { answerIn, answerOf, parsed } from './answer-fixture.ts'
import { type Fault, failed } from './fault.ts'
import { aSigner } from './fixture.ts'
import { pageOf, registryPage } from './list-fixture.ts'
import type { Question } from './lookup/question.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from './note/policy.ts'
import type { Manifest } from './price/release.ts'
import type { AnyRow, Row } from './price/row.ts'
import { MemoryProof } from './proof-fixture.ts'
import { aFee, aPlace, aRow, MemoryRegistry, RECORDED } from './registry-fixture.ts'
import { verifyBody as verifyLookup } from './verify.ts'
import { type Inquiry, verifyBody } from './verify-lists.ts'

const signer = await aSigner('registry.example/log/registry')
const witness = await aSigner('witness.example/w1')
const plain = parsePolicy(formatPolicy([signer])) as TrustPolicy

const DAY = '2026-07-15'
const NPI = '1234567893'
const ANY: Inquiry = { anyQuestion: true }

const fees = (...codes: string[]): Row[] => codes.map((cpt) => aFee({ code: cpt }))
const bundled = (cpt: string): Row => aRow({ code: cpt, kind: 'absence', basis: 'medicare_pfs' })

/** A registry with one release. */
function published(rows: AnyRow[], given: Partial<Manifest> = {}, witnesses: (typeof signer)[] = []) {
  const registry = new MemoryRegistry(signer, witnesses)
  const release = registry.publish(rows, { chart: 'cms-pfs', ...given })
  return { registry, release }
}

const check = (body: unknown, asked: Inquiry = ANY, policy = plain) => verifyBody(JSON.stringify(body), policy, asked)
const ask = (question: Partial<Question>): Inquiry => ({
  question: { cpt: '99213', as_of: DAY, basis: 'medicare_pfs', ...question },
})

/** A refusal that shows what it likes. */
async function refusal(registry: MemoryRegistry, code: string, show: (proof: MemoryProof) => object): Promise<object> {
  const proof = new MemoryProof(registry)
  const shown = show(proof)
  return { status: 404, code, rule: 'R10', ...shown, proof: await proof.member() }
}

test('a row, a page and a refusal say what they prove', async () => {
  const { registry, release } = published([...fees('99211', '99213'), bundled('99215')])
  const { checkpoint } = await registry.proof()
  const said = {
    ok: true,
    decisions: [],
    lacking: [],
    editions: [],
    entries: 0,
    refused: 0,
    checkpoint,
    recorded_at: RECORDED,
  } as const
  const row = await registry.cite(release, 1)
  expect(await check(row)).toEqual({
    ...said,
    rows: [{ row: release.rows[1] as Row, release: release.manifest }],
  } as never)
  const page = await pageOf(registry, DAY, [{ release, from: 1, to: 3 }])
  expect(await check(page)).toEqual({
    ...said,
    rows: release.rows.slice(1).map((each) => ({ row: each, release: release.manifest })),
  } as never)
  const { body } = await answerOf(registry, { cpt: '99212', as_of: DAY, basis: 'medicare_pfs' })
  expect(body).toMatchObject({ code: 'not_on_schedule' })
  expect(await check(body)).toEqual({ ...said, rows: [] } as never)
})

test('a question that is undefined by mistake is not taken for the wish to ask none', async () => {
  const { registry, release } = published(fees('99213'))
  const row = JSON.stringify(await registry.cite(release, 0))
  const asked = { question: undefined } as unknown as { question: Question }
  for (const verify of [verifyBody, verifyLookup])
    expect(await verify(row, plain, asked)).toEqual(failed('answers_another_question'))
  const page = await pageOf(registry, DAY, [{ release, from: 0, to: 1 }])
  expect(await check(page, { page: undefined } as unknown as Inquiry)).toEqual(failed('answers_another_question'))
})

test('an empty page proves nothing, and nothing beside it passes for proved', async () => {
  const { registry, release } = published(fees('99213'))
  const empty = await pageOf(registry, DAY, [])
  expect(await check(empty)).toEqual(failed('nothing_proved'))
  const { proof, ...bare } = await registry.cite(release, 0)
  expect(proof).toBeDefined()
  expect(await check({ ...bare, ...empty })).toEqual(failed('not_recognised'))
  expect(await check({ ...empty, price: { amount: '1.00', currency: 'USD' } })).toEqual(failed('not_recognised'))
})

test('a true refusal beside a price that nobody proved is not recognised', async () => {
  const { registry, release } = published(fees('99211', '99213'))
  const { body } = await answerOf(registry, { cpt: '99212', as_of: DAY, basis: 'medicare_pfs' })
  expect(await check(body)).toMatchObject({ ok: true })
  expect(await check({ ...body, price: { amount: '1.00', currency: 'USD' } })).toEqual(failed('not_recognised'))
  const row = await refusal(registry, 'not_on_schedule', (proof) => ({ row: proof.show(release, 0) }))
  expect(await check(row)).toEqual(failed('body_contradicts_proof'))
  expect(await check({ ...body, data: [] })).toMatchObject({ ok: false })
})

test('a refusal must say what its row says', async () => {
  const { registry, release } = published([...fees('99211'), bundled('99213')])
  const places = registry.publish([aPlace('60611', 'US-IL-16')], { chart: 'zip-locality' })
  const told = async (code: string, index: number, of = release) =>
    check(await refusal(registry, code, (proof) => ({ row: proof.show(of, index) })))
  const [price, absent] = [0, 1]
  expect(await told('absent_bundled', absent)).toMatchObject({ ok: true, rows: [{ row: { reason: 'bundled' } }] })
  expect(await told('modifier_not_allowed', price)).toMatchObject({ ok: true })
  for (const [code, index] of [
    ['absent_not_covered', absent],
    ['not_on_schedule', absent],
    ['modifier_not_allowed', absent],
    ['absent_bundled', price],
    ['absent_undefined', price],
    ['not_on_schedule', price],
  ] as const)
    expect([code, index, await told(code, index)]).toEqual([code, index, failed('body_contradicts_proof')])
  expect(await told('modifier_not_allowed', 0, places)).toEqual(failed('body_contradicts_proof'))
  const { code: _, ...bare } = (await refusal(registry, 'x', (proof) => ({ row: proof.show(release, absent) }))) as {
    code: string
  }
  expect(await check(bare)).toEqual(failed('row_malformed'))
})

test('what an edition is proved to have no row of is told, so that its files can be searched for it', async () => {
  const { registry, release } = published([...fees('99211', '99215'), aFee({ code: '99213', region: 'US-CA-18' })])
  const lackingIn = async (question: Question): Promise<unknown> => {
    const { body } = await answerOf(registry, question)
    const verdict = await check(body, { question })
    return verdict.ok ? verdict.lacking : verdict.reason
  }
  const asked = { as_of: DAY, basis: 'medicare_pfs' }
  const { manifest } = release
  expect(await lackingIn({ cpt: '99212', ...asked })).toEqual([{ cpt: '99212', release: manifest }])
  expect(await lackingIn({ cpt: ' g0101', as_of: DAY })).toEqual([{ cpt: 'G0101', release: manifest }])
  // It has rows of these, though none that answers.
  for (const more of [{ modifier: '26' }, { region: 'US-AL-00' }])
    expect(await lackingIn({ cpt: '99213', ...asked, ...more })).toEqual([])
  expect(await lackingIn({ cpt: '99211', ...asked })).toEqual([])
  // One factor stands for every anesthesia code, and is the last row of its edition.
  const factor = aRow({ code: '00000', kind: 'rate', basis: 'medicare_anesthesia' })
  const { manifest: factors } = registry.publish([factor], { chart: 'cms-anesthesia' })
  expect(await lackingIn({ cpt: '01967', as_of: DAY, basis: 'medicare_anesthesia' })).toEqual([])
  expect(await lackingIn({ cpt: '99213', as_of: DAY, basis: 'medicare_anesthesia' })).toEqual([
    { cpt: '99213', release: factors },
  ])
})

test('with the question at hand, a true answer to another one is refused', async () => {
  const rows = [
    ...fees('99211', '99213'),
    aFee({ code: '99213', modifier: '26' }),
    aFee({ code: '99213', region: 'US-CA-18' }),
  ]
  const { registry } = published(rows)
  const { body } = await answerOf(registry, { cpt: '99213', as_of: DAY, basis: 'medicare_pfs' })
  expect(await check(body, ask({}))).toMatchObject({ ok: true, decisions: [{ outcome: 'price' }] })
  expect(await check(body, ask({ cpt: ' 99213', region: 'NATIONAL', modifier: '' }))).toMatchObject({ ok: true })
  for (const other of [
    { cpt: '99214' },
    { modifier: '26' },
    { region: 'US-CA-18' },
    { setting: 'facility' },
    { as_of: '2026-10-01' },
  ])
    expect([other, await check(body, ask(other))]).toEqual([
      other,
      { ok: false, class: expect.stringMatching(/incomplete|not_the_answer/), reason: expect.any(String) } as never,
    ])
  expect(await check(body, ask({ cpt: 'x' }))).toEqual(failed('question_malformed'))
  expect(await check(body, { questions: [] })).toEqual(failed('answers_another_question'))
  expect(await check(body, { page: { as_of: DAY } })).toEqual(failed('answers_another_question'))

  const page = { as_of: DAY, cpt: '99213' }
  const list = await registryPage(registry, page)
  expect(await check(list, { page })).toMatchObject({ ok: true })
  for (const other of [
    { cpt: '99211' },
    { region: 'national' },
    { chart: 'cms-clfs' },
    { npi: NPI },
    { as_of: '2026-07-16' },
  ])
    expect([other, await check(list, { page: { ...page, ...other } })]).toEqual([
      other,
      failed('answers_another_question'),
    ])
})

test('a hospital\u2019s list does not prove that Medicare has no price', async () => {
  const chart = `hospital-mrf:${NPI}`
  const charge = aRow({
    code: '99211',
    npi: NPI,
    basis: 'hospital_cash',
    derivation: { method: 'verbatim/1', inputs: { amount: '10.56' } },
  })
  const { registry, release } = published([charge], { chart, providers: [NPI] })
  const told = await refusal(registry, 'not_on_schedule', (proof) => {
    proof.addRows(release, [0])
    return {}
  })
  expect(await check(told)).toMatchObject({ ok: true })
  expect(await check(told, ask({}))).toEqual(failed('answers_another_question'))
  expect(await check(told, ask({ npi: NPI, basis: '' }))).toEqual(failed('choice_not_proved'))
})

test('a row under a policy with witnesses needs their quorum', async () => {
  const policy = parsePolicy(formatPolicy([signer], [witness])) as TrustPolicy
  const seen = published(fees('99213'), {}, [witness])
  const unseen = published(fees('99213'))
  expect(await check(await seen.registry.cite(seen.release, 0), ANY, policy)).toMatchObject({ ok: true })
  const row = await unseen.registry.cite(unseen.release, 0)
  expect(await check(row, ANY, policy)).toEqual(failed('quorum_not_met'))
})

test('sample data is called so in what was proved', async () => {
  const { registry, release } = published(fees('99213'), { data_class: 'sample' })
  expect(await check(await registry.cite(release, 0))).toMatchObject({
    ok: true,
    rows: [{ release: { data_class: 'sample' } }],
  })
})

test('a view that is too old is refused, and so is a limit that is no time', async () => {
  const { registry, release } = published(fees('99213'))
  const text = JSON.stringify(await registry.cite(release, 0))
  const since = (notBefore: string) => verifyBody(text, plain, ANY, { notBefore })
  for (const good of [RECORDED, '2026-10-02T00:00:00.000Z', '2000-01-01T00:00:00Z'])
    expect(await since(good)).toMatchObject({ ok: true })
  for (const late of ['2026-10-02T00:00:00.001Z', '2026-10-03T00:00:00Z', '', 'yesterday', '2026-10-01'])
    expect([late, await since(late)]).toEqual([late, failed('state_too_old')])
})

test('a row that is in force on no day was published, and answers no question', async () => {
  const { registry, release } = published(fees('99213', '99214'))
  registry.withdraw(release)
  const row = await registry.cite(release, 0)
  expect(await check(row)).toMatchObject({ ok: true, recorded_at: RECORDED, rows: [{ release: release.manifest }] })
  expect(await check(row, ask({}))).toEqual(failed('release_not_in_force'))
  const { proof, ...members } = row as { proof: { entries: object } }
  const { entries: _, ...less } = proof
  expect(await check({ ...members, proof: less })).toEqual(failed('release_not_in_force'))
})

test.each([
  ['null', 'null'],
  ['a number', '1'],
  ['a list', '[]'],
])('%s is not recognised', async (_, text) => {
  expect(await verifyBody(text, plain, ANY)).toEqual(failed('not_recognised'))
})

test.each([
  ['an empty object', '{}', 'row_malformed'],
  ['a refusal without proof', '{"code":"not_on_schedule","status":404,"rule":"R10"}', 'proof_missing'],
  [
    'a refusal whose proof is empty',
    '{"code":"not_on_schedule","status":404,"rule":"R10","proof":{}}',
    'proof_malformed',
  ],
  ['a refusal with members that nobody knows', '{"code":"not_on_schedule","status":404,"price":1}', 'not_recognised'],
  ['a refusal without a status', '{"code":"not_on_schedule"}', 'row_malformed'],
  ['a text that is no JSON', '{', 'json_malformed'],
  ['a member that is there twice', '{"code":"a","code":"b"}', 'json_malformed'],
])('%s proves nothing', async (_, text, reason) => {
  expect(await verifyBody(text, plain, ANY)).toEqual(failed(reason as Fault))
})

test('only editions of the day that have prices are told to lack a code', async () => {
  const { registry } = published(fees('99213'))
  registry.publish([aPlace('60611', 'US-IL-16')], { chart: 'zip-locality' })
  const old = registry.publish([aRow({ code: '80053', effective_from: '2026-04-01' })], {
    chart: 'cms-clfs',
    effective_from: '2026-04-01',
    effective_to: '2026-06-30',
  })
  const question = { cpt: '99213', region: '60611', as_of: DAY, basis: 'medicare_pfs' }
  const shown = await refusal(registry, 'region_not_covered', (proof) => {
    const { told } = answerIn(proof, parsed(question))
    proof.addRows(old, [0])
    return told
  })
  expect(await check(shown, { question })).toMatchObject({ ok: true, lacking: [] })
})

test('a page of rows is no history', async () => {
  const { registry, release } = published(fees('99213'))
  const page = await pageOf(registry, DAY, [{ release, from: 0, to: 1 }])
  expect(await check(page, { history: { cpt: '99213' } })).toEqual(failed('answers_another_question'))
})

test('an absence that is told without its row is no answer, though the row is proved beside it', async () => {
  const { registry, release } = published([bundled('99213')])
  const { question } = ask({}) as { question: Question }
  const { body } = await answerOf(registry, question)
  expect(await check(body, { question })).toMatchObject({ ok: true })
  const told = await refusal(registry, 'absent_bundled', (proof) => {
    proof.addRows(release, [0])
    return { rule: 'R7' }
  })
  expect(await check(told)).toMatchObject({ ok: true })
  expect(await check(told, { question })).toEqual(failed('answers_another_question'))
})

import { expect, test } from 'bun:test'
import { answerOf } from './answer-fixture.ts'
import { aSigner } from './fixture.ts'
import { pageOf, registryPage } from './list-fixture.ts'
import type { Question } from './lookup/question.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from './note/policy.ts'
import type { Manifest } from './price/release.ts'
import type { AnyRow, Row } from './price/row.ts'
import { aFee, aPlace, aRow, MemoryRegistry, type MemoryRelease, RECORDED } from './registry-fixture.ts'
import { verifyBody as verifyLookup } from './verify.ts'
import { type Inquiry, verifyAbsence, verifyBody, verifyRow } from './verify-lists.ts'

const signer = await aSigner('registry.example/log/registry')
const witness = await aSigner('witness.example/w1')
const plain = parsePolicy(formatPolicy([signer])) as TrustPolicy

const DAY = '2026-07-15'
const NPI = '1234567893'
const ANY: Inquiry = { anyQuestion: true }

const fees = (...codes: string[]): Row[] => codes.map((cpt) => aFee({ cpt }))
const bundled = (cpt: string): Row => aRow({ cpt, kind: 'absence', basis: 'medicare_pfs' })

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
const notOnSchedule = (absence: readonly unknown[]) => ({ type: 'x', status: 404, code: 'not_on_schedule', absence })

test('a row, a page and an absence say what they prove', async () => {
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
  expect(await check(notOnSchedule([await registry.absence(release, '99212|national|')]))).toEqual({
    ...said,
    rows: [],
  } as never)
})

test('a question that is undefined by mistake is not taken for the wish to ask none', async () => {
  const { registry, release } = published(fees('99213'))
  const row = JSON.stringify(await registry.cite(release, 0))
  const asked = { question: undefined } as unknown as { question: Question }
  for (const verify of [verifyBody, verifyLookup])
    expect(await verify(row, plain, asked)).toEqual({ ok: false, reason: 'answers_another_question' })
  const page = await pageOf(registry, DAY, [{ release, from: 0, to: 1 }])
  expect(await check(page, { page: undefined } as unknown as Inquiry)).toEqual({
    ok: false,
    reason: 'answers_another_question',
  })
})

test('an empty page proves nothing, and nothing beside it passes for proved', async () => {
  const { registry, release } = published(fees('99213'))
  const empty = await pageOf(registry, DAY, [])
  expect(await check(empty)).toEqual({ ok: false, reason: 'nothing_proved' })
  const { proof, ...bare } = await registry.cite(release, 0)
  expect(proof).toBeDefined()
  expect(await check({ ...bare, ...empty })).toEqual({ ok: false, reason: 'not_recognised' })
  expect(await check({ ...empty, price: { amount: '1.00', currency: 'USD' } })).toEqual({
    ok: false,
    reason: 'not_recognised',
  })
})

test('a true absence beside a price that nobody proved is not recognised', async () => {
  const { registry, release } = published(fees('99211', '99213'))
  const problem = notOnSchedule([await registry.absence(release, '99212|national|')])
  expect(await check({ ...problem, price: { amount: '1.00', currency: 'USD' } })).toMatchObject({ ok: false })
  expect(await check({ ...problem, row: await registry.cite(release, 0) })).toMatchObject({ ok: false })
  expect(await check({ ...problem, data: [] })).toMatchObject({ ok: false })
})

test('a problem must say what its proof says', async () => {
  const { registry, release } = published([...fees('99211'), bundled('99213')])
  const [price, absent] = [await registry.cite(release, 0), await registry.cite(release, 1)]
  expect(await check({ code: 'absent_bundled', row: absent })).toMatchObject({
    ok: true,
    rows: [{ row: { reason: 'bundled' } }],
  })
  expect(await check({ code: 'modifier_not_allowed', row: price })).toMatchObject({ ok: true })
  const contradictions = [
    { code: 'absent_not_covered', row: absent },
    { code: 'not_on_schedule', row: absent },
    { code: 'modifier_not_allowed', row: absent },
    { code: 'absent_bundled', row: price },
    { code: 'absent_undefined', row: price },
  ]
  for (const body of contradictions) expect(await check(body)).toEqual({ ok: false, reason: 'body_contradicts_proof' })
  expect(await check({ row: absent })).toEqual({ ok: false, reason: 'row_malformed' })
})

test('what an edition is proved to have no row of is told, so that its files can be searched for it', async () => {
  const { registry, release } = published([...fees('99211', '99215'), aFee({ cpt: '99213', region: 'US-CA-18' })])
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
  const factor = aRow({ cpt: '00000', kind: 'rate', basis: 'medicare_anesthesia' })
  const { manifest: factors } = registry.publish([factor], { chart: 'cms-anesthesia' })
  expect(await lackingIn({ cpt: '01967', as_of: DAY, basis: 'medicare_anesthesia' })).toEqual([])
  expect(await lackingIn({ cpt: '99213', as_of: DAY, basis: 'medicare_anesthesia' })).toEqual([
    { cpt: '99213', release: factors },
  ])
})

test('with the question at hand, a true answer to another one is refused', async () => {
  const rows = [
    ...fees('99211', '99213'),
    aFee({ cpt: '99213', modifier: '26' }),
    aFee({ cpt: '99213', region: 'US-CA-18' }),
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
      { ok: false, reason: expect.stringMatching(/choice_not_proved|answers_another/) as never },
    ])
  expect(await check(body, ask({ cpt: 'x' }))).toEqual({ ok: false, reason: 'question_malformed' })
  expect(await check(body, { questions: [] })).toEqual({ ok: false, reason: 'answers_another_question' })
  expect(await check(body, { page: { as_of: DAY } })).toEqual({ ok: false, reason: 'answers_another_question' })

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
      { ok: false, reason: 'answers_another_question' },
    ])
})

test('a hospital\u2019s list does not prove that Medicare has no price', async () => {
  const chart = `hospital-mrf:${NPI}`
  const charge = aRow({ cpt: '99211', npi: NPI, basis: 'hospital_cash' })
  const { registry, release } = published([charge], { chart, providers: [NPI] })
  const problem = notOnSchedule([await registry.absence(release, '99213|national|')])
  expect(await check(problem)).toMatchObject({ ok: true })
  expect(await check(problem, ask({}))).toEqual({ ok: false, reason: 'answers_another_question' })
})

test('a prefix that no row could have is absent everywhere, and is refused', async () => {
  const { registry, release } = published(fees('99211', '99213'))
  for (const prefix of [
    '99212|nationwide|',
    '99212x',
    '99213|national||2',
    '99213|national|||medicare_pfs|non',
    '99212',
  ])
    expect(await verifyAbsence(await registry.absence(release, prefix), plain)).toEqual({
      ok: false,
      reason: 'key_prefix_malformed',
    })
  for (const prefix of ['99212|', '99212|US-CA-', '99213|national|||medicare_pfs|facility|', '99212|national||26|'])
    expect(await verifyAbsence(await registry.absence(release, prefix), plain)).toEqual({ ok: true })
  const wide = await registry.absence(release, '99212|')
  for (const narrowed of [
    { ...wide, left: null },
    { ...wide, right: null },
    { ...wide, key_prefix: '99213|' },
    { ...wide, key_prefix: '99211|national|||medicare_pfs|non_facility|' },
    { ...wide, key_prefix: '99214|' },
  ])
    expect(await verifyAbsence(narrowed, plain)).toEqual({ ok: false, reason: 'key_not_enclosed' })
})

test('absences under two checkpoints are not one answer', async () => {
  const { registry, release } = published(fees('99211', '99219'))
  const before = await registry.absence(release, '99213|national|')
  const clfs = registry.publish([aRow({ cpt: '99211' })], { chart: 'cms-clfs' })
  const now = [await registry.absence(release, '99213|national|'), await registry.absence(clfs, '99213|')]
  expect(await check(notOnSchedule(now))).toMatchObject({ ok: true })
  expect(await check(notOnSchedule([before, now[1]]))).toEqual({ ok: false, reason: 'mixed_checkpoints' })
  // A proof of the leaf from an older log, under the newer checkpoint.
  const { log: _, ...aged } = before
  expect(await check(notOnSchedule([{ ...aged, log: await registry.log.prove(2) }]))).toEqual({
    ok: false,
    reason: 'state_not_last',
  })
})

test('a row under a policy with witnesses needs their quorum', async () => {
  const policy = parsePolicy(formatPolicy([signer], [witness])) as TrustPolicy
  const seen = published(fees('99213'), {}, [witness])
  const unseen = published(fees('99213'))
  expect(await verifyRow(await seen.registry.cite(seen.release, 0), policy)).toEqual({ ok: true })
  const row = await unseen.registry.cite(unseen.release, 0)
  expect(await verifyRow(row, policy)).toEqual({ ok: false, reason: 'quorum_not_met' })
  expect(await check(row, ANY, policy)).toEqual({ ok: false, reason: 'quorum_not_met' })
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
    expect([late, await since(late)]).toEqual([late, { ok: false, reason: 'state_too_old' }])
  // A row in force on no day shows no state.
  const lapsed = JSON.stringify(await registry.citePublished(release, 0))
  expect(await verifyBody(lapsed, plain, ANY, { notBefore: RECORDED })).toEqual({ ok: false, reason: 'state_too_old' })
})

test('what was last known is the price of the last edition, and of no other', async () => {
  const { registry, release } = published([aFee({ cpt: '99213' }), aFee({ cpt: '99214', amount: '130.00' })])
  const early = registry.publish([aFee({ cpt: '99213', amount: '80.00', effective_from: '2026-01-01' })], {
    chart: 'cms-pfs',
    edition: '2026A',
    effective_from: '2026-01-01',
    effective_to: '2026-03-31',
  })
  const question = { cpt: '99213', as_of: '2026-10-05', basis: 'medicare_pfs' }
  const { body } = await answerOf(registry, question)
  expect(body).toMatchObject({ code: 'no_edition_for_day' })
  const known = async (from: MemoryRelease, index: number) =>
    check({ ...body, last_known: await registry.cite(from, index) }, { question })
  expect(await known(release, 0)).toMatchObject({ ok: true, decisions: [{ outcome: 'no_edition' }] })
  expect(await known(release, 1)).toEqual({ ok: false, reason: 'answers_another_question' })
  expect(await known(early, 0)).toEqual({ ok: false, reason: 'answers_another_question' })
  // Nor another row of the last edition, though that of the question is proved beside it.
  const because = body['because'] as { releases: unknown[]; rows: unknown[] }
  const in_force = registry.periodProof(registry.standing.periods.findIndex((each) => each.release === release.name))
  const releases = [...because.releases, { release: release.manifest, in_force }]
  const rows = [...because.rows, { release: because.releases.length, ...release.neighbour(0) }]
  const beside = async (index: number) => ({
    ...body,
    because: { ...because, releases, rows },
    last_known: await registry.cite(release, index),
  })
  expect(await check(await beside(0), { question })).toMatchObject({ ok: true })
  expect(await check(await beside(1), { question })).toEqual({ ok: false, reason: 'answers_another_question' })
  const inForce = { ...question, as_of: DAY }
  const now = (await answerOf(registry, { ...inForce, cpt: '99999' })).body
  expect(
    await check({ ...now, last_known: await registry.cite(release, 0) }, { question: { ...inForce, cpt: '99999' } }),
  ).toEqual({
    ok: false,
    reason: 'answers_another_question',
  })
})

test.each([
  ['null', 'null'],
  ['a number', '1'],
  ['a list', '[]'],
])('%s is not recognised', async (_, text) => {
  expect(await verifyBody(text, plain, ANY)).toEqual({ ok: false, reason: 'not_recognised' })
})

test.each([
  ['an empty object', '{}', 'row_malformed'],
  ['a problem without proof', '{"code":"not_on_schedule"}', 'proof_missing'],
  ['a problem with an empty list of proofs', '{"code":"not_on_schedule","absence":[]}', 'proof_missing'],
  ['a problem with members that nobody knows', '{"code":"not_on_schedule","price":1}', 'not_recognised'],
  ['a text that is no JSON', '{', 'json_malformed'],
  ['a member that is there twice', '{"code":"a","code":"b"}', 'json_malformed'],
])('%s proves nothing', async (_, text, reason) => {
  expect(await verifyBody(text, plain, ANY)).toEqual({ ok: false, reason } as never)
})

test('only editions of the day that have prices are told to lack a code', async () => {
  const { registry } = published(fees('99213'))
  registry.publish([aPlace('60611', 'US-IL-16')], { chart: 'zip-locality' })
  const old = registry.publish([aRow({ cpt: '80053', effective_from: '2026-04-01' })], {
    chart: 'cms-clfs',
    effective_from: '2026-04-01',
    effective_to: '2026-06-30',
  })
  const question = { cpt: '99213', region: '60611', as_of: DAY, basis: 'medicare_pfs' }
  const { body } = await answerOf(registry, question)
  const because = body['because'] as { releases: unknown[]; rows: unknown[] }
  const in_force = registry.periodProof(registry.standing.periods.findIndex((each) => each.release === old.name))
  const more = {
    ...because,
    releases: [...because.releases, { release: old.manifest, in_force }],
    rows: [...because.rows, { release: because.releases.length, ...old.neighbour(0) }],
  }
  expect(await check({ ...body, because: more }, { question })).toMatchObject({ ok: true, lacking: [] })
})

test('a page of rows is no history, and is said to lack its proof', async () => {
  const { registry, release } = published(fees('99213'))
  const page = await pageOf(registry, DAY, [{ release, from: 0, to: 1 }])
  expect(await check(page, { history: { cpt: '99213' } })).toEqual({ ok: false, reason: 'proof_missing' })
})

test('an absence that is told without its row is no answer, though the row is proved beside it', async () => {
  const { registry, release } = published([bundled('99213')])
  const { question } = ask({}) as { question: Question }
  const { body } = await answerOf(registry, question)
  expect(await check(body, { question })).toMatchObject({ ok: true })
  const because = {
    releases: [registry.share(release)],
    rows: [{ release: 0, ...release.neighbour(0) }],
    ...{ periods: [], providers: [], state: registry.state, log: await registry.proof() },
  }
  expect(await check({ code: 'absent_bundled', because })).toMatchObject({ ok: true })
  expect(await check({ code: 'absent_bundled', because }, { question })).toEqual({
    ok: false,
    reason: 'answers_another_question',
  })
})

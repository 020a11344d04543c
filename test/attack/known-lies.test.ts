// Lies that were once accepted, or nearly so, each by its name.

import { describe, expect, test } from 'bun:test'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { billOf, pageOf, registryPage, runsOf } from '../../src/proof/list-fixture.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from '../../src/proof/note/policy.ts'
import { type AnyRow, rowKey } from '../../src/proof/price/row.ts'
import { indexOfKey } from '../../src/proof/price/timeline.ts'
import { aFee, aPlace, aRow, MemoryRegistry, type MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { type Fault, type Inquiry, verifyBody } from '../../src/proof/verify-lists.ts'
import { Forgery, reseal } from './forgery.ts'
import { copyOf, type Members, makeKeys } from './lie-world.ts'

const keys = makeKeys()
const policy = parsePolicy(formatPolicy([keys.registry, keys.figures])) as TrustPolicy

const TODAY = '2026-10-15'
const [MERCY, GRACE] = ['1234567893', '1679576722']
const Q1 = { edition: '2026A', effective_from: '2026-01-01', effective_to: '2026-03-31' }
const Q4 = { edition: '2026D', effective_from: '2026-10-01', effective_to: '2026-12-31' }
const NEXT = { edition: '2027A', effective_from: '2027-01-01', effective_to: '2027-03-31' }
const since = (effective_from: string) => (row: AnyRow) => ({ ...row, effective_from })

const fees = (amount: string, from: string): AnyRow[] =>
  [
    aFee({ code: '99213', amount }),
    aFee({ code: '99213', setting: 'facility', amount: '57.45' }),
    aFee({ code: '99213', region: 'US-IL-15', amount: '97.00' }),
    aFee({ code: '99213', region: 'US-IL-16', amount: '98.00' }),
    aFee({ code: '99214', amount: '130.00' }),
    aFee({ code: '99214', region: 'US-IL-16', amount: '133.00' }),
  ].map(since(from))
const charges = (npi: string, cash: string): AnyRow[] =>
  (['hospital_cash', 'hospital_gross'] as const).map((basis, i) =>
    since(Q4.effective_from)(
      aRow({ code: '99213', npi, basis, setting: 'outpatient', amount: i === 0 ? cash : '900.00' }),
    ),
  )

function store() {
  const registry = new MemoryRegistry(keys.registry)
  const january = registry.publish(fees('80.00', Q1.effective_from), { chart: 'cms-pfs', ...Q1 })
  const october = registry.publish(fees('95.19', Q4.effective_from), { chart: 'cms-pfs', ...Q4 })
  const next = registry.publish(fees('110.00', NEXT.effective_from), { chart: 'cms-pfs', ...NEXT })
  const laboratory = registry.publish(
    [aRow({ code: '80053' }), aRow({ code: '36415' })].map(since(Q4.effective_from)),
    {
      chart: 'cms-clfs',
      ...Q4,
    },
  )
  const bundled = aRow({
    code: '80053',
    kind: 'absence',
    basis: 'medicare_opps',
    setting: null,
    derivation: { method: 'opps-status/1', inputs: { status_indicator: 'N' } },
  })
  const outpatient = registry.publish([bundled].map(since(Q4.effective_from)), { chart: 'cms-opps', ...Q4 })
  const zips = [aPlace('60611', 'US-IL-16'), aPlace('60601', 'US-IL-15')].map(since(Q4.effective_from))
  registry.publish(zips, { chart: 'zip-locality', ...Q4 })
  const mercy = registry.publish(charges(MERCY, '145.20'), {
    chart: `hospital-mrf:${MERCY}`,
    ...Q4,
    providers: [MERCY],
  })
  const grace = registry.publish(charges(GRACE, '60.00'), { chart: `hospital-mrf:${GRACE}`, ...Q4, providers: [GRACE] })
  return { registry, january, october, next, laboratory, outpatient, mercy, grace }
}
type Store = ReturnType<typeof store>

const cited = async (registry: MemoryRegistry, release: MemoryRelease, key: string): Promise<Members> => ({
  ...(await registry.cite(release, indexOfKey(release.rows, key, rowKey))),
})

const refusal = async (body: Members, asked: Inquiry, notBefore?: string): Promise<Fault | 'accepted'> => {
  const verdict = await verifyBody(JSON.stringify(body), policy, asked, notBefore === undefined ? {} : { notBefore })
  return verdict.ok ? 'accepted' : verdict.reason
}

/** A true row for a question that it does not answer: by itself, and with all that the honest answers prove. */
const SWAPS: [string, Partial<Question>, (store: Store) => Promise<Members>, Partial<Question>?][] = [
  [
    'a facility fee for a non-facility one',
    { cpt: '99213' },
    ({ registry, october }) => cited(registry, october, '99213|national||medicare_pfs|||facility|'),
    { setting: 'facility' },
  ],
  [
    'gross charges for the cash price',
    { cpt: '99213', npi: MERCY },
    ({ registry, mercy }) => cited(registry, mercy, `99213|national|${MERCY}|hospital_gross|||outpatient|`),
    { basis: 'hospital_gross' },
  ],
  [
    'the edition of January for that of October',
    { cpt: '99213' },
    ({ registry, january }) => cited(registry, january, '99213|national||medicare_pfs|||non_facility|'),
    { as_of: '2026-02-01' },
  ],
  [
    'an edition of 2027 for today',
    { cpt: '99213' },
    ({ registry, next }) => cited(registry, next, '99213|national||medicare_pfs|||non_facility|'),
    { as_of: '2027-02-01' },
  ],
  [
    'one locality for a state that has two',
    { cpt: '99213', region: 'IL' },
    ({ registry, october }) => cited(registry, october, '99213|US-IL-16||medicare_pfs|||non_facility|'),
    { region: 'US-IL-16' },
  ],
  [
    'another code for a question with a ZIP code',
    { cpt: '99213', region: '60611' },
    ({ registry, october }) => cited(registry, october, '99214|US-IL-16||medicare_pfs|||non_facility|'),
    { cpt: '99214' },
  ],
  [
    'the list of another hospital',
    { cpt: '99213', npi: MERCY },
    ({ registry, grace }) => cited(registry, grace, `99213|national|${GRACE}|hospital_cash|||outpatient|`),
    { npi: GRACE },
  ],
  [
    'what the outpatient system bundles for a laboratory price',
    { cpt: '80053', basis: 'medicare_clfs' },
    async ({ registry }) => (await registry.answer({ cpt: '80053', as_of: TODAY, basis: 'medicare_opps' })).body,
    { basis: 'medicare_opps' },
  ],
  [
    'no price for 99213, by the laboratory schedule',
    { cpt: '99213' },
    async ({ registry }) => (await registry.answer({ cpt: '99213', as_of: TODAY, basis: 'medicare_clfs' })).body,
    { basis: 'medicare_clfs' },
  ],
]

describe('a true row that answers another question is refused:', () => {
  test.each(SWAPS)('%s', async (_, given, claim, nearby) => {
    const made = store()
    const question: Question = { cpt: '99213', as_of: TODAY, ...given }
    const alone = await claim(made)
    const answers = await Promise.all(
      [question, { ...question, ...nearby }].map(async (each) => copyOf((await made.registry.answer(each)).body)),
    )
    const withAll = await reseal(copyOf(alone), new Forgery(made.registry), answers)
    for (const body of [alone, withAll])
      expect(['choice_not_proved', 'answers_another_question', 'release_not_in_force']).toContain(
        await refusal(body, { question }),
      )
    // It is the right answer to the other one.
    const other = answers[1] as Members
    expect(await refusal(other, { question: { ...question, ...nearby } })).toBe('accepted')
    expect(await refusal(other, { question })).not.toBe('accepted')
  })
})

test('a row of a withdrawn release, proved anew under the newest head, is no answer', async () => {
  const { registry, october } = store()
  const question: Question = { cpt: '99213', as_of: TODAY, basis: 'medicare_pfs' }
  const before = copyOf((await registry.answer(question)).body)
  registry.withdraw(october)
  const now = (await registry.answer(question)).body
  expect(now).toMatchObject({ code: 'no_edition_for_day' })
  const at = indexOfKey(october.rows, '99213|national||medicare_pfs|||non_facility|', rowKey)
  const lapsed = await registry.cite(october, at)
  expect(await refusal(lapsed, { anyQuestion: true })).toBe('accepted')
  expect(await refusal(lapsed, { question })).toBe('release_not_in_force')
  // With everything that the honest answer proves.
  const beside = async (body: Members) => reseal(copyOf(body), new Forgery(registry), [copyOf(now), copyOf(lapsed)])
  expect(await refusal(await beside(lapsed), { question })).toBe('release_not_in_force')
  const { row: pointer, proof, ...row } = copyOf(lapsed)
  const told = { status: 404, code: 'no_edition_for_day', rule: 'R3', charts: copyOf(now['charts']), proof }
  expect(await refusal(await beside(told), { question })).toBe('accepted')
  const withLast = await beside({ ...told, last_known: { ...row, proof: pointer } })
  expect(await refusal(withLast, { question })).toBe('answers_another_question')
  // The period that it had is in no timeline of today.
  expect(await refusal(await beside(before), { question })).toBe('release_not_in_force')
  const crude = copyOf(before)
  Object.assign(crude['proof'] as Members, { log: await registry.proof(), state: registry.state })
  expect(await refusal(crude, { question })).toBe('period_not_in_timeline')
})

test('the same row in another edition is no proof of this one, and neither is the same place', async () => {
  const registry = new MemoryRegistry(keys.registry)
  const row = since('2026-01-01')(aFee({ code: '99213', region: 'US-IL-16' }))
  const place = since('2026-01-01')(aPlace('60611', 'US-IL-16'))
  const [old] = [Q1, Q4].map((edition) => registry.publish([row], { chart: 'cms-pfs', ...edition }))
  const [oldPlaces] = [Q1, Q4].map((edition) => registry.publish([place], { chart: 'zip-locality', ...edition }))
  const question: Question = { cpt: '99213', as_of: TODAY, region: '60611', basis: 'medicare_pfs' }
  const { body } = await registry.answer(question)
  expect(await refusal(body, { question })).toBe('accepted')
  /** The answer with the same row of another release in place of one of its own. */
  const showing = async (release: MemoryRelease | undefined, member: 'row' | 'place'): Promise<Members> => {
    const other = copyOf(await registry.cite(release as MemoryRelease, 0))
    const told = await reseal(copyOf(body), new Forgery(registry), [other])
    const shown = (member === 'row' ? told : told['place']) as Members
    const pointer = (member === 'row' ? told['row'] : shown['proof']) as { release: number }
    const { releases } = told['proof'] as { releases: { release: { release_id: string }; rows?: unknown }[] }
    const [own, others] = [pointer.release, releases.length - 1]
    pointer.release = others
    // The row stands in the answer, so that it is not among the leaves of its new release but among those of its own.
    const [leaf] = [[0, member === 'row' ? row : place]]
    Object.assign(releases[own] as object, { rows: { leaves: [leaf] } })
    delete (releases[others] as { rows?: unknown }).rows
    expect(releases[others]?.release.release_id).toBe((release as MemoryRelease).manifest.release_id)
    return told
  }
  expect(await refusal(await showing(old, 'row'), { question })).toBe('answers_another_question')
  expect(await refusal(await showing(oldPlaces, 'place'), { question })).toBe('answers_another_question')
})

test('an answer of before a correction is refused by whoever wants a newer view', async () => {
  const { registry } = store()
  registry.now = '2026-10-03T00:00:00Z'
  registry.publish(fees('96.00', Q4.effective_from), { chart: 'cms-pfs', ...Q4, release_id: 'cms-pfs:2026D:2' })
  const question: Question = { cpt: '99213', as_of: TODAY }
  const old = (await store().registry.answer(question)).body
  const now = (await registry.answer(question)).body
  expect(await refusal(old, { question })).toBe('accepted')
  expect(await refusal(old, { question }, registry.now)).toBe('state_too_old')
  expect(await refusal(now, { question }, registry.now)).toBe('accepted')
})

test('an answer under the figures log is refused, though the same policy pins its key', async () => {
  const { registry } = store()
  const figures = new MemoryLog(keys.figures)
  figures.leaves.push(...registry.log.leaves)
  const question: Question = { cpt: '99213', as_of: TODAY }
  const body = copyOf((await registry.answer(question)).body)
  const log = await figures.prove(figures.leaves.length - 1)
  Object.assign(body['proof'] as Members, { log })
  expect(await refusal(body, { question })).toBe('log_of_other_kind')
})

test('a checkpoint that was not opened stands nowhere in a body that is accepted', async () => {
  const { registry } = store()
  const pinned = (await registry.proof()).checkpoint
  registry.append()
  const question: Question = { cpt: '99999', as_of: TODAY, basis: 'medicare_clfs' }
  const problem = (await registry.answer(question)).body
  const page = { as_of: TODAY, cpt: '99213' }
  const list = await registryPage(registry, page)
  const opened = (await registry.proof()).checkpoint
  expect(opened).not.toBe(pinned)
  for (const name of ['errors', 'about', 'detail'])
    for (const hidden of [{ checkpoint: pinned }, [{ log: { checkpoint: pinned } }]])
      expect([name, await refusal({ ...problem, [name]: hidden }, { question })]).toEqual([name, 'mixed_checkpoints'])
  for (const name of ['links', 'page'])
    expect(await refusal({ ...list, [name]: { next: { checkpoint: pinned } } }, { page })).toBe('mixed_checkpoints')
  expect(await refusal({ ...list, as_of: { checkpoint: pinned } }, { page })).toBe('not_recognised')
  // As a mere text it is no checkpoint, and the verdict names the one that was opened.
  const verdict = await verifyBody(JSON.stringify({ ...problem, errors: [pinned] }), policy, { question })
  expect(verdict).toMatchObject({ ok: true, checkpoint: opened })
})

test('a page with a row left out is refused, also where its release is listed twice', async () => {
  const { registry, october } = store()
  const page = { as_of: TODAY, cpt: '99213' }
  const runs = runsOf(registry, page).filter(({ release }) => release === october)
  const [run] = runs
  if (!run) throw new Error('no run')
  const gap = [
    { ...run, to: run.from + 1 },
    { ...run, from: run.from + 2 },
  ]
  const body = copyOf(await pageOf(registry, TODAY, gap))
  expect(await refusal(await pageOf(registry, TODAY, [run]), { page })).toBe('accepted')
  expect(await refusal(body, { page })).toBe('rows_left_out')
  const { releases } = body['proof'] as { releases: unknown[] }
  releases.push(copyOf(releases[0]))
  for (const item of (body['data'] as { proof: Members }[]).slice(1)) item.proof['release'] = 1
  expect(['rows_left_out', 'row_not_in_release', 'repeated_item']).toContain(await refusal(body, { page }))
  const { data, ...rest } = copyOf(await pageOf(registry, TODAY, [run])) as { data: unknown[] }
  for (const i of data.keys())
    expect([i, await refusal({ ...rest, data: data.toSpliced(i, 1) }, { page })]).not.toEqual([i, 'accepted'])
})

describe('a bill', () => {
  const questions: Question[] = [
    { cpt: '99213', as_of: TODAY },
    { cpt: '99214', as_of: TODAY },
    { cpt: '80053', as_of: TODAY, basis: 'medicare_clfs' },
  ]

  test('with lines in another order, too few or too many is refused', async () => {
    const { body } = await billOf(store().registry, questions)
    expect(await refusal(body, { questions })).toBe('accepted')
    const lines = body['results'] as unknown[]
    const others = [
      [lines[1], lines[0], lines[2]],
      lines.slice(0, 2),
      [...lines, lines[2]],
      [lines[0], lines[0], lines[2]],
    ]
    // A line that is gone leaves its row unproved, and with it those of its release.
    for (const results of others)
      expect(['choice_not_proved', 'answers_another_question', 'row_not_in_release']).toContain(
        await refusal({ ...copyOf(body), results }, { questions }),
      )
  })

  test('that tells a price as a refusal, and leaves it out of the total, is refused', async () => {
    const { registry } = store()
    const body = copyOf((await billOf(registry, questions)).body)
    const results = body['results'] as Members[]
    const { status: _, extended: _e, row, ...told } = results[2] as Members
    results[2] = { status: 404, problem: { ...(row as Members), ...told } }
    const { lines, totals } = body['summary'] as { lines: number; totals: { basis: string }[] }
    body['summary'] = { lines, priced: 2, totals: totals.filter(({ basis }) => basis !== 'medicare_clfs') }
    expect(await refusal(body, { questions })).toBe('not_recognised')
  })

  test('whose amounts are not texts, or whose adjustment nobody can follow, is refused and not a fault', async () => {
    const { body } = await billOf(store().registry, [{ cpt: '99213', as_of: TODAY, modifier: '50', billed: '300.00' }])
    expect(await refusal(body, { anyQuestion: true })).toBe('accepted')
    const line = (body['results'] as Members[])[0] as Members
    for (const change of [
      { billed: 300 },
      { billed: 300.25 },
      { billed: ['300.00'] },
      { units: '2' },
      { units: 0 },
      { adjustment: {} },
      { adjustment: 'x' },
      { adjustment: { modifier: {} } },
      { adjustment: { modifier: 'constructor' } },
      { adjustment: { ...(line['adjustment'] as Members), amount: '1.00' }, extended: { amount: '1.00' } },
      { adjustment: null },
    ])
      expect([
        change,
        await refusal({ ...body, results: [{ ...line, ...change }] }, { anyQuestion: true }),
      ]).not.toEqual([change, 'accepted'])
  })
})

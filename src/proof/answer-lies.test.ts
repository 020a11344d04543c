// The lies that a service may try which has no key of the log: it shows what was published, and leaves out, moves or adds
// what it likes.

import { expect, test } from 'bun:test'
import { answerIn, parsed } from './answer-fixture.ts'
import { toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import type { Proof, RowPointer, ShownRow } from './envelope.ts'
import type { VerdictClass } from './fault.ts'
import { aSigner, MemoryLog } from './fixture.ts'
import type { Question } from './lookup/question.ts'
import { formatPolicy } from './note/policy.ts'
import { CHARTS } from './price/charts.ts'
import { prolongedBy } from './price/prolonged.ts'
import { type AnyRow, rowText } from './price/row.ts'
import { MemoryProof } from './proof-fixture.ts'
import { aFee, aPlace, aRow, MemoryRegistry, type MemoryRelease, shortProof } from './registry-fixture.ts'
import type { Members } from './shape.ts'
import { leafHash } from './tree/merkle.ts'
import { parsePolicy, type TrustPolicy, type VerifyOptions, verifyBody } from './verify.ts'

const signer = await aSigner('registry.example/log/registry')
const policy = parsePolicy(formatPolicy([signer])) as TrustPolicy
const JULY = '2026-07-15'
const NPI = '1234567893'
const SECOND = '1679576722'
const SPRING = { edition: '2026B', effective_from: '2026-04-01', effective_to: '2026-06-30' }

const charge = (given: Parameters<typeof aRow>[0]): AnyRow =>
  aRow({
    npi: NPI,
    basis: 'hospital_cash',
    setting: 'outpatient',
    derivation: { method: 'verbatim/1', inputs: { amount: given.amount ?? '10.56' } },
    ...given,
  })

function aRegistry() {
  const registry = new MemoryRegistry(signer)
  const spring = registry.publish([aFee({ code: '99213', effective_from: '2026-04-01', amount: '80.00' })], {
    chart: 'cms-pfs',
    ...SPRING,
  })
  const summer = registry.publish(
    [
      aFee({ code: '99212' }),
      aFee({ code: '99213' }),
      aFee({ code: '99213', setting: 'facility', amount: '57.45' }),
      aFee({ code: '99213', region: 'US-IL-15', amount: '97.00' }),
      aFee({ code: '99213', region: 'US-IL-16', amount: '98.00' }),
      aRow({ code: '99070', kind: 'absence', basis: 'medicare_pfs' }),
      aFee({ code: '99215' }),
    ],
    { chart: 'cms-pfs' },
  )
  const places = registry.publish([aPlace('60610', 'US-IL-16'), aPlace('60611', 'US-IL-16'), aPlace('60701', null)], {
    chart: 'zip-locality',
  })
  const laboratory = registry.publish([aRow({ code: '36415', amount: '8.83' }), aRow({ code: '80053' })], {
    chart: 'cms-clfs',
    ...{ period_by: 'operator', effective_to: '2026-12-31', publisher_until: '2026-09-30' },
  })
  const hospital = registry.publish([charge({ code: '99213', amount: '145.20' })], {
    chart: `hospital-mrf:${NPI}`,
    providers: [NPI],
  })
  registry.publish([charge({ code: '99213', npi: SECOND, amount: '100.00' })], {
    chart: `hospital-mrf:${SECOND}`,
    providers: [SECOND],
  })
  return { registry, spring, summer, places, laboratory, hospital }
}
const world = aRegistry()
type World = typeof world

interface Body extends Members {
  row: RowPointer
  proof: Proof
}
type More = (proof: MemoryProof) => object

const asked = (question: Partial<Question>): Question => ({ cpt: '99213', as_of: JULY, ...question })

/** The honest answer, with more that is shown beside it. */
async function answerWith(question: Question, more: More = () => ({}), registry = world.registry): Promise<Body> {
  const proof = new MemoryProof(registry)
  const { decision, told, main } = answerIn(proof, parsed(question))
  const row =
    decision.outcome === 'price' && main
      ? {
          ...main.release.rows[main.index],
          row: proof.pointer(main.release, main.index),
          ...prolongedBy(main.release.manifest),
        }
      : { status: 404 }
  const beside = more(proof)
  return { ...row, ...told, ...beside, proof: await proof.member() } as unknown as Body
}

async function verdictOn(body: object, question: Question, options: VerifyOptions = {}, trusted = policy) {
  const verdict = await verifyBody(JSON.stringify(body), trusted, { question }, options)
  return verdict.ok ? 'ok' : verdict.class
}

const without = (body: object, ...names: string[]): Members =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
const withProof = (body: Body, change: (proof: Proof) => object): Members => ({ ...body, proof: change(body.proof) })
/** The releases of a proof, with one of them changed. */
const withRelease = (body: Body, at: number, change: (release: NonNullable<Proof['releases']>[number]) => object) =>
  withProof(body, (proof) => ({
    ...proof,
    releases: proof.releases?.map((each, i) => (i === at ? change(each) : each)),
  }))

/** The body with a row that it shows among the leaves of its release too. */
const amongLeaves = (body: Body, { release, index }: RowPointer, { rows: all }: MemoryRelease): Members =>
  withRelease(body, release, ({ release: manifest, rows }) => ({
    release: manifest,
    rows: {
      ...rows,
      leaves: [...(rows?.leaves ?? []), [index, all[index] as AnyRow] as const].sort(([a], [b]) => a - b),
    },
  }))

interface Lie {
  of: string
  question?: Partial<Question>
  /** Members shown beside the honest answer. */
  more?: (world: World) => More
  tell: (body: Body, world: World) => object
  gets: VerdictClass
}

const CHANGED: Lie[] = [
  {
    of: 'another amount',
    tell: (b) => ({ ...b, price: { amount: '1.00', currency: 'USD', per: null } }),
    gets: 'not_in_release',
  },
  {
    of: 'another amount with its own leaf hash',
    tell: (b) => {
      const price = { amount: '1.00', currency: 'USD', per: null }
      const row = { ...without(b, 'row', 'proof'), price } as unknown as AnyRow
      return { ...b, price, row: { ...b.row, leaf_hash: toBase64(leafHash(utf8(rowText(row)))) } }
    },
    gets: 'not_in_release',
  },
  { of: 'no proof', tell: (b) => without(b, 'proof'), gets: 'nothing_proved' },
  {
    of: 'a reference for its proof',
    tell: (b) => ({ ...b, proof: { type: 'agent-trust-registry/proof-ref@v3', href: '/x' } }),
    gets: 'malformed',
  },
  { of: 'no pointer', tell: (b) => without(b, 'row'), gets: 'nothing_proved' },
  { of: 'a member that no row has', tell: (b) => ({ ...b, note: 'x' }), gets: 'malformed' },
  { of: 'a member of a row left out', tell: (b) => without(b, 'payer'), gets: 'malformed' },
  {
    of: 'a refusal with a member that none has',
    question: { cpt: '99070' },
    tell: (b) => ({ ...b, price: '1.00' }),
    gets: 'malformed',
  },
  {
    of: 'a proof with a member that none has',
    tell: (b) => withProof(b, (p) => ({ ...p, note: 'x' })),
    gets: 'malformed',
  },
  {
    of: 'a log with one',
    tell: (b) => withProof(b, (p) => ({ ...p, log: { ...p.log, note: 'x' } })),
    gets: 'malformed',
  },
  {
    of: 'a state with one',
    tell: (b) => withProof(b, (p) => ({ ...p, state: { ...p.state, note: 'x' } })),
    gets: 'malformed',
  },
  { of: 'a pointer with one', tell: (b) => ({ ...b, row: { ...b.row, note: 'x' } }), gets: 'malformed' },
  { of: 'a release with one', tell: (b) => withRelease(b, 0, (r) => ({ ...r, note: 'x' })), gets: 'malformed' },
]

const EMPTY: Lie[] = [
  ...['timeline', 'providers', 'entries', 'releases'].flatMap((name): Lie[] =>
    [{}, [], null].map((none) => ({
      of: `${name} ${JSON.stringify(none)}`,
      tell: (b) => withProof(b, (p) => ({ ...p, [name]: none })),
      gets: 'malformed',
    })),
  ),
  ...[{}, null, { leaves: [] }, { hashes: [] }, { leaves: null }].map(
    (rows): Lie => ({
      of: `rows ${JSON.stringify(rows)}`,
      tell: (b) => withRelease(b, 0, (r) => ({ ...r, rows })),
      gets: 'malformed',
    }),
  ),
  {
    of: 'an empty path',
    tell: (b) => withProof(b, (p) => ({ ...p, log: { ...p.log, inclusion: [] } })),
    gets: 'malformed',
  },
  ...(['modifiers_ignored', 'adjustment', 'place', 'prolonged'] as const).map(
    (name): Lie => ({
      of: `${name} null`,
      tell: (b) => ({ ...b, [name]: null }),
      gets: name === 'modifiers_ignored' || name === 'place' ? 'malformed' : 'not_the_answer',
    }),
  ),
  {
    of: 'hashes of a tree without a leaf',
    tell: (b) => withProof(b, (p) => ({ ...p, providers: { hashes: [b.proof.state.providers_root] } })),
    gets: 'malformed',
  },
]

const POINTERS: Lie[] = [
  {
    of: 'a pointer to the next row',
    tell: (b) => ({ ...b, row: { ...b.row, index: b.row.index + 1 } }),
    gets: 'not_in_release',
  },
  {
    of: 'a pointer to a release that is not there',
    tell: (b) => ({ ...b, row: { ...b.row, release: 9 } }),
    gets: 'malformed',
  },
  {
    of: 'a pointer to another release',
    more:
      ({ laboratory }) =>
      (proof) => ({ about: { other: proof.release(laboratory) } }),
    tell: (b) => ({ ...b, row: { ...b.row, release: 1 } }),
    gets: 'not_in_release',
  },
  {
    of: 'the leaf hash of another row',
    tell: (b, { summer }) => ({ ...b, row: { ...b.row, leaf_hash: summer.leafHash(0) } }),
    gets: 'not_in_release',
  },
  {
    of: 'a row among the leaves that is shown too',
    tell: (b, { summer }) => amongLeaves(b, b.row, summer),
    gets: 'not_in_release',
  },
  {
    of: 'a release that stands there twice',
    tell: (b) =>
      withProof(b, (p) => ({ ...p, releases: [...(p.releases ?? []), { release: p.releases?.[0]?.release }] })),
    gets: 'malformed',
  },
  {
    of: 'a leaf at another place',
    tell: (b) =>
      withRelease(b, 0, ({ release, rows }) => ({
        release,
        rows: { ...rows, leaves: rows?.leaves?.map(([i, leaf], at) => [at === 0 ? i - 1 : i, leaf]) },
      })),
    question: { cpt: '99214', basis: 'medicare_pfs' },
    gets: 'not_in_release',
  },
  {
    of: 'leaves that fall',
    tell: (b) =>
      withRelease(b, 0, ({ release, rows }) => ({ release, rows: { ...rows, leaves: rows?.leaves?.toReversed() } })),
    question: { cpt: '99214', basis: 'medicare_pfs' },
    gets: 'malformed',
  },
  {
    of: 'hashes in another order',
    tell: (b) =>
      withRelease(b, 0, ({ release, rows }) => ({ release, rows: { ...rows, hashes: rows?.hashes?.toReversed() } })),
    question: { cpt: '99212' },
    gets: 'not_in_release',
  },
  {
    of: 'a hash too many',
    tell: (b) =>
      withRelease(b, 0, ({ release, rows }) => ({
        release,
        rows: { ...rows, hashes: [...(rows?.hashes ?? []), toBase64(new Uint8Array(32))] },
      })),
    gets: 'not_in_release',
  },
]

const VIEWS: Lie[] = [
  {
    of: 'a second checkpoint in what is not proved',
    tell: (b) => ({ ...b, about: { checkpoint: 'x' } }),
    gets: 'malformed',
  },
  {
    of: 'a second checkpoint, deep inside',
    tell: (b) => ({ ...b, about: { related: [{ deep: { checkpoint: 'x' } }] } }),
    gets: 'malformed',
  },
  {
    of: 'a state of its own making',
    tell: (b) => withProof(b, (p) => ({ ...p, state: { ...p.state, timeline_size: 2 } })),
    gets: 'not_in_log',
  },
  {
    of: 'a state with other tables',
    tell: (b) => withProof(b, (p) => ({ ...p, state: { ...p.state, tables: '0'.repeat(64) } })),
    gets: 'not_in_log',
  },
  {
    of: 'another place in the log',
    tell: (b) => withProof(b, (p) => ({ ...p, log: { ...p.log, index: p.log.index - 1 } })),
    gets: 'not_in_log',
  },
  {
    of: 'a longer period',
    tell: (b) =>
      withProof(b, (p) => ({
        ...p,
        timeline: { ...p.timeline, leaves: p.timeline?.leaves?.map(([i, each]) => [i, { ...each, to: '2026-12-31' }]) },
      })),
    gets: 'not_in_force',
  },
  {
    of: 'a manifest that was changed',
    tell: (b) =>
      withRelease(b, 0, ({ release, ...more }) => ({ ...more, release: { ...release, data_class: 'published' } })),
    gets: 'not_in_force',
  },
  {
    of: 'a release whose period is not shown',
    tell: (b) => withProof(b, (p) => without(p, 'timeline')),
    gets: 'not_in_force',
  },
  {
    of: 'another hospital for the provider',
    question: { npi: NPI },
    tell: (b) =>
      withProof(b, (p) => ({
        ...p,
        providers: {
          ...p.providers,
          leaves: p.providers?.leaves?.map(([i, each]) => [i, { ...each, chart: `hospital-mrf:${SECOND}` }]),
        },
      })),
    gets: 'not_in_force',
  },
  {
    of: 'no provider',
    question: { npi: NPI },
    tell: (b) => withProof(b, (p) => without(p, 'providers')),
    gets: 'incomplete',
  },
]

const CHOICES: Lie[] = [
  {
    of: 'a refusal in place of a price',
    tell: (b, { summer }) => ({
      status: 404,
      code: 'not_on_schedule',
      rule: 'R10',
      proof: amongLeaves(b, b.row, summer)['proof'],
    }),
    gets: 'not_the_answer',
  },
  {
    of: 'a modifier that is left out of those ignored',
    question: { modifier: '25-59' },
    tell: (b) => ({ ...b, modifiers_ignored: ['25'] }),
    gets: 'not_the_answer',
  },
  {
    of: 'no word of ignored modifiers',
    question: { modifier: '25-59' },
    tell: (b) => without(b, 'modifiers_ignored'),
    gets: 'not_the_answer',
  },
  {
    of: 'ignored modifiers in another order',
    question: { modifier: '25-59' },
    tell: (b) => ({ ...b, modifiers_ignored: ['59', '25'] }),
    gets: 'malformed',
  },
  {
    of: 'an ignored modifier that nobody asked about',
    tell: (b) => ({ ...b, modifiers_ignored: ['25'] }),
    gets: 'not_the_answer',
  },
  {
    of: 'another adjusted amount',
    question: { modifier: '50' },
    tell: (b) => ({ ...b, adjustment: { ...(b['adjustment'] as object), amount: '1.00' } }),
    gets: 'not_the_answer',
  },
  { of: 'no adjustment', question: { modifier: '50' }, tell: (b) => without(b, 'adjustment'), gets: 'not_the_answer' },
  {
    of: 'an adjustment that nobody asked for',
    tell: (b) => ({ ...b, adjustment: { modifier: '50', rule: 'bilateral/1', factor: '1.500', amount: '142.79' } }),
    gets: 'not_the_answer',
  },
  {
    of: 'another rule',
    question: { cpt: '99214', basis: 'medicare_pfs' },
    tell: (b) => ({ ...b, rule: 'R9' }),
    gets: 'not_the_answer',
  },
  {
    of: 'no rule',
    question: { cpt: '99214', basis: 'medicare_pfs' },
    tell: (b) => without(b, 'rule'),
    gets: 'malformed',
  },
  {
    of: 'another code',
    question: { cpt: '99214', basis: 'medicare_pfs' },
    tell: (b) => ({ ...b, code: 'unknown_zip', rule: 'R1' }),
    gets: 'not_the_answer',
  },
  {
    of: 'another reason for no price',
    question: { cpt: '99070' },
    tell: (b) => ({ ...b, code: 'absent_not_covered' }),
    gets: 'not_the_answer',
  },
  { of: 'no code', question: { cpt: '99070' }, tell: (b) => without(b, 'code'), gets: 'malformed' },
  {
    of: 'charts with other periods',
    question: { as_of: '2026-10-05', basis: 'medicare_pfs' },
    tell: (b) => ({ ...b, charts: [{ chart: 'cms-pfs', held: [{ from: '2026-04-01', to: '2026-06-30' }] }] }),
    gets: 'not_the_answer',
  },
  {
    of: 'charts that are left out',
    question: { as_of: '2026-10-05', basis: 'medicare_pfs' },
    tell: (b) => without(b, 'charts'),
    gets: 'not_the_answer',
  },
  {
    of: 'a chart too many',
    question: { as_of: '2026-10-05', basis: 'medicare_pfs' },
    tell: (b) => ({ ...b, charts: [...(b['charts'] as object[]), { chart: 'cms-asp', held: [] }] }),
    gets: 'not_the_answer',
  },
  {
    of: 'charts beside a decision that names none',
    question: { cpt: '99214', basis: 'medicare_pfs' },
    tell: (b) => ({ ...b, charts: [] }),
    gets: 'malformed',
  },
  {
    of: 'a place that nobody looked at',
    question: { region: 'US-IL-16' },
    more:
      ({ places }) =>
      (proof) => ({ place: proof.show(places, 1) }),
    tell: (b) => b,
    gets: 'not_the_answer',
  },
  {
    of: 'another place',
    question: { region: '60611' },
    more:
      ({ places }) =>
      (proof) => ({ place: proof.show(places, 0) }),
    tell: (b) => b,
    gets: 'not_in_release',
  },
  {
    of: 'no place',
    question: { region: '60611' },
    tell: (b, { places }) => without(amongLeaves(b, (b['place'] as ShownRow).proof, places), 'place'),
    gets: 'not_the_answer',
  },
  {
    of: 'no word of a prolonged edition',
    question: { cpt: '80053', basis: 'medicare_clfs' },
    tell: (b) => without(b, 'prolonged'),
    gets: 'not_the_answer',
  },
  {
    of: 'another end of a prolonged edition',
    question: { cpt: '80053', basis: 'medicare_clfs' },
    tell: (b) => ({ ...b, prolonged: { publisher_until: '2026-12-31' } }),
    gets: 'not_the_answer',
  },
  {
    of: 'a prolonged edition that is none',
    tell: (b) => ({ ...b, prolonged: { publisher_until: '2026-08-31' } }),
    gets: 'not_the_answer',
  },
  {
    of: 'a prolonged place',
    question: { region: '60611' },
    tell: (b) => ({ ...b, place: { ...(b['place'] as object), prolonged: { publisher_until: '2026-08-31' } } }),
    gets: 'not_the_answer',
  },
]

for (const lies of [CHANGED, EMPTY, POINTERS, VIEWS, CHOICES])
  test.each(lies.map((lie): [string, Lie] => [lie.of, lie]))(
    '%s is refused',
    async (_, { question = {}, more, tell, gets }) => {
      const honest = asked(question)
      expect(await verdictOn(await answerWith(honest), honest)).toBe('ok')
      const body = await answerWith(honest, more?.(world))
      expect(await verdictOn(tell(body, world), honest)).toBe(gets)
    },
  )

/** A body of the members and rows that a liar likes. */
async function composed(registry: MemoryRegistry, show: (proof: MemoryProof) => object): Promise<object> {
  const proof = new MemoryProof(registry)
  const body = show(proof)
  return { ...body, proof: await proof.member() }
}
const asAnswer = (proof: MemoryProof, release: MemoryRelease, index: number) => ({
  ...release.rows[index],
  row: proof.pointer(release, index),
  ...prolongedBy(release.manifest),
})

test('a row of another edition, place, setting or provider is not the answer, whatever else is shown', async () => {
  const { registry, spring, summer, hospital } = world
  const honest = asked({})
  const [index, facility, elsewhere] = [{}, { setting: 'facility' }, { region: 'US-IL-16' }].map((like) =>
    summer.rows.findIndex((row) =>
      Bun.deepMatch({ code: '99213', region: 'national', setting: 'non_facility', ...like }, row),
    ),
  ) as [number, number, number]
  expect(await verdictOn(await composed(registry, (proof) => asAnswer(proof, summer, index)), honest)).toBe(
    'incomplete',
  )
  for (const [release, row] of [
    [spring, 0],
    [hospital, 0],
    [summer, facility],
    [summer, elsewhere],
  ] as const) {
    const alone = await composed(registry, (proof) => asAnswer(proof, release, row))
    expect(await verdictOn(alone, honest)).toBe('incomplete')
    const beside = await composed(registry, (proof) => {
      answerIn(proof, parsed(honest))
      proof.addRows(summer, [index])
      return asAnswer(proof, release, row)
    })
    expect(await verdictOn(beside, honest)).toBe('not_the_answer')
  }
})

test('the answer of another day is none, and one day of the edition is as good as another', async () => {
  const body = await answerWith(asked({}))
  expect(await verdictOn(body, asked({ as_of: '2026-07-01' }))).toBe('ok')
  expect(await verdictOn(body, asked({ as_of: '2026-09-30' }))).toBe('ok')
  for (const as_of of ['2026-06-30', '2026-10-01', '2025-07-15'])
    expect([as_of, await verdictOn(body, asked({ as_of }))]).toEqual([as_of, 'incomplete'])
  expect(await verdictOn(body, asked({ as_of: '2026-02-30' }))).toBe('not_the_answer')
})

test('a state that is not the last, of another log or of another time is refused', async () => {
  const registry = world.registry.snapshot()
  const old = await answerWith(asked({}), undefined, registry)
  const oldState = registry.state
  const oldIndex = registry.log.leaves.length - 1
  registry.now = '2026-11-01T00:00:00Z'
  registry.append()
  // The old answer is true of its time.
  expect(await verdictOn(old, asked({}))).toBe('ok')
  expect(await verdictOn(old, asked({}), { notBefore: '2026-11-01T00:00:00Z' })).toBe('stale')
  expect(await verdictOn(old, asked({}), { notAfter: '2026-01-01T00:00:00Z' })).toBe('stale')
  const log = shortProof(await registry.log.prove(oldIndex))
  expect(
    await verdictOn(
      withProof(old, (p) => ({ ...p, log, state: oldState })),
      asked({}),
    ),
  ).toBe('stale')
  const now = await answerWith(asked({}), undefined, registry)
  expect(
    await verdictOn(
      withProof(now, (p) => ({ ...p, state: oldState })),
      asked({}),
    ),
  ).toBe('not_in_log')
  expect(
    await verdictOn(
      withProof(old, (p) => ({ ...p, log: now.proof.log })),
      asked({}),
    ),
  ).toBe('not_in_log')
  const stranger = await aSigner('other.example/log/registry')
  const others = parsePolicy(formatPolicy([stranger])) as TrustPolicy
  expect(await verdictOn(old, asked({}), {}, others)).toBe('wrong_key')
  const figures = await aSigner('registry.example/log/figures')
  const ofFigures = new MemoryRegistry(figures)
  ofFigures.publish([aFee({ code: '99213' })], { chart: 'cms-pfs' })
  const pinned = parsePolicy(formatPolicy([figures])) as TrustPolicy
  expect(await verdictOn(await answerWith(asked({}), undefined, ofFigures), asked({}), {}, pinned)).toBe('not_in_log')
})

/** The body under a state that the operator has signed with other members. */
async function underState(body: Body, change: object): Promise<Members> {
  const state = { ...body.proof.state, ...change }
  const log = shortProof(await new MemoryLog(signer).append(utf8(canonical(state))).prove(0))
  return withProof(body, (proof) => ({ ...proof, state, log }))
}

test('a registry with other tables is not guessed at, unless its charts are given', async () => {
  const body = await answerWith(asked({}))
  expect(await verdictOn(await underState(body, {}), asked({}))).toBe('ok')
  const foreign = await underState(body, { tables: 'ab'.repeat(32) })
  expect(await verdictOn(foreign, asked({}))).toBe('tables_differ')
  expect(await verdictOn(foreign, asked({}), { charts: CHARTS })).toBe('ok')
})

test('an amount that does not follow from its inputs is refused, though the operator signed it', async () => {
  const registry = new MemoryRegistry(signer)
  const wrong = { price: { amount: '95.20', currency: 'USD', per: null } }
  registry.publish([aFee({ code: '99213', ...wrong }), aFee({ code: '99214' })], { chart: 'cms-pfs' })
  expect(await verdictOn(await answerWith(asked({}), undefined, registry), asked({}))).toBe('arithmetic')
  const other = asked({ cpt: '99214' })
  expect(await verdictOn(await answerWith(other, undefined, registry), other)).toBe('ok')
})

test('the price last known is the answer on the last day of the last edition, and of no other', async () => {
  const { spring, summer } = world
  const over = asked({ as_of: '2026-10-05', basis: 'medicare_pfs' })
  const at = (code: string, region: string): number =>
    summer.rows.findIndex(
      (row) => row.kind === 'price' && row.code === code && row.region === region && row.setting === 'non_facility',
    )
  const known = async (release: MemoryRelease, index: number, day: string, question = over) => {
    const body = await answerWith(question, (proof) => {
      if (day !== '') answerIn(proof, { ...parsed(question), day })
      return { last_known: proof.show(release, index) }
    })
    return verdictOn(body, question)
  }
  const answer = at('99213', 'national')
  expect(await known(summer, answer, '2026-09-30')).toBe('ok')
  // Without the lists of that day nothing says that it was the answer then.
  expect(await known(summer, answer, '')).toBe('not_the_answer')
  expect(await known(summer, at('99215', 'national'), '2026-09-30')).toBe('not_the_answer')
  expect(await known(summer, at('99213', 'US-IL-16'), '2026-09-30')).toBe('not_the_answer')
  expect(await known(spring, 0, '2026-06-30')).toBe('not_the_answer')
  // Nor beside a price, or where the edition is not over.
  expect(await known(summer, answer, '2026-07-15', asked({}))).toBe('malformed')
  expect(await known(summer, answer, '2026-07-15', asked({ cpt: '99214', basis: 'medicare_pfs' }))).toBe(
    'not_the_answer',
  )
  expect(await known(spring, 0, '2026-06-30', asked({ cpt: '99214', basis: 'medicare_pfs' }))).toBe('not_the_answer')
})

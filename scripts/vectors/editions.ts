// The same row in two editions, what was last known, and what is shown beside an answer where its order matters.

import { toBase64 } from '../../src/proof/bytes.ts'
import type { Because, CitedRow } from '../../src/proof/price/proofs.ts'
import { rowKey } from '../../src/proof/price/row.ts'
import { leafOf } from '../../src/proof/price/timeline.ts'
import { aFee, aPlace, aRow, MemoryRegistry, type MemoryRelease } from '../../src/proof/registry-fixture.ts'
import { HashTree } from '../../src/proof/tree/hash-tree.ts'
import { ask, type Body, bad, good } from './body.ts'
import { Forged } from './forgeries.ts'
import { evidenceOf, joined } from './joined.ts'
import { registry } from './keys.ts'
import { honest, parsed } from './lookups.ts'
import { chartOf, NPI, older, pfs, sizeBefore, stateBefore, stated, withdrawn, world } from './registry.ts'
import { at, cite } from './swaps.ts'

const OTHER = 'answers_another_question'
const OCTOBER = 'as_of=2026-10-05'

/** Two editions of the places with one row in both; two files that state one and the same price of a hospital. */
const editions = new MemoryRegistry(registry)
const lasting = { effective_from: '2026-04-01' }
const spring = { edition: '2026B', effective_from: '2026-04-01', effective_to: '2026-06-30' }
const summer = { effective_to: '2026-08-31' }
const [place, shared] = [
  { ...aPlace('60611', 'US-IL-16'), ...lasting },
  stated(NPI.MOVED, '99213', 'hospital_cash', '111.00'),
]
const oldPlaces = editions.publish([place], { chart: 'zip-locality', ...spring })
const newPlaces = editions.publish([place], { chart: 'zip-locality' })
editions.publish([aFee({ cpt: '99213', region: 'US-IL-16', amount: '98.00' })], { chart: 'cms-pfs', ...summer })
editions.publish(
  ['15', '16'].map((locality) => aFee({ cpt: '80053', region: `US-IL-${locality}`, effective_from: '2026-09-01' })),
  { chart: 'cms-pfs', edition: '2026D', effective_from: '2026-09-01' },
)
const lab = editions.publish([aRow({ cpt: '80053' })], { chart: 'cms-clfs', ...summer })
// Its period comes after those of the laboratory schedule, and nobody asks about it.
editions.publish([], { chart: 'cms-dmepos' })
const [fileA, fileB] = [NPI.A, NPI.B].map((npi) =>
  editions.publish([shared], { chart: chartOf(npi), providers: [npi, NPI.MOVED], ...summer }),
) as [MemoryRelease, MemoryRelease]
editions.move(NPI.MOVED, chartOf(NPI.B))

const zip = await honest({ region: '60611' }, editions)
const placeOf = (release: MemoryRelease) => editions.cite(release, 0)
const placed = {
  ...zip,
  because: joined(
    await evidenceOf(editions, zip),
    await evidenceOf(editions, {
      code: '',
      row: await placeOf(oldPlaces),
    }),
  ),
}
const ZIP = { asked: ask({ region: '60611' }) }
const places: Body[] = [
  good('the place of the edition of the day', { ...placed, place: await placeOf(newPlaces) }, { rows: 1 }, ZIP),
  bad('the same place of an older edition', { ...placed, place: await placeOf(oldPlaces) }, OTHER, ZIP),
]

/** A refusal on a day, on all that it and the answer of an earlier day show, with a row as what was last known. */
async function known(text: string, day: string, last: CitedRow, of = world): Promise<Record<string, unknown>> {
  const question = parsed(text)
  const refusal = await honest(question, of)
  const then = await honest({ ...question, as_of: day }, of)
  const because = joined(await evidenceOf(of, refusal), await evidenceOf(of, then))
  return {
    code: refusal['code'],
    ...(refusal['charts'] ? { charts: refusal['charts'] } : {}),
    because,
    last_known: last,
  }
}
const asking = (text: string) => ({ asked: ask(parsed(text)) })
const END = '2026-09-30'
const FEE = '99213|national|||medicare_pfs|non_facility|'
const FACILITY = '99285|national|||medicare_pfs|facility|'

const emergency = await known(`cpt=99285&${OCTOBER}`, END, await cite(pfs, FACILITY))
const { because: ofEmergency } = emergency as { because: Because }
const isOf = (code: string) => (each: Because['rows'][0]) => rowKey(each.row).startsWith(code)
const begun = (await honest({ cpt: '99214' })) as { because: Because }
const allPeriods = world.standing.periods.map((_, index) => world.periodProof(index))

const AMBIGUOUS = 'cpt=80053&region=IL&as_of=2026-09-15'
const ambiguous = await known(AMBIGUOUS, '2026-08-31', await editions.cite(lab, 0), editions)
const { because: ofAmbiguous } = ambiguous as { because: Because }
const periods = editions.standing.periods.map((_, index) => editions.periodProof(index))
const MOVED = 'npi=MOVED&as_of=2026-09-15'
const moved = async (release: MemoryRelease) => {
  const body = await known(MOVED, '2026-08-31', await editions.cite(release, 0), editions)
  return { ...body, because: { ...(body['because'] as Because), periods } }
}

const lastKnown: Body[] = [
  good('what was last known, where another setting comes first', emergency, {}, asking(`cpt=99285&${OCTOBER}`)),
  bad(
    'what was last known, and the setting before it is not shown',
    { ...emergency, because: { ...ofEmergency, rows: ofEmergency.rows.filter((each) => !isOf('99285|')(each)) } },
    OTHER,
    asking(`cpt=99285&${OCTOBER}`),
  ),
  bad(
    'what was last known, as published only',
    await known(OCTOBER, END, await world.citePublished(pfs, at(pfs, FEE))),
    OTHER,
    asking(OCTOBER),
  ),
  bad(
    'what will be known on the last day of a period that has not ended',
    { ...begun, because: { ...begun.because, periods: allPeriods }, last_known: await cite(pfs, '99214|') },
    OTHER,
    asking('cpt=99214'),
  ),
  good(
    'the same row of the last edition as what was last known',
    await known(`cpt=99211&${OCTOBER}`, END, await cite(pfs, '99211|')),
    {},
    asking(`cpt=99211&${OCTOBER}`),
  ),
  bad(
    'the same row of an older edition as what was last known',
    await known(`cpt=99211&${OCTOBER}`, '2026-06-30', await cite(older, '99211|')),
    OTHER,
    asking(`cpt=99211&${OCTOBER}`),
  ),
  good(
    'what was last known of a chart that the refusal does not ask',
    { ...ambiguous, because: { ...ofAmbiguous, periods } },
    {},
    asking(AMBIGUOUS),
  ),
  bad('what was last known, and a later period is not ruled out', ambiguous, OTHER, asking(AMBIGUOUS)),
  good('what was last known of a hospital', await moved(fileB), {}, asking(MOVED)),
  bad('the same row of a file that a hospital moved away from', await moved(fileA), OTHER, asking(MOVED)),
]

/** An operator who names two files for one hospital. */
const torn = new Forged(registry)
const files = [NPI.A, NPI.B].map((npi, i) =>
  torn.publish([stated(NPI.MOVED, '99213', 'hospital_cash', `${i + 1}11.00`)], {
    chart: chartOf(npi),
    providers: [NPI.MOVED],
  }),
) as [MemoryRelease, MemoryRelease]
torn.forge(({ periods }) => ({
  periods,
  providers: [NPI.A, NPI.B].map((npi) => ({ npi: NPI.MOVED, chart: chartOf(npi) })),
}))
const leaves = new HashTree(torn.standing.providers.map(leafOf))
const named = torn.standing.providers.map((provider, index) => ({
  provider,
  index,
  path: leaves.path(index).map(toBase64),
}))
const tornBody = async (own: 0 | 1, providers: typeof named) => {
  const other = files[own === 0 ? 1 : 0]
  const rows = [{ release: 0, ...other.neighbour(0) }]
  return {
    ...(await torn.cite(files[own], 0)),
    because: { releases: [torn.share(other)], rows, periods: [], providers },
  }
}
const TWICE = 'leaves_contradict'
const OF_MOVED = { asked: ask({ npi: NPI.MOVED }) }
const providers: Body[] = [
  bad('two files for one hospital, the first shown first', await tornBody(0, named), TWICE, OF_MOVED),
  bad('two files for one hospital, the second shown first', await tornBody(1, named.toReversed()), TWICE, OF_MOVED),
  good('two files for one hospital, one shown', await tornBody(0, named.slice(0, 1)), { rows: 1 }, OF_MOVED),
]

const nothing = { releases: [], rows: [], periods: [], providers: [] }
const published = await world.citePublished(withdrawn, 0)
const earlier = { state: stateBefore, log: await world.log.prove(sizeBefore - 1, sizeBefore) }
const now = { state: world.state, log: await world.proof() }
const fee = await honest({})
const states: Body[] = [
  good('a state after a row that was only published', { ...published, because: { ...nothing, ...now } }, { rows: 1 }),
  bad(
    'a state under another checkpoint after a row that was only published',
    { ...published, because: { ...nothing, ...earlier } },
    'mixed_checkpoints',
  ),
  bad(
    'a state under another checkpoint after a row that was only published, for a question',
    { ...published, because: { ...nothing, ...earlier } },
    'mixed_checkpoints',
    { asked: ask({ cpt: '71046', setting: 'outpatient' }) },
  ),
  bad(
    'nothing shown, and no state, after a row that was only published',
    { ...published, because: nothing },
    'proof_missing',
  ),
  bad(
    'a row that was only published, under another checkpoint than the state',
    {
      ...(await honest({ cpt: '12345' })),
      last_known: {
        ...published,
        proof: { ...published.proof, log: await world.log.prove(published.proof.log.index, sizeBefore) },
      },
    },
    'mixed_checkpoints',
  ),
  good(
    'the state once more, with its log',
    { ...fee, because: { ...nothing, ...now } },
    { rows: 1 },
    { asked: ask({}) },
  ),
  bad('the state once more, without its log', { ...fee, because: { ...nothing, state: now.state } }, 'proof_malformed'),
  bad('the log once more, without its state', { ...fee, because: { ...nothing, log: now.log } }, 'proof_malformed'),
  bad('an earlier state after the last one', { ...fee, because: { ...nothing, ...earlier } }, 'mixed_checkpoints'),
]

export const sameRows: Body[] = [...places, ...lastKnown, ...providers, ...states]

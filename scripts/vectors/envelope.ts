// One answer and its proof: the form of every member, each class of verdict from each of its causes, and logs whose own
// operator lies.

import { answerIn, parsed } from '../../src/proof/answer-fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import type { Period } from '../../src/proof/price/release.ts'
import type { AnyRow, Row } from '../../src/proof/price/row.ts'
import { MemoryProof } from '../../src/proof/proof-fixture.ts'
import { aFee, aPlace, aRow, MemoryRegistry, type MemoryRelease, shortProof } from '../../src/proof/registry-fixture.ts'
import type { VectorOf } from '../../test/support/vector.ts'
import { figures, registry as signer, stranger, w1 } from '../../test/support/vector-keys.ts'
import { changed, flipped, type Members, membersIn, replaced, respelled } from './operators.ts'
import { all, type Line, named, tableOf, vectorsOf } from './table.ts'
import { asked, DAY, NPI, only, POLICY, registry, releaseOf, signing, small } from './world.ts'

type Body = Record<string, unknown>
interface Case {
  body: string
  asked?: object
  policy?: string
}
const ONE = { rows: 1, entries: 0, refused: 0 }
const NONE = { ...ONE, rows: 0 }

const bodyOf = async (question: string, of = registry): Promise<Body> => (await of.answer(asked(question))).body
const QUESTIONS: Record<string, string> = {
  HOSPITAL: `99217 npi=${NPI} basis=hospital_cash`,
  PLACED: 'A4253 region=59001 basis=medicare_dmepos',
  PROLONGED: 'J0881 basis=medicare_asp',
  ABSENT: '99070 basis=medicare_pfs',
  BARRED: '36415 modifier=50',
  ADJUSTED: '36415 modifier=59',
  HALVED: '10021 modifier=50 setting=non_facility basis=medicare_pfs',
  OVER: '99213 as_of=2026-10-01 basis=medicare_pfs',
  FACTOR: '00810 basis=medicare_anesthesia',
  TINY: '00810 basis=medicare_anesthesia',
}
const SMALL = ['HOSPITAL', 'ABSENT', 'BARRED', 'ADJUSTED', 'HALVED']
const BODIES: Record<string, Body> = Object.fromEntries(
  await Promise.all(
    Object.entries(QUESTIONS).map(async ([name, question]) => [
      name,
      await bodyOf(question, SMALL.includes(name) ? small : registry),
    ]),
  ),
)

/** A refusal with the price last known, which the same proof shows for its own day. */
async function withLastKnown(day: string, row?: number): Promise<Body> {
  const proof = new MemoryProof(registry)
  const { told } = answerIn(proof, parsed(asked(named(QUESTIONS, 'OVER'))))
  const { main } = answerIn(proof, parsed({ ...asked(named(QUESTIONS, 'OVER')), as_of: day }))
  const { release, index } = main as NonNullable<typeof main>
  return { status: 404, ...told, last_known: proof.show(release, row ?? index), proof: await proof.member() }
}
/** A row with those beside it, and whatever else is said to be shown. */
async function showing(of: MemoryRegistry, release: MemoryRelease, index = 0, also = (_: MemoryProof): void => {}) {
  const proof = new MemoryProof(of)
  const row = proof.pointer(release, index)
  proof.addRows(release, release.rows.keys())
  also(proof)
  return { ...release.rows[index], row, proof: await proof.member() }
}
const spring = releaseOf('cms-opps', '2026B')
BODIES['TINY'] = await bodyOf(
  named(QUESTIONS, 'TINY'),
  only([releaseOf('cms-anesthesia').rows[0] as AnyRow], 'cms-anesthesia').of,
)
BODIES['KNOWN'] = await withLastKnown('2026-09-30')
BODIES['KNOWN_BEFORE'] = await withLastKnown('2026-06-30')
BODIES['KNOWN_OTHER'] = await withLastKnown('2026-09-30', 0)
BODIES['WITHDRAWN'] = await registry.cite(spring, 0)
BODIES['FACTORS'] = await registry.cite(releaseOf('cms-anesthesia'), 0)

const caseOf = (word: string, body: unknown, given: object = {}): Case => ({
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...(word in QUESTIONS && { asked: { question: asked(named(QUESTIONS, word)) } }),
  ...(word.startsWith('KNOWN') && { asked: { question: asked(named(QUESTIONS, 'OVER')) } }),
  ...given,
})

/** Name, body with members set after a colon, and other members of the vector. */
const TABLE = `
= ${JSON.stringify(ONE)}
a hospital's price | HOSPITAL
a price where nothing was asked | HOSPITAL | asked=
a price of a prolonged edition | PROLONGED
no price, with the row that says so | ABSENT
a modifier that is not allowed | BARRED
a price with an adjustment | HALVED
a row of a release that was withdrawn | WITHDRAWN
about with anything in it | TINY:about={"related":[{"price":1}],"choices":null}
the words of a refusal with anything in them | ABSENT:title=1&detail=null&instance="x"&type={}
no older than wanted | TINY | not_before="2026-10-02T00:00:00Z"&not_after="2026-10-02T00:00:00Z"
= ${JSON.stringify(NONE)}
no edition for the day, with the price last known | KNOWN
= not_recognised
a member too many beside a refusal | ABSENT:$1 | for more=1 price={"amount":"1.00"} data=1 prolonged={} adjustment={}
another rule: | ABSENT:rule=$1 | for "R12" null 7
the rule left out | ABSENT:rule=
charts that are none: | OVER:$1 | for charts=[] charts=null charts.0.more=1
no charts where none is missing | ABSENT:charts=[]
modifiers ignored: | ADJUSTED:modifiers_ignored=$1 | for [] null ["59","25"] ["59","59"] ["50"] "59" [1]
= row_malformed
a member of a row: | TINY:$1 | for more=1 flags=null kind= kind="prices" price= price=null payer= payer="aetna" code="9921" code=null npi=1 effective_from="2026-02-30" locator={} price.amount="0.00" price.amount="7.0" price.amount=7 reason="bundled"
a row of form 2: | TINY:$1 | for cpt="00000" cpt="00000"&code=
another kind of row as the place | PLACED:place.kind="price"
about as a member of a row | PLACED:place.about={}
= proof_missing
no pointer at the place | PLACED:place.proof=
no pointer at the row of a refusal | ABSENT:row.proof=
= proof_malformed
a pointer with | TINY:$1 | for row.more=1 row.release=-1 row.release=9 row.index=1.5 row.index=-1 row.leaf_hash="x" row.type="agent-trust-registry/proof-ref@v3"
the envelope with | TINY:$1 | for proof.more=1 proof.type="agent-trust-registry/proof@v2" proof.type="agent-trust-registry/row-proof@v2" proof.log.more=1 proof.log.index=-1 proof.log.index=1.5 proof.state.more=1 proof.state.schema="registry-state/1" proof.timeline.more=1 proof.timeline.leaves=[[0]] proof.timeline.leaves.0.0=-1 proof.timeline.leaves.0.1.more=1 proof.releases.0.more=1 proof.releases.0.release.schema="price-release/2" proof.releases.0.release.more=1
the rows with | HOSPITAL:proof.releases.0.rows.$1 | for leaves.0.1={} leaves.0.0=-1 hashes.0="x"
a short answer as a proof | TINY:proof={"type":"agent-trust-registry/proof-ref@v3","href":"/x"}
a publisher's own last day that is the last day | PROLONGED:proof.releases.0.release.publisher_until="2026-09-30"
a publisher's own last day by the calendar | PROLONGED:proof.releases.0.release.period_by="calendar"
= mixed_checkpoints
another checkpoint: | TINY:$1 | for about={"checkpoint":"x"} about={"a":[{"checkpoint":null}]}
= leaf_hash_mismatch
a row with another | TINY:$1 | for price.amount="7.01" code="00001" modifier="26" region="US-IL" payer="aetna/commercial" effective_from="2026-07-02" locator.0.line=8 row.leaf_hash="AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
a place with another | PLACED:$1 | for place.rural=false place.zip="59002"
= provider_not_in_state
a provider with another | HOSPITAL:proof.providers.leaves.0.1.$1 | for npi="1679576722" chart="hospital-mrf:1679576722"
= row_not_in_release
an answer without its place | PLACED:place=
a row at another index | HOSPITAL:row.index=$1 | for 5 9 9007199254740991
= release_not_in_force
a manifest with another | TINY:proof.releases.0.release.$1 | for row_count=9 effective_to="2026-12-31" supersedes="x" recorded_at="2026-10-03T00:00:00Z" data_class="published"
a withdrawn release for a question | WITHDRAWN | asked={"question":{"cpt":"74177","as_of":"2026-05-01","basis":"medicare_opps"}}
= state_not_in_log
a state with another | TINY:proof.state.$1 | for timeline_size=7 providers_size=9 recorded_at="2026-10-03T00:00:00Z" tables="0000000000000000000000000000000000000000000000000000000000000000"
at another place of the log | TINY:proof.log.index=$1 | for 0 1 100
= body_contradicts_proof
a prolonged edition without its mark | PROLONGED:prolonged=
a prolonged edition with another mark | PROLONGED:prolonged=$1 | for null {} true {"publisher_until":"2026-08-30"} {"publisher_until":"2026-08-31","more":1}
a mark of an edition that was not prolonged | TINY:prolonged=$1 | for null {"publisher_until":"2026-08-31"}
another code than that of the row | ABSENT:code=$1 | for "absent_not_covered" "not_on_schedule" "modifier_not_allowed" "absent_"
an absence for a modifier that is not allowed | BARRED:code="absent_bundled"
an adjustment with another | HALVED:adjustment.$1 | for amount="86.17" factor="1.600" modifier="80" rule="x" more=1
an adjustment that is none | HALVED:adjustment=$1 | for null {} "50"
= state_too_old
an age: | TINY | $1 | for not_before="2026-10-02T00:00:00.001Z" not_after="2026-10-01T23:59:59Z" not_before="2026-10-02" not_after="" not_before="2026-10-02T00:00:00"
= answers_another_question
a batch was asked for | TINY | asked={"questions":[]}
another list was asked for | TINY | asked={"$1":{"as_of":"${DAY}","cpt":"99215"}} | for page sheet coverage releases history
no question but the word for one | TINY | asked={"page":{}}
an adjustment left out | HALVED:adjustment=
modifiers ignored left out | ADJUSTED:modifiers_ignored=
another rule | ABSENT:rule="R6"
charts held, with | OVER:$1 | for charts= charts.0.held=[] charts.0.chart="cms-clfs" charts.0.held.0.to="2026-07-31"
the price last known is of an edition before | KNOWN_BEFORE
the price last known is not what was answered | KNOWN_OTHER
= choice_not_proved
the rows beside it are of another question | FACTOR | asked={"question":{"cpt":"00810","as_of":"${DAY}","basis":"medicare_anesthesia","region":"60611"}}
= quorum_not_met
no witness of two | TINY | policy="SEEN"
= note_unsigned
a log that is not pinned | TINY | policy="FIGURES"
a key that is not pinned | TINY | policy="STRANGE"
`
const POLICIES: Record<string, string> = {
  SEEN: formatPolicy([signer], [w1]),
  FIGURES: formatPolicy([{ ...signer, name: figures.name }, figures]),
  STRANGE: formatPolicy([{ ...stranger, name: signer.name }]),
  BOTH: formatPolicy([signer, figures]),
}
const table = tableOf(TABLE).map(([name, [cell = '', given = ''], expected]): Line<Case> => {
  const [word = '', members = ''] = cell.split(/:(.*)/)
  const { policy, ...others } = membersIn(given) as Members & { policy?: string }
  const body = members === '' ? named(BODIES, word) : changed(named(BODIES, word), membersIn(members))
  return [name, caseOf(word, body, { ...others, ...(policy && { policy: named(POLICIES, policy) }) }), expected]
})

const at = (body: Body, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Members)[name], body)
/** The JSON of a body in which a member stands twice, with the same value. */
function doubled(body: Body, path: string): string {
  const value = JSON.stringify(at(body, path))
  const name = JSON.stringify(path.split('.').at(-1))
  return replaced(JSON.stringify(changed(body, { [path]: '§' })), '"§"', `${value},${name}:${value}`)
}
const otherType = (value: unknown): unknown =>
  Array.isArray(value) ? { ...value } : typeof value === 'object' ? [value] : typeof value === 'string' ? 1 : `${value}`
const emptied = (value: unknown): unknown => (Array.isArray(value) ? [] : typeof value === 'object' ? {} : '')

/** Each member of the envelope, and what is said where it is left out. Null, empty and of another type are no form of it. */
const FORM = `
proof proof_missing
proof.type proof_malformed
proof.log proof_malformed
proof.log.index proof_malformed
proof.log.inclusion state_not_in_log
proof.log.checkpoint proof_malformed
proof.state proof_malformed
proof.state.tables proof_malformed
proof.timeline release_not_in_force
proof.timeline.leaves proof_malformed
proof.timeline.hashes period_not_in_timeline
proof.providers choice_not_proved
proof.providers.leaves -
proof.releases proof_malformed
proof.releases.0.release proof_malformed
proof.releases.0.rows row_not_in_release
proof.releases.0.rows.leaves row_not_in_release
proof.releases.0.rows.hashes row_not_in_release
row proof_missing
row.release proof_malformed
row.index proof_malformed
row.leaf_hash proof_malformed`
const HOSPITAL = named(BODIES, 'HOSPITAL')
const form = FORM.trim()
  .split('\n')
  .flatMap((line): Line<Case>[] => {
    const [path = '', leftOut = ''] = line.split(' ')
    const word = /rows|providers|timeline[.]/.test(path) ? 'HOSPITAL' : 'TINY'
    const body = named(BODIES, word)
    const value = at(body, path)
    const set = (to: unknown): Case => caseOf(word, changed(body, { [path]: to }))
    return [
      // Without leaves the set is empty, which has a line of its own.
      ...(leftOut === '-' ? [] : all(leftOut, { [`${path} left out`]: set(undefined) })),
      [`${path} null`, set(null), 'proof_malformed'],
      [`${path} empty`, set(emptied(value)), path === 'proof.log.checkpoint' ? 'note_malformed' : 'proof_malformed'],
      [`${path} of another type`, set(otherType(value)), 'proof_malformed'],
      [`${path} twice`, caseOf(word, doubled(body, path)), 'json_malformed'],
    ]
  })

const setIn = (path: string) => (to: unknown) => caseOf('HOSPITAL', changed(HOSPITAL, { [path]: to }))
const bits = (path: string, reason: string): Line<Case>[] =>
  all(reason, {
    [`one bit of ${path}`]: setIn(path)(flipped(at(HOSPITAL, path) as string)),
    [`the padding of ${path}`]: setIn(path)(respelled(at(HOSPITAL, path) as string)),
  })
const moved = (path: string, reason: string): Line<Case>[] => {
  const list = at(HOSPITAL, path) as unknown[]
  const isLong = list.length > 1
  // The leaves of a set rise.
  const outOfOrder = path.endsWith('.leaves') ? 'proof_malformed' : reason
  return [
    ...all(outOfOrder, {
      [`one of ${path} twice`]: setIn(path)([...list.slice(0, 1), ...list]),
      ...(isLong && { [`${path} backwards`]: setIn(path)(list.toReversed()) }),
    }),
    ...all(reason, { ...(isLong && { [`one of ${path} too few`]: setIn(path)(list.slice(1)) }) }),
  ]
}

/** The row alone at the top of a body, as the operator of a log that has nothing else published it. */
async function lie(rows: readonly AnyRow[], chart?: string, index = 0): Promise<Case> {
  const { of, release } = only(rows, chart)
  return caseOf('', await showing(of, release, index))
}
const fee = (given: object = {}): AnyRow => aFee({ code: '99213', ...given })
const priced = (amount: string): object => ({ price: { amount, currency: 'USD', per: null } })
const LIES: Record<string, readonly [rows: readonly AnyRow[], reason: string, chart?: string]> = {
  'rows out of order': [[aFee({ code: '99214' }), fee()], 'rows_contradict'],
  'two rows of one key': [[fee(), fee({ amount: '96.00' })], 'rows_contradict'],
  'a wrong amount': [[fee(priced('95.20'))], 'price_mismatch'],
  'a wrong reason': [
    [aRow({ code: '99213', kind: 'absence', basis: 'medicare_pfs', reason: 'not_covered' })],
    'reason_mismatch',
  ],
  'a flag that does not follow': [[fee({ flags: ['opps_cap'] })], 'flags_mismatch'],
  'inputs that the method does not have': [
    [aRow({ code: '80053', derivation: { method: 'verbatim/1', inputs: { rate: 'blank' } } })],
    'inputs_malformed',
    'cms-clfs',
  ],
  'a basis of another chart': [[aRow({ code: '80053' })], 'row_not_of_release'],
  'a method of another basis': [
    [fee({ derivation: { method: 'verbatim/1', inputs: { rate: '95.19' } } })],
    'row_not_of_release',
  ],
  'a factor where prices stand': [[fee({ kind: 'rate' })], 'row_not_of_release'],
  'a place in a chart of prices': [[aPlace('60611', 'US-IL-16')], 'row_not_of_release'],
  'a price in the chart of places': [[fee()], 'row_not_of_release', 'zip-locality'],
  'a price of a provider in a schedule': [[fee({ npi: NPI })], 'row_not_of_release'],
  'a row that begins after its edition': [[fee({ effective_from: '2026-10-01' })], 'row_not_of_release'],
  'a chart that nobody knows': [[fee()], 'row_not_of_release', 'cms-other'],
  'a file that is not cited': [[fee({ locator: [{ citation: 1, line: 1 }] })], 'locator_not_cited'],
  'no line that is cited': [[fee({ locator: [] })], 'locator_not_cited'],
}
const lies = await Promise.all(
  Object.entries(LIES).map(
    async ([name, [rows, reason, chart]]): Promise<Line<Case>> => [
      `the operator published ${name}`,
      await lie(rows, chart),
      reason,
    ],
  ),
)

/** An answer under a timeline or providers that the operator signed as they are. */
const { periods, providers } = registry.standing
const pfs = periods.findIndex(({ chart, from }) => chart === 'cms-pfs' && from > '2026-05')
async function under(standing: Partial<typeof registry.standing>): Promise<Case> {
  const of = signing(registry, { standing: { ...registry.standing, ...standing } })
  const release = releaseOf('cms-anesthesia')
  const also = (proof: MemoryProof): void => {
    proof.addPeriods(of.standing.periods.keys())
    proof.addProviders(of.standing.providers.keys())
  }
  return caseOf('', await showing(of, release, 0, also))
}
const periodWith = (index: number, given: Partial<Period>): Promise<Case> =>
  under({ periods: periods.with(index, { ...(periods[index] as Period), ...given }) })
const anesthesia = periods.findIndex(({ chart }) => chart === 'cms-anesthesia')
const signed: Line<Case>[] = [
  ...all(ONE, { 'all periods and providers are shown': await under({}) }),
  ...all('periods_contradict', {
    'the operator signed periods that overlap': await periodWith(pfs - 1, { to: '2026-07-01' }),
    'the operator signed a period that ends before it begins': await periodWith(pfs - 1, { to: '2026-03-31' }),
    'the operator signed periods out of order': await under({ periods: periods.toReversed() }),
    'the operator signed a provider twice': await under({
      providers: [...providers, { npi: providers.at(-1)?.npi ?? '', chart: 'hospital-mrf:2999999999' }],
    }),
    'the operator signed providers out of order': await under({ providers: providers.toReversed() }),
  }),
  ...all('release_not_in_force', {
    'the operator signed a period that is longer than its edition': await periodWith(anesthesia, { to: '2026-10-01' }),
    'the operator signed a period that begins later': await periodWith(anesthesia, { from: '2026-07-02' }),
    'the operator signed a period of another chart': await periodWith(anesthesia, { chart: 'cms-anesthesic' }),
    'the operator signed a period without its release': await periodWith(anesthesia, {
      release: periods.at(-1)?.release ?? '',
    }),
  }),
  ...all('tables_differ', {
    'the operator signed other tables': caseOf(
      'FACTOR',
      await bodyOf(named(QUESTIONS, 'FACTOR'), signing(registry, { tables: 'f'.repeat(64) })),
    ),
  }),
]

const FACTOR = named(BODIES, 'FACTOR')
const [before, after] = [registry.log.leaves.length - 1, registry.snapshot().append()]
const later = shortProof(await after.log.prove(before))
const ofFigures = new MemoryRegistry(figures)
ofFigures.publish([fee()], { chart: 'cms-pfs' })
const withdrawn = named(BODIES, 'WITHDRAWN') as Body & { proof: { entries: { hashes: string[] } } }
const releases = at(FACTOR, 'proof.releases') as unknown[]
const large = {
  ...(releaseOf('cms-clfs').rows[0] as Row),
  flags: Array.from({ length: 60 }, (_, i) => `${'a'.repeat(1_200)}${i}`),
}
const shown = at(HOSPITAL, 'proof.releases.0.rows.leaves') as [number, unknown][]
const { row: _, proof: _p, ...bare } = HOSPITAL
const place = (HOSPITAL['row'] as { index: number }).index
const rest: Line<Case>[] = [
  ...form,
  ...bits('proof.releases.0.rows.hashes.0', 'row_not_in_release'),
  ...bits('proof.timeline.hashes.0', 'period_not_in_timeline'),
  ...bits('proof.log.inclusion.0', 'state_not_in_log'),
  ...moved('proof.releases.0.rows.hashes', 'row_not_in_release'),
  ...moved('proof.timeline.hashes', 'period_not_in_timeline'),
  ...moved('proof.log.inclusion', 'state_not_in_log'),
  ...moved('proof.timeline.leaves', 'proof_malformed'),
  ...all('entry_not_in_log', {
    'an entry with one bit of a hash turned': caseOf(
      '',
      changed(withdrawn, { 'proof.entries.hashes.0': flipped(withdrawn.proof.entries.hashes[0] as string) }),
    ),
    'entries without their hashes': caseOf('', changed(withdrawn, { 'proof.entries.hashes': undefined })),
    'an entry with another day': caseOf(
      '',
      changed(withdrawn, { 'proof.entries.leaves.0.1.effective_to': '2026-06-29' }),
    ),
  }),
  ...all('release_not_in_force', {
    'a withdrawn release without its entry': caseOf('', changed(withdrawn, { 'proof.entries': undefined })),
  }),
  ...all('rows_contradict', {
    'a row that also stands beside itself': setIn('proof.releases.0.rows.leaves')(
      [...shown, [place, bare] as [number, unknown]].sort(([a], [b]) => a - b),
    ),
  }),
  ...all('state_not_last', { 'a newer state is kept back': caseOf('FACTOR', changed(FACTOR, { 'proof.log': later })) }),
  ...all('state_not_in_log', {
    'the checkpoint of a newer log': caseOf('FACTOR', changed(FACTOR, { 'proof.log.checkpoint': later.checkpoint })),
  }),
  ...all('log_of_other_kind', {
    'a state in the log of figures': {
      ...caseOf('', await ofFigures.cite(ofFigures.releases[0] as MemoryRelease, 0)),
      policy: named(POLICIES, 'BOTH'),
    },
  }),
  ...all('repeated_item', {
    'a release twice': caseOf(
      'FACTOR',
      changed(FACTOR, { 'proof.releases': [...releases, { release: (releases[0] as { release: unknown }).release }] }),
    ),
  }),
  ...all('row_too_large', {
    'a row of more than 65,535 bytes': caseOf('', { ...large, row: HOSPITAL['row'], proof: HOSPITAL['proof'] }),
  }),
  ...all('not_recognised', { 'a body that is a list': caseOf('', '[]'), 'a body that is a text': caseOf('', '"x"') }),
  ...all('json_malformed', {
    'a body of nothing': caseOf('', ''),
    'a body with more after it': caseOf('', `${JSON.stringify(FACTOR)} {}`),
    'a body after a byte order mark': caseOf('', `\ufeff${JSON.stringify(FACTOR)}`),
    'a body cut off': caseOf('', JSON.stringify(FACTOR).slice(0, -1)),
  }),
  ...all(ONE, {
    'white space, and members in another order': caseOf(
      'FACTOR',
      JSON.stringify(Object.fromEntries(Object.entries(FACTOR).toReversed()), null, 1).replaceAll('\n', '\r\n'),
    ),
    'letters as escapes': caseOf('FACTOR', replaced(JSON.stringify(FACTOR), '"kind"', '"k\\u0069nd"')),
  }),
]

export const envelopes: VectorOf<'body'>[] = vectorsOf(
  'body',
  [...table, ...rest, ...signed, ...lies].map(
    ([name, given, expected]): Line<Case> => [`proof: ${name}`, given, expected],
  ),
  (given) => ({ policy: POLICY, ...given }),
)

import type { AlarmCode } from '../../src/monitor/alarm.ts'
import { aStateOfNothing, firstRelease } from '../../src/proof/figures-fixture.ts'
import { aSigner } from '../../src/proof/fixture.ts'
import { formatTreeHead } from '../../src/proof/note/checkpoint.ts'
import { signNote } from '../../src/proof/note/signed-note.ts'
import { type Manifest, type RegistryEntry, WITHDRAWAL_SCHEMA } from '../../src/proof/price/release.ts'
import type { AnyRow, Row } from '../../src/proof/price/row.ts'
import { aFee, aRow, MemoryRegistry, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import type { Operator } from './operator.ts'

export const LAB = { chart: 'cms-clfs' } as const
const NEXT = { chart: 'cms-clfs', edition: '2026D', effective_from: '2026-10-01', effective_to: '2026-12-31' } as const
const FIRST = 'cms-clfs:2026C:1'
export const rows = [aRow({ cpt: '80047' }), aRow({ cpt: '80048' }), aRow({ cpt: '80050' })]

type Lie = (operator: Operator, first: MemoryRelease) => unknown
/** Which of the things that the evidence may prove offline it proves. */
type Proves = ('entry' | 'row' | 'row_before' | 'fork')[]

const serving = (
  operator: Operator,
  part: string,
  answer: (response: Response) => Response | Promise<Response>,
): void => {
  operator.tamper = (path, response) => (path.includes(part) ? answer(response) : response)
}
const gone = (): Response => new Response(null, { status: 404 })
const flipped = async (response: Response): Promise<Response> => {
  const body = new Uint8Array(await response.arrayBuffer())
  body[body.length - 9] = (body.at(-9) as number) ^ 1
  return new Response(body)
}
const edited =
  (from: string, to: string) =>
  async (response: Response): Promise<Response> =>
    new Response((await response.text()).replaceAll(from, to))
/** A release that no honest program makes. */
export const smuggle = ({ registry }: Operator, given: readonly AnyRow[], manifest: Partial<Manifest> = {}): void => {
  const release = new MemoryRelease(
    given,
    { ...NEXT, supersedes: FIRST, recorded_at: registry.now, ...manifest },
    false,
  )
  registry.releases.push(release)
  registry.append(release.manifest)
}
const days = ({ registry }: Operator, count: number): void => {
  for (let day = 0; day < count; day++) registry.append()
}

/** One lie for every alarm that needs no file. */
export const LIES: [AlarmCode, string, Lie, Proves][] = [
  ['unreachable', 'rows are refused', (operator) => serving(operator, '/rows/', gone), []],
  [
    'checkpoint_invalid',
    'another key signs',
    async (operator) => {
      const note = await signNote(await operator.registry.log.text(), [await aSigner(operator.registry.signer.name)])
      serving(operator, '/log/registry/checkpoint', () => new Response(note))
    },
    [],
  ],
  [
    'log_not_the_same',
    'the figures are shown as the registry',
    async (operator) => {
      const note = await operator.figures.checkpoint()
      serving(operator, '/log/registry/checkpoint', () => new Response(note))
    },
    [],
  ],
  [
    'log_rolled_back',
    'the last entries are gone',
    (operator) => {
      operator.shown = operator.registry.snapshot()
      operator.shown.log.leaves.pop()
      operator.shown.entries.pop()
    },
    [],
  ],
  [
    'log_forked',
    'another history that goes on longer',
    async (operator) => {
      const other = new MemoryRegistry(operator.registry.signer, [], operator.registry.now)
      other.publish([aRow({ cpt: '80053' })], LAB)
      other.append()
      operator.shown = other
    },
    ['fork'],
  ],
  [
    'log_too_large',
    'millions of entries',
    async (operator) => {
      const { signer } = operator.registry
      const text = formatTreeHead({ origin: signer.name, size: 5_000_000, root: new Uint8Array(32) })
      const note = await signNote(text, [signer])
      serving(operator, '/log/registry/checkpoint', () => new Response(note))
    },
    [],
  ],
  [
    'tiles_wrong',
    'a leaf hash is altered',
    (operator) => {
      days(operator, 1)
      serving(operator, '/log/registry/tile/0/', flipped)
    },
    [],
  ],
  [
    'tiles_wrong',
    'a tile is not served',
    (operator) => {
      days(operator, 1)
      serving(operator, '/log/registry/tile/0/', gone)
    },
    [],
  ],
  [
    'tiles_wrong',
    'a tile above the leaves is altered',
    (operator) => {
      days(operator, 260)
      serving(operator, '/log/registry/tile/1/', flipped)
    },
    [],
  ],
  [
    'entry_missing',
    'entries are not served',
    (operator) => {
      days(operator, 1)
      serving(operator, '/log/registry/tile/entries/', gone)
    },
    [],
  ],
  [
    'entry_altered',
    'an entry is altered',
    (operator) => {
      days(operator, 1)
      serving(operator, '/log/registry/tile/entries/', flipped)
    },
    [],
  ],
  [
    'entry_unknown',
    'an entry of no known kind',
    (operator) => operator.append({ schema: 'price-gift/1' } as unknown as RegistryEntry, operator.registry.state),
    ['entry'],
  ],
  [
    'entry_unknown',
    'bytes that are not text, in the figures log',
    (operator) => operator.release(Uint8Array.of(255, 254), aStateOfNothing()),
    ['entry'],
  ],
  [
    'figures_wrong',
    'a figure moves without a change',
    (operator) =>
      operator.release(
        ...firstRelease(1)
          .toSpliced(2, 1)
          .map((entry, i) => ('seq' in entry ? { ...entry, seq: 1 + i } : entry)),
      ),
    ['entry'],
  ],
  [
    'figures_wrong',
    'a release of figures that does not end',
    (operator) => {
      operator.figuresAt = { index: 0, size: 1 }
      operator.release(...firstRelease(1).slice(0, -1))
    },
    ['entry'],
  ],
  [
    'answer_unverified',
    'another figure than the one that stands',
    (operator) => {
      operator.release(...firstRelease(1))
      serving(operator, '/api/figures', edited('"w":0.48', '"w":0.84'))
    },
    [],
  ],
  ['release_id_reused', 'a second release of one name', ({ registry }) => registry.publish([], LAB), ['entry']],
  [
    'revision_out_of_order',
    'revision 2 after revision 3',
    ({ registry }) => {
      registry.publish(rows, { ...LAB, release_id: 'cms-clfs:2026C:3', supersedes: FIRST })
      registry.publish(rows, { ...LAB, release_id: 'cms-clfs:2026C:2', supersedes: 'cms-clfs:2026C:3' })
    },
    ['entry'],
  ],
  [
    'withdrawal_unfounded',
    'a release is withdrawn twice',
    ({ registry }, first) => registry.withdraw(first).withdraw(first),
    ['entry'],
  ],
  [
    'move_unfounded',
    'a provider is moved to a file that does not name it',
    ({ registry }) => registry.move('1234567893', 'hospital-mrf:1234567893'),
    ['entry'],
  ],
  ['supersedes_wrong', 'no predecessor is named', ({ registry }) => registry.publish(rows, NEXT), ['entry']],
  [
    'state_wrong',
    'a withdrawal has no effect',
    (operator) => {
      const { state } = operator.registry
      const { recorded_at } = state
      const withdrawn = { release_id: FIRST, chart: LAB.chart, reason: 'wrong_source', recorded_at }
      operator.append({ schema: WITHDRAWAL_SCHEMA, ...withdrawn }, state)
    },
    ['entry'],
  ],
  [
    'state_missing',
    'a release without a state',
    (operator) =>
      operator.append({
        ...new MemoryRelease(rows, { ...NEXT, supersedes: FIRST }).manifest,
        recorded_at: operator.registry.now,
      }),
    ['entry'],
  ],
  [
    'time_backwards',
    'a state of an hour before',
    (operator) => {
      const { registry } = operator
      registry.now = new Date(Date.parse(registry.now) - 3_600_000).toISOString()
      days(operator, 1)
    },
    ['entry'],
  ],
  [
    'head_from_future',
    'a state of tomorrow',
    (operator) => {
      operator.registry.now = new Date(Date.now() + 86_400_000).toISOString()
      days(operator, 1)
    },
    ['entry'],
  ],
  [
    'row_hashes_missing',
    'no row hashes',
    (operator) => {
      smuggle(operator, rows)
      serving(operator, '2026D:1/tile/0/', gone)
    },
    ['entry'],
  ],
  [
    'row_hashes_wrong',
    'a row hash is altered',
    (operator) => {
      smuggle(operator, rows)
      serving(operator, '2026D:1/tile/0/', flipped)
    },
    ['entry'],
  ],
  [
    'row_hashes_wrong',
    'a tile above the row hashes is altered',
    (operator) => {
      smuggle(
        operator,
        Array.from({ length: 300 }, (_, i) => aRow({ cpt: String(80_000 + i) })),
      )
      serving(operator, '2026D:1/tile/1/', flipped)
    },
    ['entry'],
  ],
  [
    'rows_unreadable',
    'rows are not served',
    (operator) => {
      smuggle(operator, rows)
      serving(operator, '2026D:1/tile/entries/', () => new Response(null, { status: 403 }))
    },
    ['entry'],
  ],
  [
    'rows_unsorted',
    'rows in another order',
    (operator) => smuggle(operator, [...rows].reverse()),
    ['entry', 'row', 'row_before'],
  ],
  [
    'rows_unsorted',
    'two prices under one key, in a release that was withdrawn at once',
    (operator) => {
      smuggle(operator, [...rows, aRow({ cpt: '80050', amount: '99.99' })])
      operator.registry.withdraw(operator.registry.releases.at(-1) as MemoryRelease)
    },
    ['entry', 'row', 'row_before'],
  ],
  [
    'row_altered',
    'a row is altered on its way',
    (operator) => {
      smuggle(operator, rows)
      serving(operator, '2026D:1/tile/entries/', flipped)
    },
    ['entry'],
  ],
  [
    'row_not_of_release',
    'a physician’s fee in the laboratory schedule',
    (operator) => smuggle(operator, [aFee({ cpt: '99213' })]),
    ['entry', 'row'],
  ],
  [
    'row_not_of_release',
    'a row that says more than a row may',
    (operator) => smuggle(operator, [{ ...aRow({ cpt: '80053' }), note: 'free text' } as unknown as AnyRow]),
    ['entry', 'row'],
  ],
  [
    'page_unverified',
    'another price on a page',
    (operator) => serving(operator, '/api/registry', edited('10.56', '10.57')),
    [],
  ],
  [
    'arithmetic_wrong',
    'a price that does not follow from its inputs',
    (operator) => {
      const price = { amount: '99.99', currency: 'USD', per: null }
      operator.registry.publish([{ ...aFee({ cpt: '99213' }), price } as Row], { chart: 'cms-pfs' })
    },
    ['entry', 'row'],
  ],
  ['answer_unverified', 'another price', (operator) => serving(operator, '/reference', edited('10.56', '10.57')), []],
  [
    'answer_unverified',
    'the row of another place',
    async (operator, first) => {
      const other = JSON.stringify(await operator.registry.cite(first, 1))
      operator.tamper = (path, response) => (/\/rows\/.*\/[02]$/.test(path) ? new Response(other) : response)
    },
    [],
  ],
  [
    'answer_forked',
    'answers from another history',
    (operator) => {
      const other = operator.registry.snapshot()
      other.publish([aRow({ cpt: '80047', amount: '1.00' }), ...rows.slice(1)], {
        ...LAB,
        release_id: 'cms-clfs:2026C:2',
      })
      days(operator, 3)
      operator.answering = other
    },
    ['fork'],
  ],
  [
    'answer_ahead',
    'answers from a log that nobody is shown',
    (operator) => {
      operator.answering = operator.registry.snapshot().append()
    },
    [],
  ],
  [
    'answer_stale',
    'answers of before',
    (operator) => {
      operator.answering = operator.registry.snapshot()
      days(operator, 1)
    },
    ['entry'],
  ],
  [
    'withdrawn_served',
    'answers from a release that was withdrawn',
    (operator, first) => {
      operator.answering = operator.registry.snapshot()
      operator.registry.withdraw(first)
    },
    ['entry'],
  ],
]

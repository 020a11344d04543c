// How old a view is: by the times of cosignatures, or by the state itself. And what retired keys still count for.

import { cosign } from '../../src/proof/note/cosignature.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import { type Body, bad, good } from './body.ts'
import { changeEntry } from './figures.ts'
import { figures, ONE_OF_TWO, PLAIN, registry, SECONDS, signerOf, w1, w2, w3 } from './keys.ts'
import { fee } from './registry.ts'

const HOUR = 3_600
const WITNESSES = [w1, w2, w3]
const TWO_OF_THREE = formatPolicy([registry, figures], WITNESSES, 2)
const own = new MemoryRegistry(registry)
own.now = new Date((SECONDS - 90 * 24 * HOUR) * 1000).toISOString()
const cited = await own.cite(own.publish([fee], { chart: 'cms-pfs' }), 0)

/** A body whose checkpoint the witnesses have cosigned, each so many hours after midnight; undefined stands for not at all. */
async function cosigned(body: unknown, note: string, ...hours: (number | undefined)[]): Promise<string> {
  const text = note.slice(0, note.indexOf('\n\n') + 1)
  const lines = hours.map((hour, i) =>
    hour === undefined ? '' : cosign(text, WITNESSES[i] as typeof w1, SECONDS + hour * HOUR),
  )
  return JSON.stringify(body).replaceAll(
    JSON.stringify(note),
    JSON.stringify(note + (await Promise.all(lines)).join('')),
  )
}
const { checkpoint } = await own.proof()
const row = (...hours: (number | undefined)[]): Promise<string> => cosigned(cited, checkpoint, ...hours)
const from = (hour: number) => ({ not_before: new Date((SECONDS + hour * HOUR) * 1000).toISOString() })
const three = { policy: TWO_OF_THREE }

const change = await changeEntry(0)
const changes = { data: [change], page: { limit: 50 }, links: {} }
const cosignedChanges = await cosigned(changes, change.proof.log.checkpoint, 5)

const renewed = signerOf(registry.name, 5)
const size = own.log.leaves.length
const root = await own.log.root()
const afterRotation = (at: number, of = root): string =>
  formatPolicy([renewed, figures], [], 0, [{ key: registry, size: at, root: of }])
const other = new Uint8Array(32).fill(1)

export const views: Body[] = [
  good('the median of three cosignatures', await row(5, 3, 9), { rows: 1 }, { ...three, ...from(5) }),
  bad('later than the median of three cosignatures', await row(5, 3, 9), 'state_too_old', {
    ...three,
    not_before: new Date((SECONDS + 5 * HOUR) * 1000 + 1).toISOString(),
  }),
  good('of two cosignatures the earlier', await row(9, undefined, 3), { rows: 1 }, { ...three, ...from(3) }),
  bad('later than the earlier of two cosignatures', await row(9, undefined, 3), 'state_too_old', {
    ...three,
    ...from(4),
  }),
  bad('one witness far ahead of the others', await row(1, 2, 1_000_000), 'state_too_old', { ...three, ...from(3) }),
  good('a new cosignature of an old state', await row(5), { rows: 1 }, { policy: ONE_OF_TWO, ...from(5) }),
  bad('a cosignature by a witness that is not pinned', await row(5), 'state_too_old', { policy: PLAIN, ...from(0) }),
  good('a cosignature that is not pinned, of a state that will do', await row(5), { rows: 1 }, from(-24 * 90)),
  good(
    'changes of figures that a witness cosigned',
    cosignedChanges,
    { entries: 1 },
    { policy: ONE_OF_TWO, ...from(5) },
  ),
  bad('changes of figures that were cosigned sooner', cosignedChanges, 'state_too_old', {
    policy: ONE_OF_TWO,
    ...from(6),
  }),

  good('signed by a key that is retired since', cited, { rows: 1 }, { policy: afterRotation(size) }),
  good('signed long before its key was retired', cited, { rows: 1 }, { policy: afterRotation(size + 7, other) }),
  bad('a retired key, at the size where it ended, with another root', cited, 'key_retired', {
    policy: afterRotation(size, other),
  }),
  bad('a retired key, past where it ended', cited, 'key_retired', { policy: afterRotation(size - 1) }),
  bad('a retired key, and a view of any age is wanted', cited, 'state_too_old', {
    policy: afterRotation(size),
    not_before: '2000-01-01T00:00:00Z',
  }),
]

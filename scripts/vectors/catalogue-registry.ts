// The small registry that the vectors of lists are made from: three charts, of one of them editions that follow each
// other, one that was replaced and one that was withdrawn.

import { aFee, aRow, MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import { registry } from './keys.ts'

const edition = (release: string, effective_from: string, effective_to: string) => {
  const [chart = '', name = ''] = release.split(':')
  return { chart, edition: name, release_id: release, effective_from, effective_to }
}
const fee = (amount: string, effective_from: string) => aFee({ cpt: '99213', amount, effective_from })

export const small = new MemoryRegistry(registry)
export const winter = small.publish(
  [fee('91.00', '2026-01-01')],
  edition('cms-pfs:2026A:1', '2026-01-01', '2026-12-31'),
)
small.publish([fee('92.00', '2026-04-01')], edition('cms-pfs:2026B:1', '2026-04-01', '2026-06-30'))
export const spring = small.publish(
  [fee('93.00', '2026-04-01')],
  edition('cms-pfs:2026B:2', '2026-04-01', '2026-06-30'),
)
export const gone = small.publish([fee('94.00', '2026-07-01')], edition('cms-pfs:2026C:1', '2026-07-01', '2026-09-30'))
small.withdraw(gone)
export const summer = small.publish(
  [aFee({ cpt: '99213', amount: '95.00', basis: 'medicare_pfs_qpp' })],
  edition('cms-pfs-qpp:2026C:1', '2026-07-01', '2026-09-30'),
)
export const autumn = small.publish(
  [fee('96.00', '2026-10-01')],
  edition('cms-pfs:2026D:1', '2026-10-01', '2026-12-31'),
)
/** The same before the laboratory schedule was there: true, and old. */
export const early = small.snapshot()
export const lab = small.publish(
  [aRow({ cpt: '80053', effective_from: '2026-01-01' })],
  edition('cms-clfs:2026:1', '2026-01-01', '2026-12-31'),
)
export const none = new MemoryRegistry(registry)

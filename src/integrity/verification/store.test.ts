import { expect, test } from 'bun:test'
import { ENGINES } from '../../../test/support/engines.ts'
import { testApp } from '../../../test/support/harness.ts'
import { failedParts, listParts, putPart, type VerifiedPart } from './store.ts'

const part = (verified_at: number, failed: VerifiedPart['failed']): Omit<VerifiedPart, 'first_failed_at'> => ({
  part: 'cms-pfs:TEST1:1',
  copy: '',
  verified_at,
  rows_verified: 3,
  rows_failed: failed.length,
  fault_count: failed.length,
  faults: failed.map(() => 'a row is not the one that was published'),
  failed,
})

test.each(ENGINES)(
  'on %s a verification that began earlier does not clear the faults of a later one',
  async (engine) => {
    await using app = await testApp({ engine })
    const { db } = app.installation
    await putPart(db, part(2_000, [[1, 2]]))
    await putPart(db, part(1_000, []))
    expect(await failedParts(db, '')).toEqual([{ part: 'cms-pfs:TEST1:1', failed: '[[1,2]]' }])
    await putPart(db, part(2_000, []))
    await putPart(db, part(1_000, [[0, 1]]))
    expect(await listParts(db)).toMatchObject([{ verified_at: 2_000, failed: [], first_failed_at: null }])
  },
)

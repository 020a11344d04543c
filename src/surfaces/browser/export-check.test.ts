import { expect, test } from 'bun:test'
import type { TrustPolicy } from '../../proof/note/policy.ts'
import { rowText } from '../../proof/price/row.ts'
import { aFee, MemoryRelease } from '../../proof/registry-fixture.ts'
import { exportCheck } from './export-check.ts'
import type { PageCheck } from './steps.ts'

const release = new MemoryRelease(
  ['99211', '99212', '99213'].map((cpt) => aFee({ code: cpt })),
  { chart: 'cms-pfs' },
)
const lines = release.rows.map((row) => `${rowText(row)}\n`)

/** The proof of the first row holds: it is that of another answer, beside the export. */
const proved = async () => ({ ok: true, rows: [{ row: release.rows[0], release: release.manifest }], entries: 0 })

const said = async (content: string, check: unknown = proved) =>
  exportCheck(check as PageCheck, content)('{}', {} as TrustPolicy, { anyQuestion: true })

test('an export is whole with every row as it was published, and the first row beside it proves no other', async () => {
  expect(await said(lines.join(''))).toMatchObject({ ok: true, entries: 3 })
  const damaged = lines.with(1, (lines[1] as string).replace('99212', '99214'))
  for (const lie of [damaged, lines.slice(0, 2), lines.slice(1), [...lines, ...lines.slice(2)], lines.toReversed(), []])
    expect(await said(lie.join(''))).toEqual({ ok: false, class: 'not_in_release', reason: 'row_not_in_release' })
  expect(await said(damaged.join('').replace('\n{', '\n\n{'))).toMatchObject({ ok: false })
})

test('an export beside a proof that does not hold, or that proves no row, is none', async () => {
  const failed = { ok: false, class: 'not_in_release', reason: 'leaf_hash_mismatch' }
  expect(await said(lines.join(''), async () => failed)).toEqual(failed as never)
  expect(await said(lines.join(''), async () => ({ ok: true, rows: [], entries: 0 }))).toMatchObject({ ok: false })
})

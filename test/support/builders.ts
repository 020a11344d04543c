import { createHash } from 'node:crypto'
import { anAbsence, aPrice } from '../../src/proof/fixture.ts'
import type { Citation, Row } from '../../src/proof/price/row.ts'
import { rowKey } from '../../src/proof/price/row.ts'
import type { NewRelease } from '../../src/registry/release/store.ts'

// Builders state only what a test is about; amounts are invented.

const aCitation: Citation = {
  title: 'A schedule',
  url: 'https://example.org/schedule.csv',
  file: 'schedule.csv',
  sha256: 'ab'.repeat(32),
  bytes: 100,
  media_type: 'text/csv',
  retrieved_at: '2026-01-01T00:00:00Z',
}

export interface TestRelease extends NewRelease {
  rows: Row[]
}

export function aRelease(release: Partial<TestRelease> = {}): TestRelease {
  const rows = [...(release.rows ?? [aPrice()])].sort((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1))
  const edition = release.edition ?? 'TEST1'
  return {
    chart: 'cms-pfs',
    edition,
    effective_from: '2026-01-01',
    data_class: 'published',
    source_digest: createHash('sha256')
      .update(JSON.stringify(rows) + edition)
      .digest('hex'),
    citations: [aCitation],
    ...release,
    rows,
  }
}

export { anAbsence, aPrice }

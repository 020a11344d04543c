// A release beside the file that it cites, compared both ways.

import { expect, test } from 'bun:test'
import { READERS } from '../../src/ingest/readers.ts'
import { citation, readSource } from '../../src/ingest/source.ts'
import type { Row } from '../../src/proof/price/row.ts'
import { LAB } from '../support/lie.ts'
import { Operator } from '../support/operator.ts'
import { provedBy, Watcher } from '../support/watcher.ts'

const SAMPLE = 'sample/CLFS-SAMPLE26Q4.csv'

/** The laboratory schedule of the sample as its reader makes it, and what a release of it says. */
async function sampleRelease() {
  const given = { edition: 'Q4', effective_from: '2026-10-01', data_class: 'sample' } as const
  const reading = await READERS['cms-clfs']?.read([SAMPLE], given, new Map())
  const made: Row[] = []
  for await (const row of reading?.rows ?? []) made.push(row as Row)
  const source = await readSource(SAMPLE)
  const citations = [citation(source, 'A schedule', { url: '', retrieved_at: '2026-10-02T00:00:00Z' })]
  return { made, manifest: { ...LAB, ...given, effective_to: '2026-12-31', citations } }
}

test.each([
  ['an honest release', 'nothing', (made: Row[]) => made, {}],
  ['a price that its source does not have', 'not_at_source', (made: Row[]) => made.map(dearer), {}],
  ['a file of another digest', 'not_at_source', (made: Row[]) => made, { sha256: 'f'.repeat(64) }],
  ['a release without the first row', 'left_out_of_release', (made: Row[]) => made.slice(1), {}],
  ['a release without the last row', 'left_out_of_release', (made: Row[]) => made.slice(0, -1), {}],
  ['a release without a row in its middle', 'left_out_of_release', (made: Row[]) => made.filter((_, i) => i !== 2), {}],
  [
    'a manifest that counts an unreadable line too many',
    'left_out_of_release',
    (made: Row[]) => made,
    { unreadable_lines: 1 },
  ],
] as const)(
  'beside the file that it cites, %s raises %s',
  async (_, code, lie, { sha256, ...manifest }: { sha256?: string; unreadable_lines?: number }) => {
    await using operator = await Operator.start()
    using watcher = Watcher.of(operator)
    const { made, manifest: honest } = await sampleRelease()
    const citations = honest.citations.map((each) => ({ ...each, ...(sha256 === undefined ? {} : { sha256 }) }))
    operator.registry.publish(lie(made), { ...honest, ...manifest, citations })
    expect(await watcher.read()).toMatchObject({ code: 0, alarms: [] })
    const seen = await watcher.read('--source', SAMPLE)
    expect(seen.alarms).toEqual(code === 'nothing' ? [] : [code])
    expect(seen.err).not.toContain('note:')
    const [file] = watcher.evidence
    if (file === undefined) return
    const proved = await provedBy(watcher.kept(file).evidence, operator.policy)
    expect(proved).toEqual(code === 'not_at_source' ? ['entry', 'row'] : ['entry'])
  },
)
const dearer = (row: Row, i: number, made: readonly Row[]): Row =>
  'price' in row && i === made.findIndex((each) => 'price' in each)
    ? {
        ...row,
        price: { amount: '99.99', currency: 'USD', per: null },
        derivation: { method: 'verbatim/1', inputs: { rate: '99.99' } },
      }
    : row

// What an answer shows, gathered so that another answer can stand on it.

import type { Because, CitedRow } from '../../src/proof/price/proofs.ts'
import type { MemoryRegistry } from '../../src/proof/registry-fixture.ts'

type Members = Record<string, unknown>
const NONE: Because = { releases: [], rows: [], periods: [], providers: [] }

/** All that a body proves, the rows that it cites included, as what is shown beside a refusal. */
export async function evidenceOf(of: MemoryRegistry, body: Members): Promise<Because> {
  const { because = NONE, place, row } = body as { because?: Because; place?: CitedRow; row?: CitedRow }
  const own = 'code' in body ? row : (body as unknown as CitedRow)
  const { releases, rows, periods, providers } = because
  // The answer's own row comes first: rows without a release of their own are of its release.
  const cited = [own, place].filter((each) => each !== undefined)
  return {
    releases: [
      ...releases,
      ...cited.map(({ proof: { release, in_force } }) => ({ release, in_force: bare(in_force) })),
    ],
    rows: [
      ...rows.map((each) => ({ ...each, release: each.release ?? releases.length })),
      ...cited.map(({ proof, ...each }, i) => ({
        release: releases.length + i,
        row: rowOf(each),
        index: proof.row.index,
        path: proof.row.path,
      })),
    ],
    periods,
    providers,
    state: of.state,
    log: await of.proof(),
  }
}

const bare = (in_force: CitedRow['proof']['in_force']) => {
  if (!in_force) throw new Error('not in force')
  const { state: _, ...period } = in_force
  return period
}
const BESIDE = ['because', 'place', 'modifiers_ignored', 'adjustment']
const rowOf = (members: Members) =>
  Object.fromEntries(
    Object.entries(members).filter(([name]) => !BESIDE.includes(name)),
  ) as unknown as Because['rows'][0]['row']

/** What two answers show, as one. */
export const joined = (first: Because, second: Because): Because => ({
  ...first,
  releases: [...first.releases, ...second.releases],
  rows: [
    ...first.rows,
    ...second.rows.map((each) => ({
      ...each,
      release: each.release === null ? null : each.release + first.releases.length,
    })),
  ],
  periods: [...first.periods, ...second.periods],
  providers: [...first.providers, ...second.providers],
})

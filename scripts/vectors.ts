// Writes docs/spec/vectors/, what another verifier can be run on, and docs/spec/example.md. Keys and clock are fixed, so
// the files are the same each time; what is expected is stated by hand beside each case, never taken from the verifier.

import { join } from 'node:path'
import { absences } from './vectors/absences.ts'
import { batches } from './vectors/batches.ts'
import { billLines } from './vectors/bill-lines.ts'
import { checkpoints } from './vectors/checkpoints.ts'
import { corners } from './vectors/corners.ts'
import { cosignatures } from './vectors/cosignatures.ts'
import { catalogues } from './vectors/coverages.ts'
import { derivations } from './vectors/derivations.ts'
import { sameRows } from './vectors/editions.ts'
import { entries } from './vectors/entries.ts'
import { evidence } from './vectors/evidence.ts'
import { exampleFiles } from './vectors/example.ts'
import { examplePage } from './vectors/example-page.ts'
import { figureBodies } from './vectors/figure-bodies.ts'
import { follows } from './vectors/followed.ts'
import { forgeries } from './vectors/forgeries.ts'
import { growths } from './vectors/growths.ts'
import { histories } from './vectors/histories.ts'
import { instants } from './vectors/instants.ts'
import { lookups } from './vectors/lookups.ts'
import { pageEnds } from './vectors/page-ends.ts'
import { pages } from './vectors/pages.ts'
import { policies } from './vectors/policies.ts'
import { proofs } from './vectors/proofs.ts'
import { questions } from './vectors/questions.ts'
import { reasons } from './vectors/reasons.ts'
import { registryReplays } from './vectors/registry-replays.ts'
import { replays } from './vectors/replays.ts'
import { rows } from './vectors/rows.ts'
import { leafSets, rowSets } from './vectors/sets.ts'
import { sheets } from './vectors/sheets.ts'
import { swaps } from './vectors/swaps.ts'
import { texts } from './vectors/texts.ts'
import { timelines } from './vectors/timelines.ts'
import { trusts } from './vectors/trust.ts'
import type { Vector } from './vectors/vector.ts'
import { views } from './vectors/views.ts'

export const VECTORS = join(import.meta.dir, '../docs/spec/vectors')
export const FORMAT = 'agent-trust-registry/vectors@v2'

const files: Record<string, readonly Vector[]> = {
  'row.json': rows,
  'derivation.json': [...derivations, ...reasons],
  'timeline.json': timelines,
  'proof.json': [...proofs, ...instants, ...views, ...trusts, ...forgeries],
  'text.json': texts,
  'lookup.json': [...lookups, ...corners],
  'swap.json': [...swaps, ...questions, ...evidence, ...sameRows],
  'page.json': [...pages, ...pageEnds, ...entries],
  'batch.json': [...batches, ...billLines, ...rowSets],
  'sheet.json': sheets,
  'set.json': leafSets,
  'releases.json': catalogues,
  'history.json': histories,
  'absence.json': absences,
  'checkpoint.json': [...checkpoints, ...cosignatures],
  'policy.json': policies,
  'growth.json': growths,
  'changes.json': follows,
  'figures.json': figureBodies,
  'replay.json': replays,
  'registry-replay.json': registryReplays,
}

/** The text of every file, by its name in the folder. */
export const vectorFiles: Record<string, string> = Object.fromEntries(
  Object.entries(files).map(([name, vectors]) => [name, `${JSON.stringify({ format: FORMAT, vectors }, null, 1)}\n`]),
)

/** The worked example, by paths in docs/spec. */
export const exampleOf: Record<string, string | Uint8Array> = {
  'example.md': examplePage,
  ...Object.fromEntries(Object.entries(exampleFiles).map(([name, bytes]) => [`example/${name}`, bytes])),
}

if (import.meta.main) {
  for (const [name, text] of Object.entries(vectorFiles)) await Bun.write(join(VECTORS, name), text)
  for (const [name, bytes] of Object.entries(exampleOf)) await Bun.write(join(VECTORS, '..', name), bytes)
}

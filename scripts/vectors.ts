// Writes docs/spec/vectors/: what another verifier can be run on. Keys and clock are fixed, so the files are the
// same each time; what is expected is stated by hand beside each case, never taken from the verifier.

import { join } from 'node:path'
import { absences } from './vectors/absences.ts'
import { answers } from './vectors/answers.ts'
import { checkpoints } from './vectors/checkpoints.ts'
import { cosignatures } from './vectors/cosignatures.ts'
import { derivations } from './vectors/derivations.ts'
import { follows } from './vectors/followed.ts'
import { growths } from './vectors/growths.ts'
import { lists } from './vectors/lists.ts'
import { policies } from './vectors/policies.ts'
import { rowTrees } from './vectors/row-trees.ts'
import { rows } from './vectors/rows.ts'
import { texts } from './vectors/texts.ts'
import type { Vector } from './vectors/vector.ts'

export const VECTORS = join(import.meta.dir, '../docs/spec/vectors')
export const FORMAT = 'agent-trust-registry/vectors@v1'

const files: Record<string, readonly Vector[]> = {
  'row.json': [...rows, ...rowTrees],
  'text.json': texts,
  'answer.json': [...answers, ...lists],
  'absence.json': absences,
  'checkpoint.json': [...checkpoints, ...cosignatures],
  'policy.json': policies,
  'growth.json': growths,
  'changes.json': follows,
  'derivation.json': derivations,
}

/** The text of every file, by its name in the folder. */
export const vectorFiles: Record<string, string> = Object.fromEntries(
  Object.entries(files).map(([name, vectors]) => [name, `${JSON.stringify({ format: FORMAT, vectors }, null, 1)}\n`]),
)

if (import.meta.main) for (const [name, text] of Object.entries(vectorFiles)) await Bun.write(join(VECTORS, name), text)

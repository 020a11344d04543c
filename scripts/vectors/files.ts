// The files of docs/spec/vectors.

import type { Vector } from '../../test/support/vector.ts'
import { FORMAT } from '../../test/support/vectors.ts'
import { changes } from './changes.ts'
import { checkpoints } from './checkpoint.ts'
import { derivations } from './derivation.ts'
import { envelopes } from './envelope.ts'
import { figureBodies } from './figures.ts'
import { growths } from './growth.ts'
import { texts } from './json.ts'
import { lists } from './lists.ts'
import { lookups } from './lookup.ts'
import { registryReplays, rows, sets, timelines } from './parts.ts'
import { policies } from './policy.ts'
import { replays } from './replay.ts'

const FILES: Readonly<Record<string, readonly Vector[]>> = {
  json: texts,
  policy: policies,
  checkpoint: checkpoints,
  growth: growths,
  derivation: derivations,
  figures: figureBodies,
  changes,
  replay: replays,
  set: sets,
  row: rows,
  timeline: timelines,
  'registry-replay': registryReplays,
  lookup: lookups,
  proof: envelopes,
  lists,
}

/** One vector a line, so that a change shows which vectors it changes. */
const fileOf = (vectors: readonly Vector[]): string =>
  `{"format":${JSON.stringify(FORMAT)},"vectors":[\n${vectors.map((each) => JSON.stringify(each)).join(',\n')}\n]}\n`

/** The text of each file, by its path from the top of the project. */
export const vectorFiles: Record<string, string> = Object.fromEntries(
  Object.entries(FILES).map(([name, vectors]) => [`docs/spec/vectors/${name}.json`, fileOf(vectors)]),
)

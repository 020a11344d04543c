import { z } from 'zod'
import { EDITION_PROOF } from '../../proof/catalogue/coverage.ts'
import { RELEASE_PROOF } from '../../proof/catalogue/releases.ts'
import { TIMELINE_PROOF } from '../../proof/catalogue/timeline-proof.ts'
import { WITHDRAWAL_SCHEMA } from '../../proof/price/release.ts'
import { Day, LogProof, Manifest, Path, State } from '../lookup/row-schema.ts'
import { TimelineRun } from '../lookup/timeline-schema.ts'

// The wire form of the proofs of lists, which src/proof/catalogue/ defines.

export const Days = z
  .strictObject({ from: Day, to: Day })
  .meta({ id: 'Days', description: 'The first and the last day on which a release is in force' })

export const TimelineProof = z
  .strictObject({ type: z.literal(TIMELINE_PROOF), runs: z.array(TimelineRun), state: State, log: LogProof })
  .meta({
    id: 'TimelineProof',
    'x-spec': 'proof.md',
    description: 'Which releases are in force, and when, and that none of them was left out of this list',
  })

const Withdrawal = z
  .strictObject({
    schema: z.literal(WITHDRAWAL_SCHEMA),
    release_id: z.string(),
    chart: z.string(),
    reason: z.string(),
    recorded_at: z.iso.datetime(),
  })
  .meta({ id: 'Withdrawal', 'x-spec': 'proof.md', description: 'The log entry that takes a release out of force' })

export const ReleaseProof = z
  .strictObject({
    type: z.literal(RELEASE_PROOF),
    release: Manifest,
    inclusion: Path,
    withdrawal: z.strictObject({ entry: Withdrawal, inclusion: Path }).nullable(),
    replaced_by: z
      .strictObject({ release: Manifest, index: z.int().min(0), inclusion: Path })
      .nullable()
      .meta({ description: 'Of a release that was replaced: a later one that counts in its place' }),
  })
  .meta({
    id: 'ReleaseProof',
    'x-spec': 'proof.md',
    description: 'The manifest at `log_index` and the withdrawal at `withdrawn_log_index`, each in the registry log',
  })

export const EditionProof = z.strictObject({ type: z.literal(EDITION_PROOF), release: Manifest }).meta({
  id: 'EditionProof',
  'x-spec': 'proof.md',
  description: 'The manifest, which a period of the list names by its leaf hash',
})

import { z } from 'zod'
import { Day, Hash, Index, Path } from './row-schema.ts'

export const TimelineRun = z
  .strictObject({
    from: Index,
    periods: z.array(z.strictObject({ chart: z.string(), from: Day, to: Day, release: Hash })).min(1),
    left_path: Path,
    right_path: Path,
  })
  .meta({
    id: 'TimelineRun',
    'x-spec': 'proof.md',
    description: 'Neighbouring periods of the timeline, proved at once',
  })

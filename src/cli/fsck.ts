import { parseArgs } from 'node:util'
import { type Installation, openUnchecked } from '../installation.ts'
import { giveMemoryBack, ourTurn } from '../registry/turn.ts'
import { verifyAll } from '../verification/cycle.ts'
import { type Command, DONE, REFUSED, show } from './command.ts'

/** Pieces of work between two of which the memory of texts is given back. */
const PIECES = 128

/** Re-derives everything that has been published, as it was at one moment, and notes in the store that it was done. */
export function recheck(
  installation: Pick<Installation, 'db' | 'registryLog' | 'figuresLog'>,
  now: number,
): ReturnType<typeof verifyAll> {
  let pieces = 0
  return verifyAll(installation, now, async () => {
    if (++pieces % PIECES === 0) giveMemoryBack()
    await ourTurn()
  })
}

export const fsck: Command = {
  usage: 'fsck [--json]',
  summary: 'Re-derives every hash of every release and log from the stored bytes',
  async run(args, config) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } })
    const installation = await openUnchecked(config)
    const { faults, fault_count, rows } = await recheck(installation, Date.now())
    await installation.db.close()
    const text = fault_count === 0 ? `ok: ${rows} rows and both logs re-derived` : `${faults[0]}\n${fault_count} faults`
    show(values.json, { ok: fault_count === 0, rows, faults, fault_count }, text)
    return fault_count === 0 ? DONE : REFUSED
  },
}

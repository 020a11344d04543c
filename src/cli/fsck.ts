import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Db } from '../db/db.ts'
import { PIECE_BYTES } from '../db/file-folder.ts'
import { loadVerifier, openUnchecked } from '../installation.ts'
import type { Verifiable, VerificationReport } from '../integrity/verification/verifier.ts'
import { ourTurn } from '../queue.ts'
import { listReleases } from '../registry/release/store.ts'
import { BUNDLE_ROWS } from '../registry/rows/bundle.ts'
import { type Command, DONE, JSON_OPTION, REFUSED, show } from './command.ts'
import { ifInterrupted } from './interruption.ts'
import { progressLine } from './progress.ts'

/** Pieces of work between two of which the memory of texts is given back. */
const PIECES = 2_048

/** Re-derives everything that is public, as it was at one moment, and stores the results. */
export async function recheck(
  installation: Verifiable,
  now: number,
  tell?: (rows: { done: number; total: number }) => void,
): Promise<VerificationReport> {
  const work = tell ? await workOf(installation.db) : { pieces: 1, rows: 0 }
  const verifier = await loadVerifier(installation)
  let pieces = 0
  return verifier.verifyAll(now, async () => {
    if (++pieces % PIECES === 0) Bun.gc(true)
    tell?.({ done: Math.floor(work.rows * Math.min(1, pieces / work.pieces)), total: work.rows })
    await ourTurn()
  })
}

/** How much there is to check: the bytes of each file and then its rows, both piece by piece. */
async function workOf(db: Db): Promise<{ pieces: number; rows: number }> {
  const work = { pieces: 1, rows: 0 }
  for (const { file, row_count } of await listReleases(db)) {
    const size = file === null ? 0 : (statSync(db.files.pathOf(file), { throwIfNoEntry: false })?.size ?? 0)
    work.pieces += Math.ceil(size / PIECE_BYTES) + Math.ceil(row_count / BUNDLE_ROWS)
    work.rows += row_count
  }
  return work
}

export const fsck: Command = {
  usage: 'fsck [--json]',
  summary: 'Re-derives every hash of every release and log from the stored bytes. Exit code 1 if anything differs',
  options: [JSON_OPTION],
  examples: [
    ['fsck', 'says ok, or the first fault and how many there are'],
    ['fsck --json', 'lists the faults'],
  ],
  async run(args, config) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } })
    const installation = await openUnchecked(config)
    const line = progressLine(values.json)
    using stopping = ifInterrupted(
      'the check is not finished, so it says nothing. Nothing was changed; `atr fsck` begins again',
    )
    const { faults, fault_count, rows } = await recheck(installation, Date.now(), (progress) =>
      line.update({ phase: 'checking', unit: 'rows', ...progress }),
    ).finally(() => {
      line.clear()
      return installation.db.close()
    })
    stopping.done()
    const text = fault_count === 0 ? `ok: ${rows} rows and both logs re-derived` : `${faults[0]}\n${fault_count} faults`
    show(values.json, { ok: fault_count === 0, rows, faults, fault_count }, text)
    return fault_count === 0 ? DONE : REFUSED
  },
}

import { parseArgs } from 'node:util'
import { checkFigures } from '../figures/fsck.ts'
import { type Installation, openUnchecked } from '../installation.ts'
import { checkLog } from '../integrity/fsck.ts'
import { insertVerification } from '../integrity/store.ts'
import { checkReleases } from '../registry/release/fsck.ts'
import { type Command, DONE, REFUSED, show } from './command.ts'

/** Re-derives everything that has been published, as it was at one moment, and notes in the store that it was done. */
export async function recheck(
  { db, registryLog, figuresLog }: Pick<Installation, 'db' | 'registryLog' | 'figuresLog'>,
  now: number,
): Promise<{ faults: string[]; rows: number }> {
  const noted = { registry: registryLog.lock.noted('registry'), figures: figuresLog.lock.noted('figures') }
  const { registry, releases, figures } = await db.snapshot(
    async (tx) => ({
      registry: await checkLog(tx, registryLog, noted.registry),
      figures: [...(await checkLog(tx, figuresLog, noted.figures)), ...(await checkFigures(tx))],
      releases: await checkReleases(tx),
    }),
    { isLong: true },
  )
  const { rows } = releases
  const faults = [...registry, ...releases.faults, ...figures]
  // No row is proved by a log that does not hold together.
  const rows_failed = registry.length > 0 ? rows : releases.rows_failed
  await insertVerification(db, { verified_at: now, rows_verified: rows, rows_failed, faults: faults.length })
  return { faults, rows }
}

export const fsck: Command = {
  usage: 'fsck [--json]',
  summary: 'Re-derives every hash of every release and log from the stored bytes',
  async run(args, config) {
    const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } })
    const installation = await openUnchecked(config)
    const { faults, rows } = await recheck(installation, Date.now())
    await installation.db.close()
    const text =
      faults.length === 0 ? `ok: ${rows} rows and both logs re-derived` : `${faults[0]}\n${faults.length} faults`
    show(values.json, { ok: faults.length === 0, rows, faults }, text)
    return faults.length === 0 ? DONE : REFUSED
  },
}

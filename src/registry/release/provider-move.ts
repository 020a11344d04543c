import { commitToLog, type Publisher } from '../../integrity/publication.ts'
import { Problem } from '../../problem.ts'
import { isMove, MOVE_SCHEMA, type Provider, type ProviderMove, type RegistryEntry } from '../../proof/price/release.ts'
import { isRelease, npisIn, standingAfter } from '../../proof/price/timeline.ts'
import type { MoveReason } from '../../tables/service-reasons.ts'
import { appendWithState, standingNow } from '../state/state.ts'
import { isNamedBy } from './store.ts'

/** The NPIs of a file that were not its own by the log so far. A release that names one is held. */
export interface TakenProviders {
  /** NPIs that another chart speaks for. Publishing does not move them. */
  held: Provider[]
  /** NPIs that no file of this chart has named, although it has files: it may be another hospital's file. */
  added: string[]
}

/**
 * Lists the providers that a file would take over by naming these NPIs. A file names whom it likes, and its chart is named after one of
 * them: so a file of one hospital can become an edition of another's chart. Then it names an NPI that the chart's own
 * files never named. What was withdrawn frees no NPI here: between a withdrawal and the next file, another could take it.
 */
export function takenProviders(
  entries: readonly RegistryEntry[],
  { chart, npis }: { chart: string; npis: readonly string[] },
): TakenProviders {
  const speaks = new Map(standingAfter(entries).providers.map((each) => [each.npi, each.chart]))
  const releases = entries.filter(isRelease)
  const held = npis.flatMap((npi) => {
    const holder = speaks.get(npi) ?? releases.find((release) => npisIn(release).includes(npi))?.chart ?? chart
    return holder === chart ? [] : [{ npi, chart: holder }]
  })
  const named = namedBefore(entries, chart)
  return { held, added: named ? npis.filter((npi) => !named.has(npi)) : [] }
}

/** The NPIs that the files of a chart name; of a chart with nothing but withdrawn files, those that all of them name. */
function namedBefore(entries: readonly RegistryEntry[], chart: string): ReadonlySet<string> | undefined {
  const withdrawn = new Set(
    entries.flatMap((each) => ('release_id' in each && !isRelease(each) ? each.release_id : [])),
  )
  const its = entries.filter(isRelease).filter((release) => release.chart === chart)
  const [first, ...more] = its.map((release) => new Set(npisIn(release)))
  const standing = its.filter(({ release_id }) => !withdrawn.has(release_id))
  if (standing.length > 0) return new Set(standing.flatMap(npisIn))
  return first && more.reduce((common, each) => common.intersection(each), first)
}

/** These providers in words, for the operator who must decide. */
export function takenText({ held, added }: TakenProviders, chart: string): string[] {
  return [
    ...held.map(
      ({ npi, chart: holder }) =>
        `NPI ${npi} belongs to ${holder}: if this release is published all the same, ${holder} goes on answering for it, until \`atr providers move ${npi} ${chart}\``,
    ),
    ...(added.length === 0
      ? []
      : [
          `no file of ${chart} has named NPI ${added.join(', ')} before: if this is another hospital\u2019s file, discard it and load it with --npi for its own NPI first`,
        ]),
  ]
}

/**
 * Says that another hospital file speaks for an NPI from now on. It must name the NPI in a release that is published
 * and was not withdrawn; naming it is not enough, or any file could take over another hospital's answers.
 */
export const moveProvider = (
  publisher: Publisher,
  { npi, chart }: Provider,
  reason: MoveReason,
  now: number,
): Promise<{ npi: string; from: string | null; chart: string; log_index: number }> =>
  commitToLog(publisher, now, async (tx, append) => {
    if (!(await isNamedBy(tx, npi, chart)))
      throw new Problem('release_conflict', 'no published release of that chart names this NPI: publish one first')
    const { providers } = await standingNow(tx)
    const from = providers.find((each) => each.npi === npi)?.chart ?? null
    if (from === chart) throw new Problem('release_conflict', 'that chart speaks for this NPI already')
    const log_index = await appendWithState(tx, append, [moveOf({ npi, chart }, reason, now)], now)
    return { npi, from, chart, log_index }
  })

function moveOf({ npi, chart }: Provider, reason: MoveReason, now: number): ProviderMove {
  const entry = { schema: MOVE_SCHEMA, npi, chart, reason, recorded_at: new Date(now).toISOString() }
  if (!isMove(entry)) throw new Error('the move of a provider has a wrong form')
  return entry
}

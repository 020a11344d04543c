import type { Db } from '../../db/db.ts'
import * as ledger from '../ledger/store.ts'
import { countWindow, type WindowCount } from '../ledger/window.ts'
import * as providers from '../provider-store.ts'
import type { Move } from '../rule/disclosure.ts'
import type { Dice } from '../rule/laplace.ts'
import { beginsQuarter } from '../rule/provider.ts'
import { drawProvider } from '../rule/provider-window.ts'
import {
  decide,
  drawWindow,
  type NoisedFigures,
  noiseOf,
  RULE_2,
  sumWindows,
  tallyCarried,
  type Unit,
  type WindowTally,
} from '../rule/rule-2.ts'
import { METRICS } from '../rule/tally.ts'
import type { FigureRelease, PublicFigures } from '../store.ts'
import * as store from './store.ts'

/** A window that could be closed now, with exact counts. */
interface OpenWindow {
  /** The closed windows before it. */
  windows: store.FigureWindow[]
  unit: Unit
  exact: WindowTally
  count: WindowCount
}

/** Counts everything since the last window. Read-only. */
export async function openWindow(db: Db, windows: store.FigureWindow[]): Promise<OpenWindow> {
  const last = windows.at(-1)
  const carried = last ? {} : await ledger.carryover(db)
  // Cases that were removed while figures were exact have no persons, so they cannot be limited by person.
  const isOfPersons = Object.keys(carried).length === 0 && (await ledger.allHavePersons(db))
  const unit = last?.unit ?? (isOfPersons ? 'person' : 'case')
  const count = await countWindow(db, last?.last_batch_id ?? 0, unit, RULE_2)
  return { windows, unit, exact: sumWindows([count.figures, tallyCarried(carried, RULE_2)]), count }
}

/** Decides what is published if this window has these counts. */
export const decideWindow = (
  { windows, unit }: OpenWindow,
  tally: WindowTally,
  released_at: number,
  previous: FigureRelease | undefined,
): { figures: NoisedFigures; moves: Move[] } =>
  decide(
    { as_of: new Date(released_at).toISOString(), unit, windows: [...windows.map((each) => each.tally), tally] },
    previous && { rule_version: previous.figures.sdc_rule_version, of: previous.figures.metrics },
    RULE_2,
  )

/** Whether every figure would be withheld. It is decided on exact counts, so that no noise is drawn that nobody sees. */
export function withholdsAll(open: OpenWindow, released_at: number): boolean {
  const { figures } = decideWindow(open, open.exact, released_at, undefined)
  return METRICS.every((metric) => figures.of[metric].value === null)
}

/**
 * Closes a window: draws its noise and stores it, in the transaction that publishes the figures. A crash before the commit
 * leaves nothing of the noise, and nobody has seen it; after the commit, the window is closed for ever.
 */
export async function closeWindow(
  tx: Db,
  open: OpenWindow,
  previous: FigureRelease | undefined,
  { released_at, dice }: { released_at: number; dice: Dice },
): Promise<{ window_no: number; figures: PublicFigures; moves: Move[]; refreshes_providers: boolean }> {
  const { data_class, last_batch_id } = await ledger.ledgerState(tx)
  const { unit, count, exact, windows } = open
  const window_no = (windows.at(-1)?.window_no ?? 0) + 1
  const tally = drawWindow(exact, unit, RULE_2, dice)
  await store.insertWindow(tx, { window_no, closed_at: released_at, last_batch_id, unit, tally })
  const drawn = (await ledger.allProviders(tx)).map(
    (npi) => [npi, drawProvider(count.providerTally(npi), unit, RULE_2, dice)] as const,
  )
  await store.insertProviderWindows(tx, window_no, drawn)
  await ledger.insertLeftOut(tx, count.left_out)
  await ledger.replacePending(tx, count.waiting)
  const { figures, moves } = decideWindow(open, tally, released_at, previous)
  const { rule_version, of, ...others } = figures
  return {
    window_no,
    moves,
    figures: { sdc_rule_version: rule_version, data_class, noise: noiseOf(RULE_2), metrics: of, ...others },
    refreshes_providers: beginsQuarter(released_at, await providers.lastRefreshAt(tx)),
  }
}

// The states that may be asked for, as docs/spec/tables/localities.json has them.

import { states } from '../../docs/spec/tables/localities.json'
import { frozen } from './frozen.ts'

/** A state, the District of Columbia, or an area that has Medicare. */
export interface StateEntry {
  state: string
  /** It has several localities. Which of them were loaded must not decide whether it has one price. */
  divided?: boolean
  /** The state in whose locality it lies, where it has none of its own. */
  localities_of?: string
}
export const STATES: ReadonlyMap<string, StateEntry> = new Map(
  frozen(states as readonly StateEntry[]).map((entry) => [entry.state, entry]),
)

// States of the figures, changes of them, and logs that hold them.

import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { aNoisedState, aState, aStateOfNothing, firstRelease } from '../../src/proof/figures-fixture.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { figures } from '../../test/support/vector-keys.ts'
import { changed, type Members } from './operators.ts'

export const POLICY = formatPolicy([figures])

/** The fixtures of the tests in fewer letters, as a value that shares nothing. */
const brief = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll('What it is among what', 'A rate').replaceAll('.000Z', 'Z'))

export const NOTHING = brief(aStateOfNothing())
export const STATE = brief(aState())
/** With standard errors, a band, and the unit that epsilon is spent on. */
export const NOISED = brief(aNoisedState())
export const NOISE = { mechanism: 'discrete_laplace', epsilon: '0.5', windows: 'disjoint' }
const nulls = Object.fromEntries(Object.keys(STATE.metrics).map((name) => [`metrics.${name}.standard_error`, null]))
const NO_ERRORS = { unit: null, median_band: null, counts_standard_error: null, sdc_rule_version: '2.0.0' }
/** Before the first release under rule 2. */
export const NOISED_NOTHING = changed(NOTHING, { ...nulls, ...NO_ERRORS })

/** The entries of the first release from this place on: seven changes and the state. */
export const released = (state: object, first: number): Members[] =>
  brief(firstRelease(first, state as never)) as Members[]

/** A change of a rate at this place. */
export const change = (seq: number, given: Members = {}): Members => ({ ...released(STATE, seq)[0], ...given })

export const logOf = (entries: readonly object[], signer = figures): MemoryLog =>
  new MemoryLog(signer).append(...entries.map((entry) => utf8(canonical(entry))))

// The current published figures: the state entries of the figures log, and the answer that follows from a state.

import { FIGURES_PROOF } from './body.ts'
import { canonical, isText } from './canonical-json.ts'
import { FIGURES_ORIGIN, inLog } from './evidence.ts'
import { ensure } from './fault.ts'
import type { TrustPolicy } from './note/policy.ts'
import { both, type Check, closed, count, instant, label, matches, NAME, oneOf, orNull, path, token } from './shape.ts'

export const FIGURES_STATE = 'figures-state/1'

/** A published figure. A value that is withheld is null and has a reason. */
export interface CurrentFigure<Value extends number | string = number | string> {
  value: Value | null
  /** In the unit of the value. States from before rule 2, and of exact figures, do not have it. */
  standard_error?: Value | null
  suppressed: boolean
  reason: string | null
  as_of: string | null
  definition: string
}

/** An entry of the figures log: the figures after a release. The answer follows from it alone. */
export interface FiguresState {
  schema: typeof FIGURES_STATE
  /** Null with `as_of` and `data_class` before the first release. */
  release_id: string | null
  as_of: string | null
  data_class: 'published' | 'sample' | null
  sdc_rule_version: string
  metrics: {
    w: CurrentFigure<number>
    r: CurrentFigure<number>
    p: CurrentFigure<number>
    savings_total: CurrentFigure<string>
    savings_median: CurrentFigure<string>
  }
  cases_floor10: number | null
  settlements_floor10: number | null
  noise?: { mechanism: string; epsilon: string; windows: string }
  /** Marks figures without noise. */
  exact?: true
  /** The unit that epsilon protects. It comes with the two members below and each `standard_error`, or none of them does. */
  unit?: 'case' | 'person' | null
  /** From `low` dollars to below `high`, which is null if there is no upper end. */
  median_band?: { low: string; high: string | null } | null
  counts_standard_error?: number | null
  recorded_at: string
}

export interface FiguresProof {
  type: typeof FIGURES_PROOF
  state: FiguresState
  log: FiguresLogProof
}

const rate: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1
const amount = matches(/^[0-9]{1,18}\.[0-9]{2}$/)
const floor10 = both(count, (value) => (value as number) % 10 === 0)

const figure = (value: Check): Check =>
  both(
    closed(
      {
        value: orNull(value),
        suppressed: oneOf(true, false),
        reason: orNull(matches(NAME)),
        as_of: orNull(instant),
        definition: label,
      },
      { standard_error: orNull(value) },
    ),
    (figure) => {
      const { value, suppressed, reason, standard_error } = figure as CurrentFigure
      const hasError = standard_error === undefined || (standard_error === null) === suppressed
      return suppressed === (value === null) && suppressed === (reason !== null) && hasError
    },
  )

/** Before the first release there is no figure; after it, each was decided at some release. */
const isWhole: Check = (state) => {
  const { release_id, as_of, data_class, metrics, cases_floor10, settlements_floor10 } = state as FiguresState
  const figures = Object.values(metrics)
  if (release_id !== null) return as_of !== null && data_class !== null && figures.every((each) => each.as_of !== null)
  return [as_of, data_class, cases_floor10, settlements_floor10, ...figures.flatMap((f) => [f.value, f.as_of])].every(
    (each) => each === null,
  )
}

/** The members of rule 2 are all there or none of them. With a release they are about noise, and without one they are null. */
const hasErrors: Check = (state) => {
  const { release_id, metrics, cases_floor10, settlements_floor10, noise, exact, ...rest } = state as FiguresState
  const { unit, median_band, counts_standard_error } = rest
  const members = [unit, median_band, counts_standard_error, ...Object.values(metrics).map((f) => f.standard_error)]
  if (members.every((each) => each === undefined)) return true
  if (members.includes(undefined) || exact !== undefined) return false
  const isCounted = cases_floor10 !== null || settlements_floor10 !== null
  if (isCounted !== (counts_standard_error !== null)) return false
  return release_id === null ? unit === null && median_band === null : unit !== null && noise !== undefined
}

/** The class of the cases behind figures; null before the first release. */
export const isDataClass = orNull(oneOf('published', 'sample'))

export const isFiguresState = both(
  closed(
    {
      schema: oneOf(FIGURES_STATE),
      release_id: orNull(token),
      as_of: orNull(instant),
      data_class: isDataClass,
      sdc_rule_version: token,
      metrics: closed({
        w: figure(rate),
        r: figure(rate),
        p: figure(rate),
        savings_total: figure(amount),
        savings_median: figure(amount),
      }),
      cases_floor10: orNull(floor10),
      settlements_floor10: orNull(floor10),
      recorded_at: instant,
    },
    {
      noise: closed({ mechanism: matches(NAME), epsilon: token, windows: matches(NAME) }),
      exact: oneOf(true),
      unit: orNull(oneOf('case', 'person')),
      median_band: orNull(closed({ low: amount, high: orNull(amount) })),
      counts_standard_error: orNull(count),
    },
  ),
  isWhole,
  hasErrors,
) as (value: unknown) => value is FiguresState

/** The place of an entry in the figures log. The path of the only entry is empty. */
export interface FiguresLogProof {
  index: number
  inclusion: string[]
  checkpoint: string
}
export const isFiguresLogProof = closed({ index: count, inclusion: path, checkpoint: isText }) as (
  value: unknown,
) => value is FiguresLogProof

const isFiguresProof = closed({ type: oneOf(FIGURES_PROOF), state: isFiguresState, log: isFiguresLogProof }) as (
  value: unknown,
) => value is FiguresProof

/** The answer that follows from a state: the service gives it, and a verifier compares with it. */
export function figuresAnswer(state: FiguresState) {
  const { metrics, cases_floor10, settlements_floor10, as_of, release_id, sdc_rule_version, data_class } = state
  const { noise, exact, unit, median_band, counts_standard_error } = state
  const { w, r, p, savings_total, savings_median } = metrics
  return {
    w: w.value,
    r: r.value,
    p: p.value,
    savings: {
      total: savings_total.value,
      median: savings_median.value,
      ...(median_band !== undefined && { median_band }),
      currency: 'USD',
    },
    cases_floor10,
    settlements_floor10,
    ...(counts_standard_error !== undefined && { counts_standard_error }),
    provenance: 'service_outcomes_ledger',
    as_of,
    release_id,
    metrics,
    pii_policy: 'aggregate_only',
    sdc_rule_version,
    data_class,
    ...(noise && { noise }),
    ...(exact && { exact }),
    ...(unit !== undefined && { unit }),
  } as const
}

/**
 * Checks the answer of `/api/figures`: it follows from its state, and the state is the last leaf of the figures log, so
 * that no later one can be kept back.
 */
export async function checkFigures(
  body: Record<string, unknown>,
  policy: TrustPolicy,
): Promise<{ state: FiguresState; checkpoint: string }> {
  const { proof, ...answer } = body
  ensure(proof !== undefined && proof !== null, 'proof_missing')
  ensure(isFiguresProof(proof), 'proof_malformed')
  const { state, log } = proof
  const { size } = await inLog(state, log, policy, FIGURES_ORIGIN, 'state_not_in_log')
  ensure(log.index === size - 1, 'state_not_last')
  ensure(canonical(answer) === canonical(figuresAnswer(state)), 'body_contradicts_proof')
  return { state, checkpoint: log.checkpoint }
}

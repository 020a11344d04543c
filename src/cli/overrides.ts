import { BREAKER_RULES, type BreakerRule, type Override } from '../registry/release/breaker.ts'
import { OVERRIDE_REASONS, type OverrideReason } from '../tables/service-reasons.ts'
import { UsageFault } from './command.ts'

/** The options of commands that publish: the limits of the breaker to override, and the reasons. */
export const OVERRIDE_OPTIONS = {
  override: { type: 'string', multiple: true },
  reason: { type: 'string', multiple: true },
} as const

/** Reads pairs of `--override RULE --reason CODE`. One reason may apply to all. */
export function overridesFrom({
  override = [],
  reason = [],
}: {
  override?: string[] | undefined
  reason?: string[] | undefined
}): Override[] {
  if (reason.length !== override.length && (reason.length !== 1 || override.length === 0))
    throw new UsageFault('give one --reason for each --override, or one for all of them')
  return override.map((rule, i) => ({ rule: breakerRule(rule), reason: overrideReason(reason[i] ?? reason[0]) }))
}

function breakerRule(text: string): BreakerRule {
  const rule = BREAKER_RULES.find((each) => each === text)
  if (!rule) throw new UsageFault(`--override must be one of ${BREAKER_RULES.join(', ')}`)
  return rule
}

function overrideReason(text: string | undefined): OverrideReason {
  const reason = OVERRIDE_REASONS.find((each) => each === text)
  if (!reason) throw new UsageFault(`--reason must be one of ${OVERRIDE_REASONS.join(', ')}`)
  return reason
}

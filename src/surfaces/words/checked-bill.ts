// The sentences about the check of a bill, and bills as programs and language models send them.

import { capitals } from '../../proof/lookup/question.ts'
import { isObject, type Members } from '../../proof/shape.ts'
import { readKind, readLookup } from './input.ts'
import { counted, dollars } from './row-text.ts'

interface CheckAnswer {
  side: { kind: string }
  lines: unknown[]
  findings: { says: string; ask: string; amount_at_issue?: string }[]
  skipped: { rule: string; chart: string; day: string; why?: string; lines: number[] }[]
  sums: { billed?: string; medicare?: { listed: string; at_most: string; by_rules: string }; at_issue: string }
  prolonged?: { chart: string; publisher_until: string }[]
  about: { not_checked: string }
}

/** So many findings stand in the sentence: the answer has them all. */
const MOST_FINDINGS = 8

export function checkSentence({ side, lines, findings, skipped, sums, prolonged = [], about }: CheckAnswer): string {
  const { billed, medicare, at_issue } = sums
  const shown = findings.slice(0, MOST_FINDINGS)
  const more =
    findings.length > shown.length ? [`${findings.length - shown.length} more findings are in the answer.`] : []
  const unchecked = [...new Set(skipped.map(({ chart, day, why }) => `${chart} on ${day}${why ? ` (${why})` : ''}`))]
  return [
    `Checked as the bill of a ${side.kind.replaceAll('_', ' ')}: ${counted(lines.length, 'line')}${billed === undefined ? '' : `, ${dollars(billed)} billed`}.`,
    ...(medicare
      ? [
          `Medicare lists ${dollars(medicare.listed)} for these lines and would pay ${dollars(medicare.by_rules)} by its published rules${medicare.at_most === medicare.by_rules ? '' : `, at most ${dollars(medicare.at_most)}`}; this is a reference, not what a patient owes.`,
        ]
      : ['No line has a Medicare price here.']),
    findings.length === 0
      ? 'Nothing was found by the rules that could be checked.'
      : `${counted(findings.length, 'finding')}, ${dollars(at_issue)} at issue: ${shown.map(({ says, ask }) => `${says} Ask: ${ask}`).join(' ')}`,
    ...more,
    ...(unchecked.length > 0 ? [`Not checked, which is no pass: ${unchecked.join(', ')}.`] : []),
    ...prolonged.map(
      ({ chart, publisher_until }) =>
        `The publisher's own period of ${chart} ended on ${publisher_until}; the operator prolonged it.`,
    ),
    about.not_checked,
  ].join(' ')
}

/** Reads a bill, as far as it is sure what is meant: texts for numbers, `99213-25` for code and modifier, and names of lookups. */
export function readBill({ lines, as_of, ...sent }: Members, today: string): Members {
  const { kind, ...read } = readLookup({ ...sent, ...(as_of !== undefined && { as_of }) }, today)
  const { as_of: day = sent['day'], ...others } = read
  const named = typeof kind === 'string' ? (readKind(kind) ?? kind) : kind
  return {
    ...others,
    ...(named !== undefined && { kind: named }),
    ...(day !== undefined && { day }),
    lines: Array.isArray(lines) ? lines.map((line) => readBillLine(line, today)) : lines,
  }
}

function readBillLine(sent: unknown, today: string): unknown {
  const line = typeof sent === 'string' ? { code: sent } : sent
  if (!isObject(line)) return sent
  const { cpt, code = cpt, modifier, modifiers = modifier, as_of, day = as_of, ...others } = line
  const joined = Array.isArray(modifiers) ? modifiers.join('-') : modifiers
  const {
    cpt: ownCode,
    modifier: ownModifier,
    as_of: ownDay,
    units,
    billed,
    ...rest
  } = readLookup({ ...others, cpt: code, modifier: joined, as_of: day }, today)
  return {
    ...rest,
    ...(ownCode !== undefined && { code: ownCode }),
    ...(ownModifier !== undefined && {
      modifiers: typeof ownModifier === 'string' ? capitals(ownModifier).split('-') : ownModifier,
    }),
    ...(ownDay !== undefined && { day: ownDay }),
    ...(units !== undefined && { units: typeof units === 'number' ? String(units) : units }),
    ...(billed !== undefined && { billed: typeof billed === 'number' ? billed.toFixed(2) : billed }),
  }
}

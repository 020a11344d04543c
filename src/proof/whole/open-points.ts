// The points that a check leaves open: for an answer without its proof, and for an answer without its question.

import { isCompound } from '../canonical-json.ts'
import { PROOF_REF } from '../envelope.ts'
import type { Members } from '../shape.ts'
import type { AnyKind } from './kind.ts'

/** The sentence about a short answer: a true one and a false one look the same. */
export const SHORT_ANSWER =
  'This answer has a pointer in place of its proof. It cannot be checked as it stands, which says nothing for it or against it. Ask again without proof=ref (over MCP with include = "proof") and check that answer, or check the row at `proof.href`.'

/** Whether a body is an answer in its short form: it has a pointer, and no checkpoint, which every proof has. */
export const isShortAnswer = (body: unknown): boolean =>
  !isAnywhere(body, (each) => 'checkpoint' in each) && isAnywhere(body, (each) => each['type'] === PROOF_REF)

const isAnywhere = (value: unknown, test: (members: Members) => boolean): boolean =>
  isCompound(value) && (test(value as Members) || Object.values(value).some((each) => isAnywhere(each, test)))

/** The points that are not proved if the question was not given. */
const UNPROVED: Readonly<Record<AnyKind, string>> = {
  question:
    'that it answers what you asked, that it is in force on the day you mean, and what it says of modifiers and their amount',
  questions:
    'that the lines answer what you asked, their days, units and charges, what they say of modifiers, and lines that were refused',
  bill: 'that it is about your bill, that no finding is invented or left out, what is paid by the rules, and the sums',
  page: 'that the rows are those that you asked for, their day, and that there are no others before and after them',
  sheet:
    'that these are all rows of the code at the place, each once and in order, and `not_held`, `place` and `as_of`',
  compare: 'that these are all hospitals near the place, each with the price that you asked for, and the day',
  releases: 'that no release is missing, and where this page stands in the list',
  coverage: 'that no edition is missing, the day, where this page stands in the list, and what the editions hold',
  history: 'that it answers what you asked, that no edition is missing, and where this page stands in the list',
  figures: '',
  entries: 'that no change is missing before and after these',
}
/** The points that are not proved even with the question: they are the word of the service. */
const WORD_ALONE: { readonly [kind in AnyKind]?: string } = {
  questions: '`as_of` of the bill, as each line was checked for its own day',
  page: 'that there are no rows before and after these, and what `page` says',
  releases:
    'that withdrawn and replaced releases are all listed, what comes before an offset above 0, and how many there are in all',
  coverage:
    'what the editions hold, that none is missing if a code or a hospital was asked for, what comes before an offset above 0, and how many there are in all',
  history: 'how many editions there are in all',
}

/** A sentence about the points that are not proved; empty if there are none. */
export function openPoints(kind: AnyKind, isAsked: boolean): string {
  const open = (isAsked ? WORD_ALONE[kind] : UNPROVED[kind]) ?? ''
  if (open === '') return ''
  return isAsked
    ? `This is the word of the service, and not proved: ${open}.`
    : `The question was not checked, so this is not proved: ${open}.`
}

/** The sentences for all kinds. */
export const allOpenPoints = (isAsked: boolean): { [kind: string]: string } =>
  Object.fromEntries(Object.keys(UNPROVED).map((kind) => [kind, openPoints(kind as AnyKind, isAsked)]))

// Payers and kinds of plans, as docs/spec/tables/payers.json has them. No verifier needs them: a row has the id of its payer.

import { billing_words, kind_words, kinds, payers, spellings } from '../../docs/spec/tables/payers.json'
import { frozen } from './frozen.ts'

/** The kind of a plan. `unstated` where no name says it: it is never guessed. */
export type PlanKind = keyof typeof kinds

export interface PayerEntry {
  /** Its id, the first part of the payer of a row. */
  payer: string
  name: string
  /** It is this payer if a name has one of them, as whole words of the normalised name. */
  words: readonly string[]
  /** The kind of all its plans, where their names do not say another. */
  kind?: PlanKind
  source: string
}
export const PAYER_ENTRIES = frozen(payers as readonly PayerEntry[])

/** In the order in which they are tried. */
export const KIND_WORDS = frozen(kind_words as readonly { kind: PlanKind; words: readonly string[] }[])
export const PLAN_KINDS = frozen(Object.keys(kinds) as [PlanKind, ...PlanKind[]])
/** Other spellings of words, which are replaced in this order. */
export const SPELLINGS: readonly { written: string; means: string }[] = frozen(spellings)
/** What billing programs write before the names of plans. */
export const BILLING_WORDS: readonly string[] = frozen(billing_words)

// The numbers of the tables of bill edits, as docs/spec/tables/edits.json has them.

import { add_on_notes, limit_rationales, pair_rationales } from '../../docs/spec/tables/edits.json'
import { frozen } from './frozen.ts'

/** A word of the publisher's closed list. Published modules are without it. */
export interface EditWord {
  /** How the publisher spells it in its files, one of several where it was renamed. */
  spelled: readonly string[]
  /** In words of ours. */
  says: string
}
export type EditWords = Readonly<Record<string, EditWord>>

/** Why a limit is what it is. */
export const LIMIT_RATIONALES: EditWords = frozen(limit_rationales)
/** Why two codes are not paid together. */
export const PAIR_RATIONALES: EditWords = frozen(pair_rationales)
/** What the publisher says beside a line of the table of add-on codes. */
export const ADD_ON_NOTES: EditWords = frozen(add_on_notes)

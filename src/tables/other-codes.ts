// What people ask for that this registry does not price, or writes in another way, as docs/spec/tables/other-codes.json has it. No verifier
// needs it.

import { codes, families, words } from '../../docs/spec/tables/other-codes.json'
import { frozen } from './frozen.ts'

/** A kind of code that has not the form of a procedure code. */
export interface OtherCode {
  thing: string
  /** A pattern for the whole code, without a repeat inside a repeat. */
  form: string
  says: string
}
/** In the order in which they are tried. */
export const OTHER_CODES: readonly OtherCode[] = frozen(codes)

/** Codes that others than Medicare use, or that a schedule prices which is not held, by the characters that they begin with. */
export const CODE_FAMILIES: readonly { begins: string; says: string }[] = frozen(families)

/** Words that ask for prices which are not held. */
export const OTHER_WORDS: readonly { words: readonly string[]; says: string }[] = frozen(words)

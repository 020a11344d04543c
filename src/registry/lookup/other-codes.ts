// Names what a question asks for that is no price of this registry: a diagnosis, a drug package, a code of another program.

import { CODE_FAMILIES, OTHER_CODES } from '../../tables/other-codes.ts'

const FORMS = OTHER_CODES.map(({ form, says }) => ({ form: new RegExp(`^(?:${form})$`), says }))
/** No code is longer. */
const MOST_CHARACTERS = 16

/** A sentence about a text that is no procedure code; undefined where nothing is known of it. It repeats nothing of the text. */
export function otherCode(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const plain = text.trim().toUpperCase()
  return plain.length > MOST_CHARACTERS ? undefined : FORMS.find(({ form }) => form.test(plain))?.says
}

/** A sentence about a procedure code that others than Medicare use; undefined for the others. */
export const familyOf = (code: string): string | undefined =>
  CODE_FAMILIES.find(({ begins }) => /^[A-Z]/.test(code) && code.startsWith(begins))?.says

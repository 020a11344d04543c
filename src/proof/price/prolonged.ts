// The mark of editions that the operator prolonged: every row of one says beside its pointer when the publisher's own period ended.

import type { Manifest } from './release.ts'

export interface Prolonged {
  publisher_until: string
}

/** A member to be spread beside the pointer of a row. */
export const prolongedBy = ({ publisher_until }: Manifest): { prolonged?: Prolonged } =>
  publisher_until === undefined ? {} : { prolonged: { publisher_until } }

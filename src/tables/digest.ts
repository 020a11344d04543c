// The digest of the tables that the rule of the lookup reads, as docs/spec/tables/digest.json has it.

import { rule } from '../../docs/spec/tables/digest.json'

/** Stated by each state of the registry: a verifier with other tables says so, and does not guess. */
export const TABLES_DIGEST: string = rule

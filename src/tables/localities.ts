// The Medicare localities, as docs/spec/tables/localities.json has them. No verifier needs them.

import { localities, postal } from '../../docs/spec/tables/localities.json'
import { frozen } from './frozen.ts'

/** Areas where ZIP codes lie, and which nobody asks for. They are in the locality of Hawaii. */
export const POSTAL_AREAS: readonly string[] = frozen(postal)

/** A locality can cross a state line: DC 01 has suburbs in Maryland and Virginia, and Hawaii 01 has Guam. */
export interface LocalityEntry {
  region: string
  /** The number of the contractor that pays there. */
  contractor: string
}
export const LOCALITY_ENTRIES: readonly LocalityEntry[] = frozen(localities)

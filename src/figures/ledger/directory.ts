import type { Db } from '../../db/db.ts'
import { Problem } from '../../problem.ts'
import { isNpi } from '../../proof/lookup/npi.ts'
import { Complaints, readRecords } from './csv.ts'
import * as store from './store.ts'

/** `entity_type` as NPPES has it: 2 is an organisation, 1 is a person. */
const COLUMNS = ['npi', 'entity_type'] as const

/** Adds organisations to the provider directory; returns how many were new. The caller makes sure that none is a person. */
export function insertProviders(db: Db, npis: readonly string[]): Promise<number> {
  if (!npis.every(isNpi)) throw new Problem('invalid_npi', 'an NPI for the directory is malformed; nothing was added')
  return db.transaction((tx) => store.insertProviders(tx, npis))
}

/** Imports a directory file of `npi,entity_type`, whole or not at all. People (type 1) are refused (rule P1). */
export async function importProviders(
  db: Db,
  file: AsyncIterable<Uint8Array>,
): Promise<{ providers: number; added: number }> {
  const complaints = new Complaints()
  const npis: string[] = []
  await readRecords(file, [COLUMNS], complaints, ([npi = '', type, ...more], line) => {
    if (!isNpi(npi)) complaints.add(line, 1, 'npi_check_digit')
    else if (type !== '2') complaints.add(line, 2, type === '1' ? 'person_not_organisation' : 'not_an_entity_type')
    else if (more.length > 0) complaints.add(line, 3, 'column_count')
    else npis.push(npi)
  })
  complaints.refuse('source_unreadable')
  return { providers: npis.length, added: await insertProviders(db, npis) }
}

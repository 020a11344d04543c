import { createHmac, randomInt } from 'node:crypto'
import type { Db } from '../../db/db.ts'
import { Problem } from '../../problem.ts'
import type { DataClass } from '../rule/figure.ts'
import { Complaints, readRecords } from './csv.ts'
import { COLUMNS, type PersonDigest, readNamedCase, readOutcome, WITH_PERSONS } from './outcome.ts'
import { sealOpen } from './seal.ts'
import * as store from './store.ts'

interface LedgerChange {
  batch_id: number
  cases: number
  /** True if this file was imported before; nothing was changed then. */
  already_imported: boolean
}

interface ImportOptions {
  now: () => number
  data_class?: DataClass
  /** The secret of the installation, under which persons are digested. Needed for files with `person_token`. */
  pepper?: Uint8Array
}

const FILE_HEADERS = [COLUMNS, WITH_PERSONS]

/** How much of a file is in memory at once, and how long other writers wait for one step of staging it. */
const LINES_PER_STEP = 5000
const MAX_STAGING_ID = 2 ** 47
/** An import updates its timestamp at every step. After this long without an update it counts as dead. */
const SILENCE_MS = 120_000

/** Adds a file of outcomes to the ledger, all of it or nothing. Importing the same bytes again changes nothing. */
export const importOutcomes = (
  db: Db,
  file: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<LedgerChange> =>
  change(db, file, options, {
    kind: 'import',
    headers: FILE_HEADERS,
    read: readOutcome,
    rules: ['case_named_twice', 'case_already_in_ledger', 'npi_not_in_directory', 'person_token_missing'],
    apply: store.importStaged,
  })

/** Replaces cases of the ledger by those of the file, all of them or nothing. Each must be in the ledger. */
export const correctOutcomes = (
  db: Db,
  file: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<LedgerChange> =>
  change(db, file, options, {
    kind: 'correction',
    headers: FILE_HEADERS,
    read: readOutcome,
    rules: ['case_named_twice', 'case_not_in_ledger', 'npi_not_in_directory'],
    apply: store.correctStaged,
  })

/** Removes the cases that the file names, all of them or nothing. Each must be in the ledger. */
export const deleteOutcomes = (
  db: Db,
  file: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<LedgerChange> =>
  change(db, file, options, {
    kind: 'deletion',
    headers: [['case_ref']],
    read: (fields, line, _context, complaints) => readNamedCase(fields, line, complaints),
    rules: ['case_named_twice', 'case_not_in_ledger'],
    apply: store.deleteStaged,
  })

interface ChangeSteps {
  kind: store.BatchKind
  headers: readonly (readonly string[])[]
  read: (
    fields: readonly string[],
    line: number,
    context: Parameters<typeof readOutcome>[2],
    complaints: Complaints,
  ) => store.StagedLine['outcome'] | undefined
  /** The rules that need the store to be checked. */
  rules: readonly store.StoreRule[]
  apply: (tx: Db, staging_id: number, batch_id: number) => Promise<unknown>
}

/**
 * Reads a file into a staging table in small steps, then checks it and moves it to the ledger in one transaction. A crash
 * before that leaves staged lines, which a later import removes; after it, the file is in the ledger. Several imports can
 * run at once; each is checked against the ledger as the earlier ones left it.
 */
async function change(db: Db, file: AsyncIterable<Uint8Array>, options: ImportOptions, how: ChangeSteps) {
  const { now, data_class } = options
  const complaints = new Complaints()
  const imported_at = now()
  const staging_id = randomInt(1, MAX_STAGING_ID)
  await store.dropAbandoned(db, (await db.now()) - SILENCE_MS)
  try {
    await store.putAlive(db, staging_id, await db.now())
    const { source_digest, cases } = await stageFile(db, file, staging_id, imported_at, complaints, {
      ...how,
      digest: personDigest(options.pepper),
    })
    if (cases === 0 && complaints.count === 0) complaints.add(2, 1, 'no_cases')
    complaints.refuse('outcomes_refused')
    return await db.transaction(async (tx): Promise<LedgerChange> => {
      const before = await store.findBatch(tx, how.kind, source_digest)
      if (before) return { ...before, already_imported: true }
      if ((await store.countStaged(tx, staging_id)) !== cases)
        throw new Problem(
          'outcomes_refused',
          'reading the file took too long, and its staged lines were removed: nothing was changed; import it again',
        )
      for (const rule of how.rules) await complain(tx, rule, staging_id, complaints)
      complaints.refuse('outcomes_refused')
      const batch = { kind: how.kind, source_digest, data_class: data_class ?? 'published', imported_at, cases }
      const batch_id = await store.insertBatch(tx, batch)
      await how.apply(tx, staging_id, batch_id)
      await sealOpen(tx)
      return { batch_id, cases, already_imported: false }
    })
  } finally {
    await store.endStaging(db, staging_id)
  }
}

async function stageFile(
  db: Db,
  file: AsyncIterable<Uint8Array>,
  staging_id: number,
  imported_at: number,
  complaints: Complaints,
  { headers, read, digest }: ChangeSteps & { digest: PersonDigest },
): Promise<{ source_digest: string; cases: number }> {
  const year = new Date(imported_at).getUTCFullYear()
  let step: store.StagedLine[] = []
  let cases = 0
  const flush = async (): Promise<void> => {
    const lines = step
    step = []
    // Once a rule is broken, the rest is read only to report more mistakes.
    await db.transaction(async (tx) => {
      if (complaints.count === 0) await store.insertStaged(tx, staging_id, lines)
      await store.putAlive(tx, staging_id, await tx.now())
    })
  }
  const source_digest = await readRecords(
    file,
    headers,
    complaints,
    (fields, line, columns) => {
      const outcome = read(fields, line, { year, columns, digest }, complaints)
      if (!outcome) return
      cases++
      step.push({ line, outcome })
    },
    () => (step.length >= LINES_PER_STEP ? flush() : undefined),
  )
  await flush()
  return { source_digest, cases }
}

/**
 * Digests a token to 48 bits, so that two persons rarely get the same digest and count as one. The secret prevents that
 * tokens are found by trying.
 */
const personDigest =
  (pepper: Uint8Array | undefined): PersonDigest =>
  (token) => {
    if (!pepper) throw new TypeError('a file with persons needs the secret of the installation')
    return createHmac('sha256', pepper).update(`agent-trust-registry: person ${token}`).digest().readUIntBE(0, 6)
  }

const COLUMN_OF: Record<store.StoreRule, number> = {
  case_already_in_ledger: 1,
  case_not_in_ledger: 1,
  case_named_twice: 1,
  npi_not_in_directory: COLUMNS.indexOf('npi') + 1,
  person_token_missing: WITH_PERSONS.length,
}

async function complain(tx: Db, rule: store.StoreRule, staging_id: number, complaints: Complaints): Promise<void> {
  const { count, first } = await store.linesBreaking(tx, rule, staging_id, Complaints.SHOWN)
  complaints.addAll(
    count,
    first.map((line) => ({ line, column: COLUMN_OF[rule], rule })),
  )
}

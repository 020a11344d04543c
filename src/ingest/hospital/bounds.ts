import { unreadable } from '../../files/unreadable.ts'
import { type LoadBudget, spend } from '../budget.ts'

// Bounds of the work that a file may make. A hostile file is small: its codes, charges and NPIs multiply each other.
// Seventeen real files have up to 4 codes in a line or item, one of them of a procedure, up to 13 charges in an item, and
// 90 bytes and more for each combination of code, modifier, setting and NPI. Of 940 hospitals, none names more than 13 NPIs.

const MOST_CODES = 50
const MOST_LISTED = 1_000
const MOST_CHARGES = 10_000
const FREE_SCRATCH = 64 * 1024 ** 2
const SCRATCH_PER_BYTE = 12
const FREE_CHARGES = 2_000_000
const BYTES_PER_CHARGE = 1
const FREE_COMBINATIONS = 1_000_000
const BYTES_PER_COMBINATION = 1

const ASK = 'ask the hospital for its current file'

/** Bounds an item of a JSON file before anything of it is read. */
export function boundItem(codes: number, charges: number, ordinal: number): void {
  if (codes > MOST_LISTED) throw unreadable(`an item has more than ${MOST_LISTED} codes of any kind: ${ASK}`, ordinal)
  if (charges > MOST_CHARGES) throw unreadable(`an item has more than ${MOST_CHARGES} charges: ${ASK}`, ordinal)
}

/** Bounds the codes of a line or item: each charge counts for all of them. */
export function boundCodes(codes: number, line: number): void {
  if (codes > MOST_CODES) throw unreadable(`there are more than ${MOST_CODES} codes: ${ASK}`, line)
}

/** Bounds the temporary file by how much of the source was read. */
export function boundScratch(scratchBytes: number, sourceBytes: number, budget?: LoadBudget): void {
  spend(budget, 'scratch_bytes', scratchBytes)
  if (scratchBytes > FREE_SCRATCH + sourceBytes * SCRATCH_PER_BYTE)
    throw unreadable(`the file has too many combinations of codes, modifiers, settings and payers for its size: ${ASK}`)
}

/** Bounds how often a charge is counted for a code, which is what takes time, by how much of the source was read. */
export function boundCharges(counted: number, sourceBytes: number): void {
  if (counted > FREE_CHARGES + sourceBytes / BYTES_PER_CHARGE)
    throw unreadable(`the file has too many codes in its items for its size: ${ASK}`)
}

/** Bounds the rows: every combination is stored for every NPI. */
export function boundRows(combinations: number, npis: number, sourceBytes: number): void {
  if (combinations * npis > FREE_COMBINATIONS + sourceBytes / BYTES_PER_COMBINATION)
    throw unreadable(
      `the file has too many combinations of codes, modifiers, settings, payers and NPIs for its size: give fewer NPIs with --npi, or ${ASK}`,
    )
}

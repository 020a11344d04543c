// The rows that a body shows, each with a pointer into the body's one proof. They are collected first, and become facts with
// the proof.

import { toBase64, utf8 } from './bytes.ts'
import { isRowPointer, type RowPointer } from './envelope.ts'
import { ensure } from './fault.ts'
import { type AnyRow, isAnyRow, MAX_LEAF_BYTES, type PlaceRow, rowText } from './price/row.ts'
import { isObject, type Members } from './shape.ts'
import { type Hash, leafHash } from './tree/merkle.ts'

/** A row as the body shows it. That it is of the release is not checked yet. */
export interface StatedRow<R extends AnyRow = AnyRow> {
  row: R
  pointer: RowPointer
  /** Members beside the pointer, if there are any. */
  prolonged: unknown
  hash: Hash
}

export function leafOfRow(row: AnyRow): Hash {
  const bytes = utf8(rowText(row))
  ensure(bytes.length <= MAX_LEAF_BYTES, 'row_too_large')
  return leafHash(bytes)
}

export class ShownRows {
  readonly all: StatedRow[] = []

  /** Takes a row with its pointer in the member `proof`. */
  take(shown: unknown): StatedRow {
    const { proof, prolonged, ...row } = (isObject(shown) ? shown : {}) as Members
    return this.takeBare(row, proof, prolonged)
  }

  takeBare(row: unknown, pointer: unknown, prolonged: unknown): StatedRow {
    ensure(isAnyRow(row), 'row_malformed')
    ensure(pointer !== undefined, 'proof_missing')
    ensure(isRowPointer(pointer), 'proof_malformed')
    const stated = { row, pointer, prolonged, hash: leafOfRow(row) }
    ensure(toBase64(stated.hash) === pointer.leaf_hash, 'leaf_hash_mismatch')
    this.all.push(stated)
    return stated
  }

  takePlace(shown: unknown): StatedRow<PlaceRow> {
    const stated = this.take(shown)
    ensure(stated.row.kind === 'place', 'row_malformed')
    return stated as StatedRow<PlaceRow>
  }
}

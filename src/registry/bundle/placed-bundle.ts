import type { StoredBundle } from './open-bundle.ts'

/** Where the hashes of a bundle stand among other bytes. */
export interface PlacedHashes {
  readonly hashes: DataView
  hashesAt: number
  hashesSize: number
  /** Whether all rows and hashes of the bundle were found to lead to the published root, and are the same since. */
  isSound: boolean
}

/** A bundle where it stands among other bytes. To make views of its parts would take as long as to read some of its rows. */
export class PlacedBundle implements PlacedHashes {
  rowsAt = 0
  rowsEnd = 0
  hashesAt = 0
  hashesSize = 0
  isSound = false
  /** Of a bundle that was found on its page: where it begins in its file, and how many bytes it has. */
  startInFile = 0
  size = 0

  private constructor(
    readonly rows: Uint8Array,
    readonly hashes: DataView,
  ) {}

  /** In a page, whose bundles are told one after the other. */
  static on(page: Uint8Array): PlacedBundle {
    return new PlacedBundle(page, viewOf(page))
  }

  static of({ rows, hashes }: StoredBundle): PlacedBundle {
    const placed = new PlacedBundle(rows, viewOf(hashes))
    placed.rowsEnd = rows.length
    placed.hashesSize = hashes.length
    return placed
  }

  /** The same as views. */
  stored(): StoredBundle {
    const { buffer, byteOffset } = this.hashes
    return {
      rows: this.rows.subarray(this.rowsAt, this.rowsEnd),
      hashes: new Uint8Array(buffer, byteOffset + this.hashesAt, this.hashesSize),
    }
  }
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

const NONE = new Uint8Array()

/** One class for all: what the engine compiles for pages does for these too. */
export const placedHashes = (hashes: Uint8Array): PlacedHashes => PlacedBundle.of({ rows: NONE, hashes })

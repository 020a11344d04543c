import { type Db, StoreFault } from '../db/db.ts'
import { equalBytes, toBase64 } from '../proof/bytes.ts'
import { formatTreeHead, parseTreeHead } from '../proof/checkpoint.ts'
import { EMPTY_ROOT, type Hash, inclusionPath, leafHash, rangeRoot } from '../proof/merkle.ts'
import type { LogProof } from '../proof/row.ts'
import { keyId, type NoteSigner, openNote, signNote } from '../proof/signed-note.ts'
import { rootInTile, subtreesFromTiles, TILE_WIDTH } from '../proof/tiles.ts'
import type { StoredCheckpoint } from './store.ts'
import * as store from './store.ts'

const HASH_SIZE = 32
const MAX_LEAF_BYTES = 65_535

/** An append-only log (C2SP tlog-tiles) kept in the database. What is public is in it, by the same transaction. */
export class Log {
  constructor(
    /** How its rows are marked in the tables, and its place under `/log/`. */
    readonly name: 'registry' | 'figures',
    readonly signer: NoteSigner,
  ) {}

  get origin(): string {
    return this.signer.name
  }

  /** A log begins with a signed checkpoint of nothing, so that an empty store cannot pass for a new one. */
  async create(tx: Db, at: number): Promise<void> {
    if (await store.currentCheckpoint(tx, this.name)) throw new StoreFault(`the ${this.name} log exists already`)
    await this.#insertCheckpoint(tx, 0, EMPTY_ROOT, at)
  }

  /** Adds leaves and signs the larger tree. Nothing is public before the caller's transaction commits. */
  async append(tx: Db, bodies: readonly Uint8Array[], at: number): Promise<{ first: number; head: StoredCheckpoint }> {
    const before = await this.head(tx)
    let size = before.size
    for (const body of bodies) {
      if (body.length > MAX_LEAF_BYTES) throw new RangeError('a log entry is at most 65,535 bytes')
      await store.insertLeaf(tx, this.name, size, body)
      await this.#extend(tx, 0, size, leafHash(body))
      size++
    }
    const root = await this.#rereadRoot(tx, before.size, size)
    return { first: before.size, head: await this.#insertCheckpoint(tx, size, root, Math.max(at, before.signed_at)) }
  }

  /** Puts entry `index` of a level in its tile; a tile that is full becomes an entry of the level above. */
  async #extend(tx: Db, level: number, index: number, hash: Hash): Promise<void> {
    const n = Math.floor(index / TILE_WIDTH)
    const width = index % TILE_WIDTH
    const before = width === 0 ? new Uint8Array() : await this.#tile(tx, level, n)
    // Whatever a failed attempt left past the committed width is overwritten.
    const hashes = new Uint8Array((width + 1) * HASH_SIZE)
    hashes.set(before.subarray(0, width * HASH_SIZE))
    hashes.set(hash, width * HASH_SIZE)
    await store.putTile(tx, this.name, { level, n, width: width + 1 }, hashes)
    if (width + 1 === TILE_WIDTH) await this.#extend(tx, level + 1, n, rootInTile(hashes, 0, TILE_WIDTH))
  }

  /** Logs have died of a bit flipped between hashing and storing: what is signed is computed from stored bytes. */
  async #rereadRoot(tx: Db, from: number, to: number): Promise<Hash> {
    const bodies = await store.leafBodies(tx, this.name, from, to)
    const read = this.#subtrees(tx)
    for (const [i, body] of bodies.entries()) {
      const stored = await read({ height: 0, index: from + i })
      if (!equalBytes(stored, leafHash(body))) throw new StoreFault(`entry ${from + i} was not stored as written`)
    }
    if (bodies.length !== to - from) throw new StoreFault('entries are missing that were just written')
    return rangeRoot(0, to, read)
  }

  async #insertCheckpoint(tx: Db, size: number, root: Hash, at: number): Promise<StoredCheckpoint> {
    const note = await signNote(formatTreeHead({ origin: this.origin, size, root }), [this.signer])
    const checkpoint = { size, root: toBase64(root), note, signed_at: at }
    await store.insertCheckpoint(tx, this.name, checkpoint)
    return checkpoint
  }

  async head(db: Db): Promise<StoredCheckpoint> {
    const head = await store.currentCheckpoint(db, this.name)
    if (!head) throw new StoreFault(`the ${this.name} log has no checkpoint: restore the store from a backup`)
    return head
  }

  /** The proof that entry `index` is in the log as of `head`. */
  async prove(db: Db, index: number, head: StoredCheckpoint): Promise<LogProof> {
    const path = await inclusionPath(index, head.size, this.#subtrees(db))
    return { index, inclusion: path.map(toBase64), checkpoint: head.note }
  }

  #subtrees(db: Db) {
    return subtreesFromTiles((level, n) => this.#tile(db, level, n))
  }

  async #tile(db: Db, level: number, n: number): Promise<Uint8Array> {
    const tile = await store.findTile(db, this.name, level, n)
    if (!tile) throw new StoreFault(`a tile of the ${this.name} log is missing: restore the store from a backup`)
    return tile
  }

  /** A quick look before serving: our key signed the head, and the stored tiles and leaves agree with it. */
  async check(db: Db): Promise<void> {
    const head = await this.head(db)
    const { name, publicKey } = this.signer
    const opened = await openNote(head.note, [{ name, id: keyId(name, publicKey), publicKey }])
    if (!opened.ok) throw new StoreFault(`the ${this.name} log was signed with another key: check SIGNING_KEY_FILE`)
    const signed = parseTreeHead(opened.note.text)
    const root = await rangeRoot(0, head.size, this.#subtrees(db))
    const sound =
      signed?.size === head.size &&
      toBase64(signed.root) === head.root &&
      toBase64(root) === head.root &&
      (await store.countLeaves(db, this.name)) === head.size
    if (!sound) throw new StoreFault(`the ${this.name} log does not match its signed checkpoint: run \`atr fsck\``)
  }
}

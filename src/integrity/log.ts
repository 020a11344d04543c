import { DamageFault, type Db, StoreFault } from '../db/db.ts'
import { equalBytes, toBase64 } from '../proof/bytes.ts'
import { openNote, signNote, type VerifierKey } from '../proof/note/signed-note.ts'
import { formatTreeHead, parseTreeHead } from '../proof/note/tree-head.ts'
import {
  EMPTY_ROOT,
  HASH_SIZE,
  type Hash,
  inclusionPath,
  leafHash,
  rangeRoot,
  rootFromInclusion,
  type SubtreeReader,
} from '../proof/tree/merkle.ts'
import { rootInTile, subtreesFromTiles, TILE_WIDTH } from '../proof/tree/tiles.ts'
import type { CheckpointLock } from './checkpoint-lock.ts'
import type { LogKeys } from './key-file.ts'
import { verifierKey } from './log-key.ts'
import type { StoredCheckpoint } from './store.ts'
import * as store from './store.ts'

const MAX_LEAF_BYTES = 65_535
const CLOCK_SKEW_MS = 5_000

/** Called with the number of each publishing step, in order. See docs/spec/log.md. */
export type Trace = (step: number) => void

interface LogParts {
  /** The name in the tables and in paths under `/log/`. */
  name: 'registry' | 'figures'
  /** Returns the current keys, which another process may rotate. To sign, call it under the write lock. */
  keys: () => LogKeys
  lock: CheckpointLock
  trace?: Trace
}

/** Where an entry stands in the log, under one of its checkpoints. */
export interface EntryProof {
  index: number
  inclusion: string[]
  checkpoint: string
}

/** An append-only log (C2SP tlog-tiles) in the database. Everything public is in it. */
export class Log {
  readonly name: LogParts['name']
  readonly lock: CheckpointLock
  readonly trace: Trace
  /** Stays the same when keys are rotated. */
  readonly origin: string
  readonly #keys: LogParts['keys']
  readonly #listeners: (() => void)[] = []

  constructor({ name, keys, lock, trace = () => undefined }: LogParts) {
    this.name = name
    this.lock = lock
    this.trace = trace
    this.#keys = keys
    this.origin = keys().signers[0].name
  }

  /** Calls `listener` when this process has made a new checkpoint public. */
  whenPublic(listener: () => void): void {
    this.#listeners.push(listener)
  }

  announce(): void {
    for (const listener of this.#listeners) listener()
  }

  get signers(): LogKeys['signers'] {
    return this.#keys().signers
  }

  /** Signers and retired keys as they were at one moment. */
  currentKeys(): LogKeys {
    return this.#keys()
  }

  /** The keys whose signatures are accepted now. */
  get keys(): VerifierKey[] {
    return this.signers.map(verifierKey)
  }

  /** A log begins with a signed checkpoint of size 0, so that an emptied store cannot pass for a new one. */
  async create(tx: Db, at: number): Promise<void> {
    if (await store.currentCheckpoint(tx, this.name)) throw new StoreFault(`the ${this.name} log exists already`)
    const first = await this.#sign(tx, 0, EMPTY_ROOT, at)
    await store.putHead(tx, this.name, first)
    this.lock.create(this.name, first.note)
  }

  /** Adds entries and signs the larger tree; returns the index of the first. Nothing is public before the caller commits. */
  async append(tx: Db, bodies: readonly Uint8Array[], at: number): Promise<number> {
    const before = await this.signed(tx)
    if (at < before.signed_at - CLOCK_SKEW_MS)
      throw new StoreFault(
        `the clock is behind the last checkpoint, which was signed at ${new Date(before.signed_at).toISOString()}: correct the clock before publishing; if it is right, that checkpoint was signed by a clock that was ahead, and publishing can go on at that time`,
      )
    this.trace(2)
    let size = before.size
    for (const body of bodies) {
      if (body.length > MAX_LEAF_BYTES) throw new RangeError('a log entry is at most 65,535 bytes')
      await store.insertLeaf(tx, this.name, size, body)
      await this.#extend(tx, 0, size, leafHash(body))
      size++
    }
    this.trace(3)
    const root = await this.#rereadRoot(tx, before.size, size)
    await this.#sign(tx, size, root, Math.max(at, before.signed_at))
    this.trace(4)
    return before.size
  }

  /** Puts entry `index` of a level in its tile; the root of a full tile becomes an entry of the level above. */
  async #extend(tx: Db, level: number, index: number, hash: Hash): Promise<void> {
    const n = Math.floor(index / TILE_WIDTH)
    const width = index % TILE_WIDTH
    const before = width === 0 ? new Uint8Array() : await this.#tile(tx, level, n)
    // Hashes that a failed attempt left past the committed width are overwritten.
    const hashes = new Uint8Array((width + 1) * HASH_SIZE)
    hashes.set(before.subarray(0, width * HASH_SIZE))
    hashes.set(hash, width * HASH_SIZE)
    await store.putTile(tx, this.name, { level, n, width: width + 1 }, hashes)
    if (width + 1 === TILE_WIDTH) await this.#extend(tx, level + 1, n, rootInTile(hashes, 0, TILE_WIDTH))
  }

  /** A bit flipped between hashing and storing has ended other logs, so the signed root is computed from stored bytes. */
  async #rereadRoot(tx: Db, from: number, to: number): Promise<Hash> {
    const bodies = await store.leafBodies(tx, this.name, from, to)
    const read = this.subtrees(tx)
    for (const [i, body] of bodies.entries()) {
      const stored = await read({ height: 0, index: from + i })
      if (!equalBytes(stored, leafHash(body))) throw new StoreFault(`entry ${from + i} was not stored as written`)
    }
    if (bodies.length !== to - from) throw new StoreFault('entries that were just written are missing')
    return rangeRoot(0, to, read)
  }

  async #sign(tx: Db, size: number, root: Hash, at: number): Promise<StoredCheckpoint> {
    const note = await signNote(formatTreeHead({ origin: this.origin, size, root }), this.signers)
    const checkpoint = { size, root: toBase64(root), note, signed_at: at }
    await store.insertCheckpoint(tx, this.name, checkpoint)
    return checkpoint
  }

  /** The last signed checkpoint. It is public only when it is the head. */
  async signed(db: Db): Promise<StoredCheckpoint> {
    return this.#present(await store.currentCheckpoint(db, this.name))
  }

  /** The public checkpoint: every answer is proved under it, and nothing beyond it is shown. */
  async head(db: Db): Promise<StoredCheckpoint> {
    return this.#present(await store.currentHead(db, this.name))
  }

  #present(checkpoint: StoredCheckpoint | undefined): StoredCheckpoint {
    if (!checkpoint) throw new StoreFault(`the ${this.name} log has no checkpoint: restore the store from a backup`)
    return checkpoint
  }

  /** The proof that entry `index` is in the log as of `head`. Throws if the proof does not hold, so that it is never sent. */
  async prove(db: Db, index: number, head: StoredCheckpoint, leaf?: Hash): Promise<EntryProof> {
    const read = this.subtrees(db)
    const path = await inclusionPath(index, head.size, read)
    const own = leaf ?? (await read({ height: 0, index }))
    const root = rootFromInclusion(index, head.size, own, path)
    if (!root || toBase64(root) !== head.root)
      throw new DamageFault(`an entry of the ${this.name} log fails its own proof: run \`atr fsck\``)
    return { index, inclusion: path.map(toBase64), checkpoint: head.note }
  }

  subtrees(db: Db): SubtreeReader {
    return subtreesFromTiles((level, n) => this.#tile(db, level, n))
  }

  async #tile(db: Db, level: number, n: number): Promise<Uint8Array> {
    const tile = await store.findTile(db, this.name, level, n)
    if (!tile) throw new DamageFault(`a tile of the ${this.name} log is missing: restore the store from a backup`)
    return tile
  }

  /** A quick check before serving: our key signed the last checkpoint, and the stored tiles and leaves agree with it. */
  check(db: Db): Promise<void> {
    // Another process may publish meanwhile, so everything is read in one snapshot.
    return db.snapshot((tx) => this.#check(tx))
  }

  /** Says why no current key opens a note. The keys of a backup from before a rotation may have been retired since. */
  async #unknownKey(note: string): Promise<StoreFault> {
    const retired = this.currentKeys().retired.map(({ key }) => key)
    return (await openNote(note, retired)).ok
      ? new StoreFault(
          `the ${this.name} log was signed with a key that is retired now: this backup needs the log-keys from before \`atr log retire-key\`, see docs/operate.md, Backup`,
        )
      : new StoreFault(`the ${this.name} log was signed with another key: check SIGNING_KEY_FILE`)
  }

  async #check(tx: Db): Promise<void> {
    const signed = await this.signed(tx)
    const opened = await openNote(signed.note, this.keys)
    if (!opened.ok) throw await this.#unknownKey(signed.note)
    const head = parseTreeHead(opened.note.text)
    const root = await rangeRoot(0, signed.size, this.subtrees(tx))
    const sound =
      head?.size === signed.size &&
      toBase64(head.root) === signed.root &&
      toBase64(root) === signed.root &&
      (await store.countLeaves(tx, this.name)) === signed.size &&
      (await this.head(tx)).size <= signed.size
    if (!sound) throw new StoreFault(`the ${this.name} log does not match its signed checkpoint: run \`atr fsck\``)
  }
}

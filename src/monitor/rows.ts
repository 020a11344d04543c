// The rows of a release: their hashes lead to the manifest, and each row is one that the release can have.

import { equalBytes, fromBase64, toBase64, utf8 } from '../proof/bytes.ts'
import { canonical } from '../proof/canonical-json.ts'
import { verifyDerivation } from '../proof/price/derivation.ts'
import type { Manifest, Period } from '../proof/price/release.ts'
import { type AnyRow, rowKey, rowText } from '../proof/price/row.ts'
import { GrowingTree, HASH_SIZE, type Hash, leafHash } from '../proof/tree/merkle.ts'
import { type ProvedRow, verifyBody } from '../proof/verify.ts'
import { MOST, textOf } from './fetcher.ts'
import { type Parts, pieces } from './log.ts'
import { type Depth, hashesIn } from './memory.ts'

/** The files at hand that releases cite. */
export interface Sources {
  /** Whether all files that a release cites are at hand, by name or by digest. */
  hold(release: Manifest): boolean
  /** Reads rows again in the files that they cite: the key of one that is not there. `last` is true with the last rows of a release. */
  check(rows: readonly AnyRow[], release: Manifest, last: boolean): Promise<{ key: string; reason: string } | undefined>
}

const MOST_ROWS = 20_000_000
const PAGE_ROWS = 200

/** The leaf hashes of a release, if they lead to its root. */
export async function rowHashes({ fetcher, alarms }: Parts, release: Manifest): Promise<Uint8Array[] | undefined> {
  const { release_id, row_count, rows_root } = release
  if (row_count > MOST_ROWS) {
    const what = `${release_id} claims ${row_count} rows, more than this monitor reads`
    alarms.raise('row_hashes_missing', what, { manifest: canonical(release) })
    return undefined
  }
  const tree = new GrowingTree()
  const tiles: Uint8Array[] = []
  for (const { n, width } of pieces(0, row_count)) {
    const tile = await fetcher.part(`/log/releases/${encodeURIComponent(release_id)}`, 0, n, width)
    if (!tile || tile.length < width * HASH_SIZE) {
      alarms.raise('row_hashes_missing', `${release_id}, tile ${n}`, { manifest: canonical(release) })
      return undefined
    }
    const hashes = tile.subarray(0, width * HASH_SIZE)
    for (const hash of hashesIn(hashes)) tree.add(hash)
    tiles.push(hashes)
  }
  const root = fromBase64(rows_root)
  if (root && equalBytes(tree.root, root)) return tiles
  const evidence = { manifest: canonical(release), root_of_tiles: toBase64(tree.root) }
  alarms.raise('row_hashes_wrong', release_id, evidence)
  return undefined
}

const hashAt = (tiles: readonly Uint8Array[], index: number): Hash | undefined =>
  tiles[index >> 8]?.subarray((index & 255) * HASH_SIZE, ((index & 255) + 1) * HASH_SIZE)

/** Reads every row of a release from the pages of its chart, on a day on which it is in force. How far it came. */
export async function checkRows(
  parts: Parts,
  release: Manifest,
  period: Period,
  tiles: readonly Uint8Array[],
  sources: Sources | undefined,
  checkpoint: string | undefined,
): Promise<Depth> {
  const reading = new Reading(parts, release, tiles)
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await pageOf(parts, release, period, after)
    if (!page) return 'hashes'
    if (page.checkpoint !== checkpoint && !reading.isOf(page.rows)) {
      parts.alarms.note(`${release.release_id} was replaced or withdrawn while it was read: the next round goes on`)
      return 'hashes'
    }
    if (!reading.take(page.rows, page.text)) return 'hashes'
    after = page.next
    const rows = page.rows.map(({ row }) => row)
    const found = await sources?.check(rows, release, after === undefined)
    if (found) {
      const what = `${release.release_id}, row ${found.key}, ${found.reason}`
      parts.alarms.raise('not_at_source', what, { manifest: canonical(release), body: page.text })
      return 'hashes'
    }
  }
  return reading.isWhole() ? (sources ? 'source' : 'rows') : 'hashes'
}

interface Page {
  rows: ProvedRow[]
  text: string
  checkpoint: string
  next: string | undefined
}

/** One page, verified as whoever reads it would. */
async function pageOf(
  { fetcher, policy, alarms }: Parts,
  release: Manifest,
  { chart, from }: Period,
  after: string,
): Promise<Page | undefined> {
  const { release_id } = release
  const query = new URLSearchParams({ chart, as_of: from, limit: String(PAGE_ROWS), ...(after ? { after } : {}) })
  const fetched = await fetcher.get(`/api/registry?${query}`, MOST.page, true)
  const text = textOf(fetched?.bytes)
  if (fetched?.status !== 200 || text === undefined) {
    const body = { manifest: canonical(release), ...(text === undefined ? {} : { body: text }) }
    alarms.raise('rows_unreadable', `${release_id}, ${fetched ? `answered ${fetched.status}` : 'no answer'}`, body)
    return undefined
  }
  const verdict = await verifyBody(text, policy, { page: { as_of: from, chart } })
  if (!verdict.ok) {
    const { reason } = verdict
    const code = CODES[reason] ?? 'page_unverified'
    alarms.raise(code, `${release_id}, ${reason}`, { manifest: canonical(release), body: text })
    return undefined
  }
  const { page } = JSON.parse(text) as { page?: { next_after?: unknown } }
  const next = page?.next_after
  const { rows, checkpoint } = verdict
  return { rows, text, checkpoint, next: typeof next === 'string' && next !== '' ? next : undefined }
}

const CODES: { readonly [reason: string]: 'rows_unsorted' | 'row_not_of_release' } = {
  leaves_contradict: 'rows_unsorted',
  row_not_of_release: 'row_not_of_release',
  row_malformed: 'row_not_of_release',
  row_too_large: 'row_not_of_release',
  locator_not_cited: 'row_not_of_release',
}

/** What has been read of a release so far. */
class Reading {
  #count = 0
  #last = ''
  readonly #manifest: string

  constructor(
    readonly parts: Parts,
    readonly release: Manifest,
    readonly tiles: readonly Uint8Array[],
  ) {
    this.#manifest = canonical(release)
  }

  isOf(rows: readonly ProvedRow[]): boolean {
    return rows.every(({ release }) => canonical(release) === this.#manifest)
  }

  /** False where an alarm was raised. */
  take(rows: readonly ProvedRow[], body: string): boolean {
    const { release_id } = this.release
    const raise = (code: Parameters<Parts['alarms']['raise']>[0], detail: string): false => {
      this.parts.alarms.raise(code, `${release_id}, ${detail}`, { manifest: this.#manifest, body })
      return false
    }
    if (!this.isOf(rows)) return raise('rows_unreadable', 'its pages show another release')
    for (const { row } of rows) {
      const [index, key] = [this.#count++, rowKey(row)]
      const hash = hashAt(this.tiles, index)
      if (!hash || !equalBytes(hash, leafHash(utf8(rowText(row))))) return raise('row_altered', `row ${index}, ${key}`)
      if (index > 0 && key <= this.#last) return raise('rows_unsorted', `row ${index}, ${key} after ${this.#last}`)
      const derived = row.kind === 'place' ? { ok: true as const } : verifyDerivation(row)
      if (!derived.ok) return raise('arithmetic_wrong', `row ${index}, ${key}, ${derived.reason}`)
      this.#last = key
    }
    return true
  }

  isWhole(): boolean {
    const { release_id, row_count } = this.release
    if (this.#count === row_count) return true
    const what = `${release_id}, its pages end after ${this.#count} rows of ${row_count}`
    this.parts.alarms.raise('rows_unreadable', what, { manifest: this.#manifest })
    return false
  }
}

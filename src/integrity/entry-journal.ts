import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Db, DiskFault } from '../db/db.ts'
import { fromBase64, toBase64 } from '../proof/bytes.ts'
import { parseNote } from '../proof/note/signed-note.ts'
import { parseTreeHead } from '../proof/note/tree-head.ts'
import type { Log } from './log.ts'
import * as store from './store.ts'

/** The tree head of the locked checkpoint of a log. */
export const lockedHead = (log: Log) => parseTreeHead(parseNote(log.lock.get(log.name))?.text ?? '')

const journalPath = (log: Log): string => join(log.lock.folder, `${log.name}.entries`)

/**
 * Writes the entries that were signed since the lock moved last to a file beside the lock, before it moves on. A store
 * that is restored from an older backup can then be brought up to the lock, and its history goes on. A crash in between
 * leaves entries that are written a second time, with the same content.
 */
export async function keepEntries(tx: Db, log: Log): Promise<void> {
  // A store that the lock refuses may not add to the history.
  if (log.lock.complaint(log.name, await store.checkpoints(tx, log.name)) !== undefined) return
  const from = lockedHead(log)?.size ?? 0
  const bodies = await store.leafBodies(tx, log.name, from, (await log.signed(tx)).size)
  if (bodies.length === 0) return
  const lines = bodies.map((body, i) => `\n${JSON.stringify({ index: from + i, body: toBase64(body) })}`)
  try {
    const file = openSync(journalPath(log), 'a', 0o600)
    try {
      writeSync(file, lines.join(''))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    throw new DiskFault(`the checkpoint lock of the ${log.name} log cannot be written, see LOCK_DIR`, cause)
  }
}

/** The kept entries from an index on, up to the first one that is missing. */
export function keptEntries(log: Log, from: number): Uint8Array[] {
  if (!existsSync(journalPath(log))) return []
  const kept = new Map<number, Uint8Array>()
  for (const line of readFileSync(journalPath(log), 'utf8').split('\n')) {
    const [index, body] = parseLine(line)
    if (body) kept.set(index, body)
  }
  const entries: Uint8Array[] = []
  for (let at = from; kept.has(at); at++) entries.push(kept.get(at) as Uint8Array)
  return entries
}

/** A line that a crash cut short has no entry. The content of an entry is checked later, by the hash that was signed. */
function parseLine(line: string): [number, Uint8Array | undefined] {
  try {
    const { index, body } = JSON.parse(line) as { index: number; body: string }
    return [index, fromBase64(body)]
  } catch {
    return [0, undefined]
  }
}

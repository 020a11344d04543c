import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Db, DiskFault } from '../db/db.ts'
import { fromBase64, toBase64 } from '../proof/bytes.ts'
import { parseNote } from '../proof/note/signed-note.ts'
import { parseTreeHead } from '../proof/note/tree-head.ts'
import type { Log } from './log.ts'
import * as store from './store.ts'

/** The size that a log had at its locked checkpoint. */
export const notedHead = (log: Log) => parseTreeHead(parseNote(log.lock.noted(log.name))?.text ?? '')

const fileOf = (log: Log): string => join(log.lock.folder, `${log.name}.entries`)

/**
 * Writes the entries that were signed since the lock moved last beside the lock, before it moves on. A store that is
 * restored from an older backup can then be brought to where the lock is, in place of ending the history. A crash in
 * between leaves entries here that are written again: they are the same.
 */
export async function keepEntries(tx: Db, log: Log): Promise<void> {
  // A store that the lock refuses has nothing to add to the history.
  if (log.lock.complaint(log.name, await store.checkpoints(tx, log.name)) !== undefined) return
  const from = notedHead(log)?.size ?? 0
  const bodies = await store.leafBodies(tx, log.name, from, (await log.signed(tx)).size)
  if (bodies.length === 0) return
  const lines = bodies.map((body, i) => `\n${JSON.stringify({ index: from + i, body: toBase64(body) })}`)
  try {
    const file = openSync(fileOf(log), 'a', 0o600)
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

/** The entries that were kept from a place on, up to the first that is not there. */
export function keptEntries(log: Log, from: number): Uint8Array[] {
  if (!existsSync(fileOf(log))) return []
  const kept = new Map<number, Uint8Array>()
  for (const line of readFileSync(fileOf(log), 'utf8').split('\n')) {
    const [index, body] = entryIn(line)
    if (body) kept.set(index, body)
  }
  const entries: Uint8Array[] = []
  for (let at = from; kept.has(at); at++) entries.push(kept.get(at) as Uint8Array)
  return entries
}

/** A line that a crash cut short is not an entry. What an entry says is checked by the hash that was signed. */
function entryIn(line: string): [number, Uint8Array | undefined] {
  try {
    const { index, body } = JSON.parse(line) as { index: number; body: string }
    return [index, fromBase64(body)]
  } catch {
    return [0, undefined]
  }
}

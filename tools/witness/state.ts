import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StoreFault } from '../../src/db/db.ts'
import { replaceFile } from '../../src/db/replace-file.ts'
import { toHex, utf8 } from '../../src/proof/bytes.ts'
import { cosignersOf } from '../../src/proof/note/cosignature.ts'
import { parseNote, type VerifierKey } from '../../src/proof/note/signed-note.ts'
import { parseExtendedHead, type TreeHead } from '../../src/proof/note/tree-head.ts'
import { sha256 } from '../../src/proof/sha256.ts'

/** The latest checkpoint of a log that a witness has cosigned. */
export interface CosignedHead {
  head: TreeHead
  /** With the log's signatures and the witness's own, as it is served. */
  note: string
  /** When the witness signed it. */
  seconds: number
}

/** Names a log in files and addresses (tlog-witness, monitor retrieval). */
export const originHash = (origin: string): string => toHex(sha256(utf8(origin)))

/**
 * Reads the latest cosigned head of a log; undefined if there is none. The file must have the witness's own signature. A
 * damaged file must stop the witness: after a fresh start the log could take back what it has shown.
 */
export async function readLatest(dir: string, origin: string, witness: VerifierKey): Promise<CosignedHead | undefined> {
  const text = readIfThere(join(dir, originHash(origin)))
  if (text === undefined) return undefined
  const note = parseNote(text)
  const head = note && parseExtendedHead(note.text)
  const [own] = (note && (await cosignersOf(note, [witness]))) ?? []
  if (!head || head.origin !== origin || !own)
    throw new StoreFault(
      'the record that this witness keeps of a log is damaged: make a new witness, and never restore an old copy',
    )
  return { head, note: text, seconds: own.seconds }
}

/** Writes the head to disk. A power cut leaves the old file or the new one, never a part. */
export function writeLatest(dir: string, { head, note }: CosignedHead): void {
  replaceFile(join(dir, originHash(head.origin)), note)
}

/** Keeps two signed checkpoints that contradict each other. One pair is proof enough. */
export function keepFork(dir: string, { head, note }: CosignedHead, other: string): void {
  try {
    writeFileSync(join(dir, `${originHash(head.origin)}.fork`), `${note}\n${other}`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}

import { readFileSync } from 'node:fs'
import { type Db, StoreFault } from '../db/db.ts'
import { replaceFile } from '../db/replace-file.ts'
import { formatVerifierKey, openNote, parseNote, signNote } from '../proof/note/signed-note.ts'
import type { Log } from './log.ts'
import { generateLogKey, parseLogKey, verifierKey } from './log-key.ts'
import * as store from './store.ts'

/**
 * Adds a new key to each log, first in the file, so that both keys sign from now on. Readers who pin the old
 * key and readers who pin the new one can both verify.
 */
export function addKeys(keyFile: string, origins: readonly string[]): void {
  const lines = origins.map((origin) => generateLogKey(origin))
  replaceFile(keyFile, `${lines.join('\n')}\n${readFileSync(keyFile, 'utf8')}`)
}

/** Signs the public tree head again with all keys in use, so that any of them can verify it at once. */
export async function resign(db: Db, log: Log): Promise<void> {
  await db.transaction(async (tx) => {
    const head = await log.head(tx)
    const signed = await log.signed(tx)
    if (head.size !== signed.size) throw new StoreFault(`the ${log.name} log waits for its witnesses: publish first`)
    const text = parseNote(head.note)?.text
    if (text === undefined)
      throw new StoreFault(`the ${log.name} log has a checkpoint that cannot be read: run \`atr fsck\``)
    // Cosignatures sign the text, which does not change, so they are kept.
    const others = head.note
      .slice(text.length + 1)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(`\u2014 ${log.origin} `))
    const note = `${await signNote(text, log.signers)}${others.map((line) => `${line}\n`).join('')}`
    await store.putCheckpointNote(tx, log.name, head.size, note)
  })
}

/** Stops using all keys of each log but the newest. Their public halves stay, to verify what they signed. */
export async function retireOldKeys(db: Db, logs: readonly Log[], keyFile: string): Promise<string[]> {
  const retired: string[] = []
  for (const log of logs) {
    const newest = verifierKey(log.signers[0])
    if (!(await openNote((await log.head(db)).note, [newest])).ok)
      throw new StoreFault(
        `the newest key of the ${log.name} log has signed nothing yet: run \`atr log rotate-key\` first`,
      )
    retired.push(...log.signers.slice(1).map(({ name, publicKey }) => formatVerifierKey(name, publicKey)))
  }
  const lines = readFileSync(keyFile, 'utf8')
    .split('\n')
    .map((line) => publicHalf(line, retired))
  replaceFile(keyFile, lines.join('\n'))
  return retired
}

function publicHalf(line: string, retired: readonly string[]): string {
  const signer = parseLogKey(line)
  const key = signer && formatVerifierKey(signer.name, signer.publicKey)
  return key !== undefined && retired.includes(key) ? key : line
}

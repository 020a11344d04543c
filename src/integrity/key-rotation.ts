import { type Db, DiskFault, StoreFault } from '../db/db.ts'
import {
  formatVerifierKey,
  type Note,
  openNote,
  parseNote,
  signatureLine,
  signNote,
} from '../proof/note/signed-note.ts'
import type { KeyFile } from './key-file.ts'
import type { Log } from './log.ts'
import { generateLogKey, verifierKey } from './log-key.ts'
import type { StoredCheckpoint } from './store.ts'
import * as store from './store.ts'

/**
 * Adds a new key to each log and signs the newest tree heads again with all keys, so that readers who pin the old key and
 * readers who pin the new one can both verify at once. The write lock keeps publications out meanwhile, because readers
 * of the new key could not verify a head that only the old key signed.
 *
 * A crash can leave new keys in the file that have signed nothing. The next call signs with them and adds no others.
 */
export async function rotateKeys(db: Db, logs: readonly Log[], keyFile: KeyFile): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      const settled = await Promise.all(logs.map((log) => newestHasSigned(tx, log)))
      keyFile.add(logs.filter((_, i) => settled[i]).map(({ origin }) => generateLogKey(origin)))
      for (const log of logs) await resign(tx, log)
    })
  } catch (error) {
    if (!(error instanceof DiskFault)) throw error
    throw new StoreFault(
      `${error.reason}: there may be new keys in the key file that have signed nothing yet; make room, and run \`atr log rotate-key\` again`,
      { cause: error },
    )
  }
}

/** The public tree head, and the newest signed one if it still waits for witnesses. */
const newestHeads = async (tx: Db, log: Log): Promise<StoredCheckpoint[]> => [await log.head(tx), await log.signed(tx)]

async function newestHasSigned(tx: Db, log: Log): Promise<boolean> {
  const newest = [verifierKey(log.signers[0])]
  const opened = await Promise.all((await newestHeads(tx, log)).map(({ note }) => openNote(note, newest)))
  return opened.every(({ ok }) => ok)
}

async function resign(tx: Db, log: Log): Promise<void> {
  for (const { size, note } of await newestHeads(tx, log)) {
    const { text } = parsedNote(log, note)
    await store.putCheckpointNote(tx, log.name, size, await signNote(text, log.signers))
  }
  const { size, note } = await log.head(tx)
  const { text, signatures } = parsedNote(log, note)
  // Cosignatures sign the text, which does not change, so they are kept.
  const others = signatures.filter(({ name }) => name !== log.origin).map(signatureLine)
  await store.putHeadNote(tx, log.name, size, (await signNote(text, log.signers)) + others.join(''))
}

function parsedNote(log: Log, text: string): Note {
  const note = parseNote(text)
  if (!note) throw new StoreFault(`the ${log.name} log has a checkpoint that cannot be read: run \`atr fsck\``)
  return note
}

/**
 * Stops using all keys of each log but the newest. Their public halves stay in the file and in the policy, with the
 * newest checkpoint that they may have signed, so that their signatures up to it stay valid. Returns their verifier keys.
 */
export const retireOldKeys = (db: Db, logs: readonly Log[], keyFile: KeyFile): Promise<string[]> =>
  db.transaction(async (tx) => {
    for (const log of logs)
      if (!(await newestHasSigned(tx, log)))
        throw new StoreFault(
          `the newest key of the ${log.name} log has signed nothing yet: run \`atr log rotate-key\` first`,
        )
    const old = await Promise.all(
      logs.map(async (log) => {
        const { size, root } = await log.signed(tx)
        return log.signers.slice(1).map((signer) => ({ signer, size, root }))
      }),
    )
    keyFile.retire(old.flat())
    return old.flat().map(({ signer }) => formatVerifierKey(signer.name, signer.publicKey))
  })

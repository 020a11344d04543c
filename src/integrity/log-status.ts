import type { Db } from '../db/db.ts'
import { cosignersOf } from '../proof/note/cosignature.ts'
import { parseNote, type VerifierKey } from '../proof/note/signed-note.ts'
import type { Log } from './log.ts'

interface Witnesses {
  keys: readonly { key: VerifierKey }[]
  quorum: number
}

/** What a page for people says of a log: how long it is, when it was signed, and who has cosigned it. */
export async function logStatus(db: Db, log: Log, { keys, quorum }: Witnesses) {
  const { size, signed_at, note } = await log.head(db)
  const parsed = parseNote(note)
  const witnesses = keys.map(({ key }) => key)
  const cosigned = parsed ? ((await cosignersOf(parsed, witnesses))?.length ?? 0) : 0
  return {
    origin: log.origin,
    size,
    signed_at: new Date(signed_at).toISOString(),
    witnesses: { configured: witnesses.length, cosigned, quorum },
  }
}

// C2SP tlog-checkpoint: the signed note that says how large a log is and what its root is.

import { fromBase64, toBase64 } from '../bytes.ts'
import type { Hash } from '../tree/merkle.ts'
import { type Cosigner, cosignersOf } from './cosignature.ts'
import { meetsQuorum, type TrustPolicy } from './policy.ts'
import { type NoteFault, openNote } from './signed-note.ts'

export interface TreeHead {
  origin: string
  size: number
  root: Hash
}

export const formatTreeHead = ({ origin, size, root }: TreeHead): string => `${origin}\n${size}\n${toBase64(root)}\n`

/** Extension lines are not recommended by the specification and not written by this service, so they are refused. */
export function parseTreeHead(text: string): TreeHead | undefined {
  const match = /^([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/=]+)\n$/.exec(text)
  const [, origin = '', decimal = '', encoded = ''] = match ?? []
  const root = fromBase64(encoded)
  const size = Number(decimal)
  if (!match || root?.length !== 32 || !Number.isSafeInteger(size)) return undefined
  return { origin, size, root }
}

export type CheckpointFault = NoteFault | 'checkpoint_malformed' | 'origin_not_pinned' | 'quorum_not_met'

export type OpenedCheckpoint =
  | { ok: true; head: TreeHead; cosigners: Cosigner[] }
  | { ok: false; reason: CheckpointFault }

/** The last few checkpoints opened under a policy: all rows of a page share one, and a signature check costs most. */
const recent = new WeakMap<TrustPolicy, Map<string, Promise<OpenedCheckpoint>>>()
const MOST_RECENT = 8

/** A checkpoint counts if the log's own pinned key signed it, and a quorum of pinned witnesses cosigned it. */
export function openCheckpoint(note: string, policy: TrustPolicy): Promise<OpenedCheckpoint> {
  const known = recent.get(policy) ?? new Map<string, Promise<OpenedCheckpoint>>()
  recent.set(policy, known)
  const opened = known.get(note) ?? open(note, policy)
  known.delete(note)
  known.set(note, opened)
  for (const oldest of known.keys()) {
    if (known.size <= MOST_RECENT) break
    known.delete(oldest)
  }
  return opened
}

async function open(note: string, policy: TrustPolicy): Promise<OpenedCheckpoint> {
  const keys = policy.logs.map(({ key }) => key)
  const opened = await openNote(note, keys)
  if (!opened.ok) return opened
  const head = parseTreeHead(opened.note.text)
  if (!head) return { ok: false, reason: 'checkpoint_malformed' }
  if (!opened.signers.some((key) => key.name === head.origin)) return { ok: false, reason: 'origin_not_pinned' }
  const witnesses = policy.witnesses.map(({ key }) => key)
  const cosigners = await cosignersOf(opened.note, witnesses)
  if (!cosigners) return { ok: false, reason: 'note_signature_invalid' }
  const cosigning = cosigners.map(({ key }) => key)
  return meetsQuorum(policy, cosigning) ? { ok: true, head, cosigners } : { ok: false, reason: 'quorum_not_met' }
}

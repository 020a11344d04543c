// C2SP tlog-checkpoint: the signed note that says how large a log is and what its root is.

import { equalBytes } from '../bytes.ts'
import { ensure, type FailedCheck, verdictOf } from '../fault.ts'
import { type Cosigner, cosignersOf } from './cosignature.ts'
import { meetsQuorum, type RetiredKey, type TrustPolicy } from './policy.ts'
import { checkNote, type VerifierKey } from './signed-note.ts'
import { parseTreeHead, type TreeHead } from './tree-head.ts'

export interface OpenedCheckpoint {
  ok: true
  head: TreeHead
  cosigners: Cosigner[]
  /** True if only retired keys of its log signed it: it was published once, and says nothing about now. */
  retired: boolean
}

/** All rows of a page share a checkpoint, and a check of signatures costs most. */
const recent = new WeakMap<TrustPolicy, Map<string, Promise<OpenedCheckpoint | FailedCheck>>>()
const MOST_RECENT = 8

/** A checkpoint counts if the log's own pinned key signed it, and a quorum of pinned witnesses cosigned it. */
export async function openCheckpoint(note: string, policy: TrustPolicy): Promise<OpenedCheckpoint | FailedCheck> {
  const known = recent.get(policy) ?? new Map<string, Promise<OpenedCheckpoint | FailedCheck>>()
  // This throws if there is no policy, before a check begins whose failure nobody would wait for.
  recent.set(policy, known)
  const opened = known.get(note) ?? open(note, policy)
  if (known.size === MOST_RECENT) known.clear()
  known.set(note, opened)
  return opened
}

const open = (text: string, policy: TrustPolicy): Promise<OpenedCheckpoint | FailedCheck> =>
  verdictOf(async () => {
    const { logs, retired, witnesses } = policy
    const opened = await checkNote(text, keysOf([...logs, ...retired]))
    const head = parseTreeHead(opened.note.text)
    ensure(head, 'checkpoint_malformed')
    const signers = opened.signers.filter(({ name }) => name === head.origin)
    ensure(signers.length > 0, 'origin_not_pinned')
    const isRetired = !logs.some(({ key }) => signers.includes(key))
    ensure(!isRetired || retired.some((each) => signers.includes(each.key) && isUpTo(each, head)), 'key_retired')
    const cosigners = await cosignersOf(opened.note, keysOf(witnesses))
    ensure(cosigners, 'note_signature_invalid')
    ensure(meetsQuorum(policy, keysOf(cosigners)), 'quorum_not_met')
    return { ok: true, head, cosigners, retired: isRetired }
  })

const keysOf = (holders: readonly { key: VerifierKey }[]): VerifierKey[] => holders.map(({ key }) => key)

/** A stolen retired key must not be able to continue the log. */
const isUpTo = ({ size, root }: RetiredKey, head: TreeHead): boolean =>
  head.size < size || (head.size === size && equalBytes(head.root, root))

import { fromBase64 } from '../../src/proof/bytes.ts'
import type { Hash } from '../../src/proof/tree/merkle.ts'

const MAX_PROOF_LINES = 63

/** The body of `POST /add-checkpoint` (C2SP tlog-witness). */
export interface AddCheckpoint {
  /** The size from which the sender proves growth: what it thinks the witness has. */
  old: number
  proof: Hash[]
  /** The checkpoint, as a signed note. */
  note: string
}

/** Undefined on anything that is not exactly the documented form. */
export function parseAddCheckpoint(body: string): AddCheckpoint | undefined {
  const gap = body.indexOf('\n\n')
  if (gap < 0) return undefined
  const [first = '', ...lines] = body.slice(0, gap).split('\n')
  const decimal = /^old (0|[1-9][0-9]{0,15})$/.exec(first)?.[1]
  const old = Number(decimal)
  if (decimal === undefined || !Number.isSafeInteger(old) || lines.length > MAX_PROOF_LINES) return undefined
  const proof = lines.map(fromBase64)
  if (!proof.every((hash): hash is Hash => hash?.length === 32)) return undefined
  return { old, proof, note: body.slice(gap + 2) }
}

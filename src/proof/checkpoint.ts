// C2SP tlog-checkpoint: the signed note that says how large a log is and what its root is.

import { fromBase64, toBase64 } from './bytes.ts'
import type { Hash } from './merkle.ts'

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

// The text of a checkpoint: how large a log is and what its root is.

import { fromBase64, toBase64 } from '../bytes.ts'
import type { Hash } from '../tree/merkle.ts'

export interface TreeHead {
  origin: string
  size: number
  root: Hash
}

export const formatTreeHead = ({ origin, size, root }: TreeHead): string => `${origin}\n${size}\n${toBase64(root)}\n`

const THREE_LINES = /^([^\n]+)\n(0|[1-9]\d{0,15})\n(.+)\n$/
const WITH_EXTENSIONS = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/=]+)\n(?:[^\n]+\n)*$/

/** Refuses extension lines, which this service does not write. */
export const parseTreeHead = (text: string): TreeHead | undefined => headIn(THREE_LINES.exec(text))

/** Takes extension lines: a witness follows other logs too. */
export const parseExtendedHead = (text: string): TreeHead | undefined => headIn(WITH_EXTENSIONS.exec(text))

function headIn(match: RegExpExecArray | null): TreeHead | undefined {
  const [, origin = '', decimal = '', encoded = ''] = match ?? []
  const root = fromBase64(encoded)
  const size = Number(decimal)
  return root?.length === 32 && Number.isSafeInteger(size) ? { origin, size, root } : undefined
}

// C2SP tlog-policy: the one trust file an outsider pins. It names the logs whose checkpoints count.

import { formatVerifierKey, parseVerifierKey, type VerifierKey } from './signed-note.ts'

export interface TrustPolicy {
  logs: VerifierKey[]
}

export interface PolicyLog {
  name: string
  publicKey: Uint8Array
  url?: string
}

export const formatPolicy = (logs: readonly PolicyLog[]): string =>
  `${logs.map(({ name, publicKey, url }) => `log ${formatVerifierKey(name, publicKey)}${url ? ` ${url}` : ''}`).join('\n')}\nquorum none\n`

/**
 * Undefined on any line it does not understand: a trust file that is half understood is not trusted.
 * Witness lines are not understood yet, so a policy that asks for cosignatures is refused, never relaxed.
 */
export function parsePolicy(text: string): TrustPolicy | undefined {
  const logs: VerifierKey[] = []
  let quorum = 0
  for (const line of text.split('\n')) {
    const words = line.trim().split(/[ \t]+/)
    if (line.trim() === '' || line.startsWith('#')) continue
    if (words[0] === 'log' && (words.length === 2 || words.length === 3)) {
      const key = parseVerifierKey(words[1] ?? '')
      if (!key) return undefined
      logs.push(key)
    } else if (words[0] === 'quorum' && words[1] === 'none' && words.length === 2) {
      quorum++
    } else {
      return undefined
    }
  }
  return logs.length > 0 && quorum === 1 ? { logs } : undefined
}

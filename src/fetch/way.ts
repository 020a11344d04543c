// The way from a publisher's page to a file, as it is kept with a release.

import type { OutgoingAnswer } from '../outgoing/outgoing.ts'

/** A page or file that was read on the way. */
export interface Step {
  kind: 'pointer' | 'page' | 'agreement' | 'file'
  url: string
  status: number
  retrieved_at: string
  sha256: string
  bytes: number
  headers: Readonly<Record<string, string>>
  redirections: readonly { status: number; to: string }[]
}

export interface Way {
  /** The edition by its link, such as `2026 Q4`. */
  edition: string
  /** None where the operator gave the files from a folder. */
  steps: readonly Step[]
  agreement?: { gate: string; accepted_by: string; accepted_at: string; text_sha256: string }
}

const KEPT = ['content-type', 'content-length', 'date', 'etag', 'last-modified', 'server', 'via'] as const
/** Texts of a server are hostile, and an operator reads them in a terminal. */
const PLAIN = /^[\x20-\x7e]{1,200}$/

export const headersKept = ({ headers }: Pick<OutgoingAnswer, 'headers'>): Record<string, string> =>
  Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = headers.get(name) ?? ''
      return PLAIN.test(value) ? [[name, value] as const] : []
    }),
  )

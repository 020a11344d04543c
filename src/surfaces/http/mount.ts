import type { Call } from '../../operation.ts'

/** The endpoint of a protocol that has its own messages and errors: it gets each POST to its path, and answers it whole. */
export interface Mount {
  name: string
  path: string
  /** The only web pages that may use it, as origins. Every page may, if this is left out. Programs send no origin. */
  origins?: () => readonly string[]
  handle(request: Request, caller: { call: Call; requestId: string }): Promise<Response>
}

/** A page of another site must not use this address in the name of a reader who can reach it (DNS rebinding). */
export function isFromAllowedPage({ origins }: Mount, headers: Headers): boolean {
  const origin = headers.get('origin')
  return origin === null || origins === undefined || origins().includes(origin)
}

/** Headers that let web pages read the answer: only those pages that may use it. */
export function readersOf(mount: Mount, headers: Headers): Record<string, string> {
  const allowed = mount.origins?.()
  if (!allowed) return {}
  const origin = headers.get('origin') ?? ''
  const reader = allowed.includes(origin) ? origin : allowed[0]
  return { vary: 'Origin', ...(reader === undefined ? {} : { 'access-control-allow-origin': reader }) }
}

/** What the headers say about the connection and about where the body ends. */
export interface Framing {
  /** The length of the body in bytes; `CHUNKED` if it comes in chunks. */
  body: number
  keepsAlive: boolean
  expectsContinue: boolean
}

export const CHUNKED = -1

/** The head of a request that was read whole and found to be well-formed. Its texts are hostile all the same. */
export class Head {
  constructor(
    readonly method: string,
    /** Path and query as they were sent. */
    readonly target: string,
    /** HTTP/1.0. */
    readonly isOld: boolean,
    readonly framing: Framing,
    /** Names and values of all headers, with four bytes for what stands between. */
    readonly headerBytes: number,
    readonly text: string,
    /** Where each header has its name and its value in the text: four numbers each. */
    readonly marks: readonly number[],
  ) {}

  /** The value of a header, by its name in lower case. Several of one name are joined, as `Headers` does it. */
  get(name: string): string | null {
    const { marks, text } = this
    let found: string | null = null
    for (let i = 0; i < marks.length; i += 4) {
      const from = marks[i] as number
      if ((marks[i + 1] as number) - from !== name.length || !isNamed(text, from, name)) continue
      const value = text.slice(marks[i + 2], marks[i + 3])
      found = found === null ? value : `${found}, ${value}`
    }
    return found
  }

  /** Names and values, in their order. */
  headers(): [string, string][] {
    const { marks, text } = this
    const all: [string, string][] = []
    for (let i = 0; i < marks.length; i += 4)
      all.push([text.slice(marks[i], marks[i + 1]), text.slice(marks[i + 2], marks[i + 3])])
    return all
  }
}

/** A request as an object. The host that was named is hostile text and is never used. */
export function requestOf(head: Head, body: BodyInit | undefined, signal: AbortSignal): Request {
  const { method, target } = head
  const isSent = body !== undefined && method !== 'GET' && method !== 'HEAD'
  const content = isSent && { body, duplex: 'half' }
  return new Request(`http://localhost${target}`, { method, headers: head.headers(), signal, ...content })
}

/** A text that was cut out of a head keeps all of it in memory. So whoever remembers one makes it a text of its own. */
export const ownText = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')

/** No other byte of a token becomes a letter or a hyphen by this bit. */
const LOWER_CASE = 0x20

/** Whether a text has this name at a place. The name is in lower case, of letters, digits and hyphens. */
export function isNamed(text: string, from: number, name: string): boolean {
  for (let i = 0; i < name.length; i++)
    if ((text.charCodeAt(from + i) | LOWER_CASE) !== name.charCodeAt(i)) return false
  return true
}

/** Why a request is not read any further. The details are ours: nothing of the request stands in them. */
export interface Refusal {
  code: 'invalid_request' | 'headers_too_large' | 'uri_too_long' | 'method_not_implemented'
  detail?: string
}

export const malformed = (detail: string): Refusal => ({ code: 'invalid_request', detail })

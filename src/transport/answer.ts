/** An answer whose bytes are ready to be sent. */
export interface ReadyBytes {
  status: number
  /** The first line and the headers that are the same for everyone, each with its end. */
  head: Uint8Array
  /** Further headers, each with its end. All characters are single bytes. */
  lines: string
  body?: Uint8Array<ArrayBuffer> | undefined
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  206: 'Partial Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
}

export const statusLine = (status: number): string => `HTTP/1.1 ${status} ${REASONS[status] ?? ''}\r\n`

/** These headers are the connection's own, or depend on how the body is sent. */
const OWN = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date', 'content-length'])

/** First line and headers of an answer, without those of the connection. Values come from `Headers`: they have no line breaks. */
export function headText(status: number, headers: Headers): string {
  let text = statusLine(status)
  headers.forEach((value, name) => {
    if (!OWN.has(name)) text += `${name}: ${value}\r\n`
  })
  return text
}

/** Line breaks would begin another header. */
const NOT_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/** Headers as they are sent, without those of the connection. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = ''
  for (const name in headers) {
    if (OWN.has(name)) continue
    const value = headers[name] as string
    if (NOT_A_VALUE.test(value)) throw new Error(`the header ${name} has a character that no header can have`)
    lines += `${name}: ${value}\r\n`
  }
  return lines
}

const NOTHING = new Uint8Array()

/**
 * An answer with these headers. Where it ends follows from its bytes, whatever the headers say: a client that waits for more
 * takes the next answer for a part of this one. To HEAD they say how long the body would be.
 */
export const readyBytes = (
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array<ArrayBuffer> | null,
  isHead = false,
): ReadyBytes => {
  const length = isHead ? headers['content-length'] : (body?.length ?? 0)
  const framing = length === undefined || isBodiless(status) ? '' : `content-length: ${length}\r\n`
  const hasBody = body !== null && !isHead && !isBodiless(status)
  const lines = statusLine(status) + headerLines(headers) + framing
  return { status, head: NOTHING, lines, body: hasBody ? body : undefined }
}

/** The same answer as an object, read from its bytes. */
export function responseOf({ status, head, lines, body }: ReadyBytes): Response {
  const headers = new Headers()
  for (const line of (Buffer.from(head).toString('latin1') + lines).split('\r\n').slice(1, -1)) {
    const colon = line.indexOf(':')
    headers.append(line.slice(0, colon), line.slice(colon + 2))
  }
  return new Response(body ?? null, { status, headers })
}

/** Whether an answer with this status has no body, whatever the method. */
export const isBodiless = (status: number): boolean => status === 204 || status === 304

/** Says nothing: what went wrong is for the log of whoever failed. */
export const FAILED: ReadyBytes = {
  status: 500,
  head: Buffer.from(`${statusLine(500)}content-length: 0\r\n`),
  lines: '',
}

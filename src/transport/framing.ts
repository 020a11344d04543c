import { CHUNKED, type Framing, isNamed, malformed, type Refusal } from './head.ts'

const LENGTH = /^\d{1,15}$/
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/** Nothing may be said twice, or in two ways: whoever reads the other one sees another request. */
export function readFraming(text: string, marks: readonly number[], isOld: boolean): Framing | Refusal {
  let host: string | undefined
  let length: string | undefined
  let coding: string | undefined
  let connection = ''
  let expects: string | undefined
  for (let i = 0; i < marks.length; i += 4) {
    const from = marks[i] as number
    switch ((marks[i + 1] as number) - from) {
      case 4:
        if (!isNamed(text, from, 'host')) break
        if (host !== undefined) return malformed('the request has more than one Host header')
        host = valueAt(text, marks, i)
        break
      case 6:
        if (!isNamed(text, from, 'expect')) break
        if (expects !== undefined) return malformed('the request has more than one Expect header')
        expects = valueAt(text, marks, i).toLowerCase()
        break
      case 10:
        if (isNamed(text, from, 'connection')) connection += `,${valueAt(text, marks, i).toLowerCase()}`
        break
      case 14:
        if (!isNamed(text, from, 'content-length')) break
        if (length !== undefined) return malformed('the request has more than one Content-Length header')
        length = valueAt(text, marks, i)
        break
      case 17:
        if (!isNamed(text, from, 'transfer-encoding')) break
        if (coding !== undefined) return malformed('the request has more than one Transfer-Encoding header')
        coding = valueAt(text, marks, i).toLowerCase()
        break
    }
  }
  if (host === undefined ? !isOld : !HOST.test(host)) return malformed('the Host header is missing or malformed')
  if (length !== undefined && !LENGTH.test(length)) return malformed('the Content-Length is not a number of bytes')
  if (coding !== undefined && (coding !== 'chunked' || isOld))
    return malformed('the only Transfer-Encoding is chunked, in HTTP/1.1')
  if (coding !== undefined && length !== undefined)
    return malformed('the request has both a Content-Length and a Transfer-Encoding')
  if (expects !== undefined && expects !== '100-continue') return malformed('the only expectation is 100-continue')
  return {
    body: coding === undefined ? Number(length ?? 0) : CHUNKED,
    keepsAlive: connection === '' ? !isOld : keepsAlive(connection, isOld),
    expectsContinue: expects !== undefined && !isOld,
  }
}

const valueAt = (text: string, marks: readonly number[], i: number): string => text.slice(marks[i + 2], marks[i + 3])

function keepsAlive(connection: string, isOld: boolean): boolean {
  const options = connection.split(',').map((option) => option.trim())
  return options.includes('close') ? false : !isOld || options.includes('keep-alive')
}

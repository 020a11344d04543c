import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Answer } from './response.ts'

const deflate = promisify(gzip)
/** Below this, gzip saves less than its own header costs. */
const LEAST_BYTES = 256

/** Whether the caller takes gzip (RFC 9110 12.5.3): named, or by `*`, and not with a weight of zero. */
export function acceptsGzip(header: string | null): boolean {
  const codings = (header ?? '').split(',').map((part) => part.split(';').map((word) => word.trim().toLowerCase()))
  const coding = ['gzip', 'x-gzip', '*'].map((name) => codings.find(([each]) => each === name)).find(Boolean)
  return coding !== undefined && !coding.slice(1).some((weight) => /^q=0(\.0{0,3})?$/.test(weight))
}

/**
 * The answer, as gzip for those who take it. Caches keep the two apart by `Vary`, and as its ETag is over the bytes that
 * are sent, so do conditional requests.
 */
export async function compressed(request: Request, answer: Answer): Promise<Answer> {
  const vary = [answer.headers?.['vary'], 'Accept-Encoding'].filter(Boolean).join(', ')
  const varying = { ...answer, headers: { ...answer.headers, vary } }
  const bytes = Buffer.from(answer.body)
  if (bytes.length < LEAST_BYTES || !acceptsGzip(request.headers.get('accept-encoding'))) return varying
  return { ...varying, body: await deflate(bytes), headers: { ...varying.headers, 'content-encoding': 'gzip' } }
}

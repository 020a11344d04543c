import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { partsOf, remembered } from './remembered.ts'

/**
 * The content codings of answers. The first is none; the others are in the order of our preference. zstd is last: proxies
 * that pass on the header of a caller often cannot read it themselves.
 */
export const ENCODINGS = ['identity', 'br', 'gzip', 'zstd'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Below this, compressing saves less than its own header costs. */
const LEAST_BYTES = 256
/** Answers of operations are made for one question. Below this, compressing them costs more time than it saves. */
const LEAST_ANSWER_BYTES = 8 * 1024

type Bytes = Uint8Array<ArrayBuffer>

// Levels that take a few milliseconds for the largest answer there is. They run beside the thread that answers.
const brotli = promisify<Bytes, object, Bytes>(brotliCompress)
const zstd = promisify<Bytes, object, Bytes>(zstdCompress)
const deflate = promisify<Bytes, object, Bytes>(gzip)
const QUICK = { zstd: 3, br: 4, gzip: 6 }
/** A tenth smaller, for what is made once and loaded often. The level of gzip is one that only libdeflate has. */
const SMALLEST = { zstd: 19, br: 11, gzip: 12 } as const
const ENCODERS: Record<Exclude<Encoding, 'identity'>, (bytes: Bytes, level: number) => Promise<Bytes>> = {
  zstd: (bytes, level) => zstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } }),
  br: (bytes, level) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: level } }),
  gzip: async (bytes, level) =>
    level === SMALLEST.gzip ? Bun.gzipSync(bytes, { level, library: 'libdeflate' }) : deflate(bytes, { level }),
}

export const encoded = (bytes: Bytes, encoding: Encoding, isMadeOnce = false): Bytes | Promise<Bytes> =>
  encoding === 'identity' ? bytes : ENCODERS[encoding](bytes, (isMadeOnce ? SMALLEST : QUICK)[encoding])

/** Whether a type is text, which compresses well. */
export const isText = (type: string): boolean => /^text\/|json|xml/.test(type)

/** Whether an answer of this size is worth compressing: a document, or the answer to one question. */
export const isWorthwhile = (bytes: number, kind: 'document' | 'answer'): boolean =>
  bytes >= (kind === 'document' ? LEAST_BYTES : LEAST_ANSWER_BYTES)

/**
 * Accept-Encoding, RFC 9110 12.5.3: the coding with the greatest weight, and of several equal ones the first of ours.
 * A part that cannot be parsed is ignored. Nobody is refused for it: a caller who takes no coding of ours gets the bytes as they are.
 */
export const preferredEncoding = remembered((header: string): Encoding => {
  const weights = new Map<string, number>()
  for (const [name = '', ...params] of partsOf(header)) {
    const q = params.find((param) => param.startsWith('q='))?.slice(2) ?? '1'
    const coding = name === 'x-gzip' ? 'gzip' : name
    if (/^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q) && !weights.has(coding)) weights.set(coding, Number(q))
  }
  const weightOf = (coding: Encoding): number => weights.get(coding) ?? weights.get('*') ?? 0
  let best: Encoding = 'identity'
  let most = weights.get('identity') ?? 0
  for (const coding of ENCODINGS.slice(1)) {
    const weight = weightOf(coding)
    if (weight > most || (weight === most && weight > 0 && best === 'identity')) [best, most] = [coding, weight]
  }
  return best
})

// Compares a file of the reader's own with what proved rows cite: the file by its hash, then the line itself is shown.

import { toHex } from '../../proof/bytes.ts'
import type { ProvedRow } from '../../proof/verify.ts'

export interface Comparison {
  good: boolean
  sentence: string
  /** The cited lines of the file, as they stand in it. */
  lines: string[]
}

const MOST_LINES = 8
const MOST_IN_LINE = 500
/** A browser holds the whole file in memory to hash it. */
const MOST_BYTES = 512 * 2 ** 20

export async function compareSource(file: File, rows: readonly ProvedRow[]): Promise<Comparison> {
  if (file.size > MOST_BYTES)
    return { good: false, sentence: 'The file is too large for a browser: use atr verify --source.', lines: [] }
  const bytes = await file.arrayBuffer()
  const digest = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
  const wanted = rows.flatMap(({ row, release }) =>
    row.locator.filter(({ citation }) => release.citations[citation]?.sha256 === digest).map(({ line }) => line),
  )
  if (wanted.length === 0) {
    const cited = new Set(rows.flatMap(({ release }) => release.citations.map((each) => each.file)))
    return {
      good: false,
      sentence: `This is not the cited file: its SHA-256 is ${digest.slice(0, 16)}\u2026. Cited: ${[...cited].join(', ')}.`,
      lines: [],
    }
  }
  const numbers = [...new Set(wanted)].sort((a, b) => a - b).slice(0, MOST_LINES)
  const lines = await linesOf(bytes, numbers)
  return {
    good: true,
    sentence: `This is the cited file, byte for byte (SHA-256 ${digest.slice(0, 16)}\u2026).${lines ? '' : ' It is a workbook, so its line is not shown.'}`,
    lines: (lines ?? []).map((text, i) => `${numbers[i]}: ${text.slice(0, MOST_IN_LINE)}`),
  }
}

/** Undefined for a workbook: its rows are no lines of text. */
async function linesOf(bytes: ArrayBuffer, numbers: readonly number[]): Promise<string[] | undefined> {
  const [first, second] = new Uint8Array(bytes.slice(0, 2))
  if (first === 0x50 && second === 0x4b) return undefined
  const isZipped = first === 0x1f && second === 0x8b
  const stream = new Blob([bytes]).stream()
  const text = await new Response(isZipped ? stream.pipeThrough(new DecompressionStream('gzip')) : stream).text()
  const found: string[] = []
  const last = numbers.at(-1) ?? 0
  for (let at = 0, line = 1; line <= last && at >= 0; line++) {
    const end = text.indexOf('\n', at)
    if (numbers.includes(line)) found.push(text.slice(at, end < 0 ? undefined : end).trimEnd())
    at = end < 0 ? end : end + 1
  }
  return found
}

import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Problem } from '../problem.ts'
import { toHex } from '../proof/bytes.ts'
import type { Citation } from '../proof/row.ts'
import { sha256 } from '../proof/sha256.ts'

/** A source file as the operator has it: its bytes, what they are called, and where they came from. */
export interface Source {
  file: string
  bytes: Uint8Array
  text: string
  sha256: string
}

const MAX_BYTES = 512 * 1024 * 1024
const MAX_RATIO = 100

/** Reads a file, plain or gzipped. The digest is of the file as published, so a stranger can compare it. */
export async function readSource(path: string): Promise<Source> {
  const file = Bun.file(path)
  if (!(await file.exists())) throw new Problem('source_unreadable', 'there is no such file')
  if (file.size > MAX_BYTES) throw new Problem('source_unreadable', 'the file is larger than 512 MiB')
  const bytes = new Uint8Array(await file.arrayBuffer())
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  const text = decode(zipped ? unzip(bytes) : bytes)
  return { file: safeName(basename(path)), bytes, text, sha256: toHex(sha256(bytes)) }
}

/** A small file that unpacks to a very large one is a bomb, not a price list. */
function unzip(bytes: Uint8Array): Uint8Array {
  try {
    return new Uint8Array(gunzipSync(bytes, { maxOutputLength: Math.min(MAX_BYTES, bytes.length * MAX_RATIO) }))
  } catch (cause) {
    throw new Problem('source_unreadable', 'the file begins like gzip but cannot be unpacked within the limits', {
      cause,
    })
  }
}

/** UTF-8 where it is valid, Windows-1252 where not: publishers use both and say neither. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** A file name is the operator's text, and is served in citations: only harmless ones are kept. */
const safeName = (name: string): string => (/^[A-Za-z0-9._-]{1,120}$/.test(name) ? name : 'source-file')

export interface Provenance {
  url: string
  retrieved_at: string
}

export function citation(source: Source, title: string, { url, retrieved_at }: Provenance): Citation {
  return {
    title,
    url,
    file: source.file,
    sha256: source.sha256,
    bytes: source.bytes.length,
    media_type: source.file.includes('.csv') ? 'text/csv' : 'text/plain',
    retrieved_at,
  }
}

// Reads the export of a whole release, and the proof of its first row, which has the root of all rows.

import { gunzipSync } from 'node:zlib'
import { openParquet } from '../files/parquet.ts'
import { isExport } from '../proof/export/format.ts'
import type { ExportContent } from '../proof/export/whole-export.ts'
import type { TrustPolicy } from '../proof/note/policy.ts'
import { isAddress, read, readBytes, TO_VERIFY } from './answer-source.ts'
import { UsageFault } from './command.ts'

/** The content of an export: Parquet as bytes, the other formats as text. */
export type Export = string | Uint8Array

/** Opens an export for the comparison with its release; undefined for a foreign Parquet file. */
export function contentOf(exported: Export): ExportContent | undefined {
  if (typeof exported === 'string') return exported
  try {
    // Until 0.3.0 exports were compressed by gzip.
    return openParquet(exported, (page, size) => gunzipSync(page, { maxOutputLength: size }))
  } catch {
    return undefined
  }
}

/** Reads a single file, once, because it may be a pipe: as an export if it is one, otherwise as text. */
export function fileIn([file = '-', ...more]: readonly string[]): { exported: Export } | { text: string } | undefined {
  if (more.length > 0 || file === '-' || isAddress(file)) return undefined
  const bytes = readBytes(file, TO_VERIFY)
  if (isExport(bytes.subarray(0, 4).toString('latin1'))) return { exported: bytes }
  const text = bytes.toString()
  return isExport(text) ? { exported: text } : { text }
}

/** Reads the first row of a release with its proof: from a file or address, or from the service in the log policy. */
export async function exportProof(
  release_id: string,
  given: string | undefined,
  { logs }: TrustPolicy,
): Promise<{ text: string; address: string }> {
  const address = `/rows/${encodeURIComponent(release_id)}/0`
  const url = logs.find(({ key }) => key.name.endsWith('/log/registry'))?.url?.replace(/\/log\/registry\/?$/, '')
  if (given === undefined && url === undefined)
    throw new UsageFault('the log policy names no service: give the answer of /rows/RELEASE/0 with --row')
  return { text: await read(given ?? `${url}${address}`, 'of --row'), address }
}

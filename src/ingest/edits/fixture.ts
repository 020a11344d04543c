import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Problem } from '../../problem.ts'
import type { AnyRow } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import type { LoadOptions, Reader } from '../reader.ts'
import { readSources, type Source } from '../source.ts'

/** The text of a file, or its bytes. */
export type Content = string | Uint8Array

/** What a reader made of some files. */
export interface EditLoad {
  edition: string
  effective_from: string
  rows: AnyRow[]
  /** How often each rule was broken. */
  found: Record<string, number>
  cited: string[]
  /** The files, as they are read to check rows against them. */
  sources: Source[]
}

/** Reads files, given by their names, as they are read by `atr load`. */
export async function loadEdits(
  reader: Reader,
  files: Readonly<Record<string, Content>>,
  options: LoadOptions = {},
): Promise<EditLoad> {
  const folder = mkdtempSync(join(tmpdir(), 'edits-'))
  try {
    const paths = Object.entries(files).map(([name, content]) => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    })
    const findings: Findings = new Map()
    const { edition, effective_from, rows, cited } = await reader.read(paths, options, findings)
    const made = await Array.fromAsync(rows)
    const read = (await Promise.all(paths.map(readSources))).flat()
    const sources = cited.map(({ sha256 }) => read.find((source) => source.sha256 === sha256) as Source)
    const found = Object.fromEntries([...findings].map(([rule, { count }]) => [rule, count]))
    return { edition, effective_from, rows: made, found, cited: cited.map(({ file }) => file), sources }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const refusalOf = (load: Promise<unknown>): Promise<string> =>
  load.then(
    () => 'loaded',
    (error: unknown) => {
      if (error instanceof Problem) return error.detail
      throw error
    },
  )

/** Checks each row against the files that it cites. */
export const verdicts = (reader: Reader, { rows, sources }: Pick<EditLoad, 'rows' | 'sources'>): boolean[] => {
  const reread = reader.reread()
  return rows.map((row) => {
    const places = row.locator.map(({ citation, line }) => {
      const source = sources[citation] as Source
      return { source, file: source.file, line }
    })
    const beside = sources.filter((_, at) => row.locator.every(({ citation }) => citation !== at))
    return reread(row as never, places, beside).ok
  })
}

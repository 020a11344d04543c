import type { Database } from 'bun:sqlite'
import { zstdDecompressSync } from 'node:zlib'

/** The rows of a release file, read as docs/store.md says and with nothing of ours: what a stranger would write. */
export function packedRows(file: Database): { key: string; body: string }[] {
  const bundles = file.query<{ rows: Uint8Array }, []>('SELECT rows FROM bundle ORDER BY n').all()
  return bundles.flatMap(({ rows }) =>
    zstdDecompressSync(rows)
      .toString('utf8')
      .split('\n')
      .map((line) => ({ key: line.slice(0, line.indexOf('\t')), body: line.slice(line.indexOf('\t') + 1) })),
  )
}

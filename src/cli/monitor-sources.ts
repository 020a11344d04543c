import { sourceCheck } from '../ingest/source-check.ts'
import { givenAt, wantedBy, wantedCodes } from '../ingest/source-gather.ts'
import type { Sources } from '../monitor/rows.ts'
import type { Manifest } from '../proof/price/release.ts'
import { type AnyRow, type Row, rowKey } from '../proof/price/row.ts'

/** The files that a monitor was given. They are read once, but for those of a hospital that are too large to hold. */
export async function sourcesAt(paths: readonly string[]): Promise<Sources> {
  const given = (await Promise.all(paths.map((path) => givenAt(path, wantedCodes())))).flat()
  const check = sourceCheck(given)
  const faultIn = (rows: readonly AnyRow[], { citations }: Manifest, by = check) => {
    for (const row of rows) {
      const verdict = by(row, citations)
      if (!verdict.ok) return { key: rowKey(row), reason: verdict.reason }
    }
    return undefined
  }
  const isLarge = ({ citations }: Manifest): boolean =>
    given.some((file) => 'stated' in file && citations.some(({ sha256 }) => sha256 === file.sha256))
  let gathered: Row[] = []
  return {
    hold: ({ citations }) =>
      citations.every((cited) => given.some(({ file, sha256 }) => sha256 === cited.sha256 || file === cited.file)),
    async check(rows, release, last) {
      if (!isLarge(release)) return faultIn(rows, release)
      gathered.push(...rows.flatMap((row) => (row.kind === 'place' ? [] : [row])))
      if (!last) return undefined
      const wanted = wantedBy(gathered)
      const again = (await Promise.all(paths.map((path) => givenAt(path, wanted)))).flat()
      const found = faultIn(gathered, release, sourceCheck(again))
      gathered = []
      return found
    },
  }
}

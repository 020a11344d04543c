import { ACCEPTABLE, type Reading } from '../../src/ingest/reader.ts'
import { READERS } from '../../src/ingest/readers.ts'
import type { SourceInput } from '../../src/ingest/reread.ts'
import { type SourceCheck, sourceCheck } from '../../src/ingest/source-check.ts'
import { givenAt, wantedBy, wantedCodes } from '../../src/ingest/source-gather.ts'
import { Problem } from '../../src/problem.ts'
import type { Manifest } from '../../src/proof/price/release.ts'
import { type AnyRow, isOfPrices, type Row, regionOf, rowKey } from '../../src/proof/price/row.ts'
import { type Findings, unreadableIn } from '../../src/registry/release/rules.ts'
import type { SourceComparison, SourceFinding, Sources } from './rows.ts'

interface SourceFile {
  path: string
  files: readonly SourceInput[]
}

/** The source files at these paths. They are read once, except files of a hospital that are too large for memory. */
export async function sourcesAt(paths: readonly string[]): Promise<Sources> {
  const given = await Promise.all(paths.map(async (path) => ({ path, files: await givenAt(path, wantedCodes()) })))
  const files = given.flatMap((each) => each.files)
  const check = sourceCheck(files)
  return {
    hold: ({ citations }) =>
      citations.every((cited) => files.some(({ file, sha256 }) => sha256 === cited.sha256 || file === cited.file)),
    compare: (release) => new ReleaseComparison(release, given, check),
  }
}

const cites = ({ citations }: Manifest, { sha256 }: SourceInput): boolean =>
  citations.some((each) => each.sha256 === sha256)

/** Compares a release with its files, both ways: each row must be in the files, and each row of the files in the release. */
class ReleaseComparison implements SourceComparison {
  readonly notes: string[] = []
  readonly #paths: string[]
  readonly #isLarge: boolean
  /** The rows of a release whose file is too large for memory: when all are known, the file is read again for them. */
  readonly #gathered: Row[] = []
  #taken = 0
  #stated: SourceRows | undefined

  constructor(
    readonly release: Manifest,
    given: readonly SourceFile[],
    readonly check: SourceCheck,
  ) {
    const cited = given.filter(({ files }) => files.some((file) => cites(release, file)))
    this.#paths = cited.map(({ path }) => path)
    this.#isLarge = cited.some(({ files }) => files.some((file) => 'stated' in file && cites(release, file)))
  }

  async take(rows: readonly AnyRow[]): Promise<SourceFinding | undefined> {
    if (this.#isLarge) this.#gathered.push(...rows.flatMap((row) => (isOfPrices(row) ? [row] : [])))
    const finding = this.#isLarge ? undefined : this.#faultIn(rows, this.check, this.#taken)
    if (finding) return finding
    this.#taken += rows.length
    this.#stated ??= await SourceRows.read(this.release, this.#paths, this.notes)
    await this.#stated.pass(rows)
    return undefined
  }

  async end(): Promise<SourceFinding | undefined> {
    if (this.#isLarge) {
      const wanted = wantedBy(this.#gathered)
      const again = (await Promise.all(this.#paths.map((path) => givenAt(path, wanted)))).flat()
      const finding = this.#faultIn(this.#gathered, sourceCheck(again), 0)
      if (finding) return finding
    }
    const missing = await this.#stated?.missing()
    return missing === undefined ? undefined : { code: 'left_out_of_release', detail: missing }
  }

  /** `from` is the place of the first of these rows. */
  #faultIn(rows: readonly AnyRow[], check: SourceCheck, from: number): SourceFinding | undefined {
    for (const [i, row] of rows.entries()) {
      const verdict = check(row, this.release.citations, this.release.chart)
      const detail = verdict.ok ? '' : `row ${rowKey(row)}, ${verdict.reason}`
      if (!verdict.ok) return { code: 'not_at_source', detail, row, index: from + i }
    }
    return undefined
  }
}

/** The rows that the files of a release state, read as on loading, in the order of the keys. */
class SourceRows {
  #rows: AsyncIterator<AnyRow> | Iterator<AnyRow> | undefined
  #next: { key: string; region: string } | undefined
  /** By region: the first key that the release does not have. */
  readonly #missing = new Map<string, string>()
  readonly #regions = new Set<string>()

  private constructor(
    readonly release: Manifest,
    readonly rejects: Findings,
    readonly notes: string[],
    readonly reading?: Reading,
  ) {
    if (!reading) return
    const { rows } = reading
    this.#rows = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  }

  static async read(release: Manifest, paths: readonly string[], notes: string[]): Promise<SourceRows> {
    const { chart, edition, effective_from, effective_to, data_class, providers: npis } = release
    const rejects: Findings = new Map()
    const options = { edition, effective_from, effective_to, data_class, accept: ACCEPTABLE, ...(npis ? { npis } : {}) }
    const [kind = ''] = chart.split(':')
    try {
      const reading = Object.hasOwn(READERS, kind) ? await READERS[kind]?.read(paths, options, rejects) : undefined
      if (!reading)
        notes.push('its source was not searched for rows that are missing here: this program does not know the chart')
      const stated = new SourceRows(release, rejects, notes, reading)
      await stated.#step()
      return stated
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      notes.push(`its source was not searched for rows that are missing here: ${error.detail}`)
      return new SourceRows(release, rejects, notes)
    }
  }

  async #step(): Promise<void> {
    const next = await this.#rows?.next()
    if (!next || next.done) {
      this.#next = undefined
      this.reading?.close?.()
      return
    }
    this.#next = { key: rowKey(next.value), region: regionOf(next.value) ?? '' }
  }

  /** Moves past these rows of the release. */
  async pass(rows: readonly AnyRow[]): Promise<void> {
    for (const row of rows) {
      const key = rowKey(row)
      this.#regions.add(regionOf(row) ?? '')
      while (this.#next && this.#next.key <= key) {
        if (this.#next.key < key) this.#miss(this.#next)
        await this.#step()
      }
    }
  }

  #miss({ key, region }: { key: string; region: string }): void {
    if (!this.#missing.has(region)) this.#missing.set(region, key)
  }

  /** Says what the files have and the release has not. */
  async missing(): Promise<string | undefined> {
    if (!this.reading) return undefined
    for (; this.#next; await this.#step()) this.#miss(this.#next)
    for (const [region, key] of this.#missing) if (this.#regions.has(region)) return `row ${key} is in the source`
    // An edition may be loaded for some regions alone: its readers should know.
    if (this.#missing.size > 0)
      this.notes.push(
        `it has no row for ${this.#missing.size} regions of its source: it may have been loaded for the other regions only`,
      )
    const [claimed, counted] = [this.release.unreadable_lines, unreadableIn(this.rejects)]
    if (claimed === counted) return undefined
    return `its manifest counts ${claimed} lines without a code that can be read, and the source has ${counted}`
  }
}

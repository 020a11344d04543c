import { parseArgs } from 'node:util'
import { importProviders } from '../figures/ledger/directory.ts'
import { openBytes } from '../files/byte-stream.ts'
import { load as loadSource } from '../ingest/load.ts'
import { LOAD_KINDS } from '../ingest/readers.ts'
import type { Installation } from '../installation.ts'
import { refusalOf } from '../operation.ts'
import { Problem } from '../problem.ts'
import { checksOf } from '../registry/release/check-store.ts'
import { publish } from '../registry/release/publish.ts'
import type { ReleaseState } from '../registry/release/store.ts'
import { type Command, DONE, openStore, show, UsageFault } from './command.ts'
import { argumentsOf, checkOptions, loadOptions, optionTexts, type SourceArguments } from './load-options.ts'
import { overridesFrom } from './overrides.ts'
import { ProgressLine, summaryText } from './progress.ts'

type LoadArguments = SourceArguments & { json: boolean; publish: boolean; override?: string[]; reason?: string[] }

/** Tables that stand beside the releases: they are replaced or added to at once. */
const TABLES: {
  [kind: string]: (db: Installation['db'], path: string) => Promise<{ found: object; text: string }>
} = {
  providers: async (db, path) => {
    const { chunks } = await openBytes(path)
    const found = await importProviders(db, chunks)
    return { found, text: `${found.providers} organisations, ${found.added} of them new` }
  },
}

export const load: Command = {
  usage: `load <${[...LOAD_KINDS, ...Object.keys(TABLES)].join('|')}> <file...> [options] [--publish] [--json]`,
  summary: 'Reads published files into a staged release',
  options: optionTexts(),
  async run(args, config) {
    const { values, positionals } = parseArgs({ args, options: argumentsOf(), allowPositionals: true })
    const asked = values as LoadArguments
    const [kind = '', first, ...more] = positionals
    const table = Object.hasOwn(TABLES, kind) ? TABLES[kind] : undefined
    if (!table && !LOAD_KINDS.includes(kind))
      throw new UsageFault(`load takes ${[...LOAD_KINDS, ...Object.keys(TABLES)].join(', ')}`)
    if (first === undefined) throw new UsageFault('name the kind and the files to load: atr load KIND FILE...')
    if (table && more.length > 0) throw new UsageFault(`load ${kind} takes one file`)
    checkOptions(kind, asked)
    const overridden = overridesFrom(asked).map(({ rule }) => rule)
    // Said before minutes of reading, not after them.
    if (!table && asked.publish && asked.url === undefined && !asked.sample && !overridden.includes('no_url'))
      throw new UsageFault(
        '--publish needs --url, the address that the file is from; or --override no_url --reason CODE to publish without it',
      )
    const installation = await openStore(config)
    try {
      if (!table) return await loadRelease(installation, kind, [first, ...more], asked)
      const { found, text } = await table(installation.db, first)
      show(asked.json, found, text)
      return DONE
    } finally {
      await installation.db.close()
    }
  },
}

async function loadRelease(
  { db, registryLog, cosign }: Installation,
  kind: string,
  paths: readonly string[],
  asked: LoadArguments,
): Promise<number> {
  const started = performance.now()
  const line = new ProgressLine(process.stderr, () => performance.now())
  const loaded = await loadSource(db, kind, paths, loadOptions(asked), Date.now(), (progress) => line.update(progress))
  const { release, already, judged_without, shares_npis_with } = loaded
  const publishing = asked.publish && release.state === 'staged'
  const refusedOr = await (publishing
    ? publish({ db, log: registryLog, cosign }, release.release_id, Date.now, overridesFrom(asked), (progress) =>
        line.update(progress),
      ).catch(asRefusal)
    : release)
  line.clear()
  // Held or not, it was loaded: what is in it is told first.
  const { state } = refusedOr instanceof Problem ? release : refusedOr
  const { release_id, row_count, rejected_count } = release
  if (already) {
    const told = { release_id, state, row_count, rejected_count, already }
    const done = publishing ? '' : ': nothing to do'
    const kept = citesAsAsked(release, asked) ? '' : `\n${OTHER_CITATION}`
    show(asked.json, told, `${release_id} ${state}: was loaded before${done}${kept}`)
  } else {
    const counted = await summaryOf(db, { ...release, state }, loaded.written.absences, performance.now() - started)
    const summary = { ...counted, judged_without, shares_npis_with, no_url: asked.url === undefined && !asked.sample }
    show(asked.json, { ...summary, row_count, rejected_count, already }, summaryText(summary))
  }
  if (refusedOr instanceof Problem) throw refusedOr
  return DONE
}

const OTHER_CITATION =
  'NOTE: the release keeps the --url and --retrieved-at of its first load, which are different. To change them, discard a staged release or withdraw a published one, then load the files again'

/** What is not said again is not asked for. */
function citesAsAsked({ citations }: ReleaseState, asked: LoadArguments): boolean {
  const cited = JSON.parse(citations) as { url: string; retrieved_at: string }[]
  const { url, 'retrieved-at': retrieved_at } = asked
  return cited.every(
    (each) => [undefined, each.url].includes(url) && [undefined, each.retrieved_at].includes(retrieved_at),
  )
}

function asRefusal(error: unknown): Problem {
  const problem = refusalOf(error)
  if (problem) return problem
  throw error
}

async function summaryOf(db: Installation['db'], release: ReleaseState, absences: number, milliseconds: number) {
  const { release_id, release_no, state, row_count, rejected_count } = release
  const seconds = milliseconds / 1000
  return {
    release_id,
    state,
    rows: row_count,
    absences,
    rejected: rejected_count,
    seconds: Math.round(seconds * 1000) / 1000,
    rows_per_second: Math.round(row_count / seconds),
    checks: (await checksOf(db, release_no)).map(({ rule, severity, failed, sample_lines }) => ({
      rule,
      severity,
      failed,
      sample_lines,
    })),
  }
}

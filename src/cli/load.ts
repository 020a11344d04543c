import { parseArgs } from 'node:util'
import { dayOf } from '../calendar.ts'
import { putCopy } from '../citations/store.ts'
import type { Config } from '../config.ts'
import { StoreFault } from '../db/fault.ts'
import { importProviders } from '../figures/ledger/directory.ts'
import { openBytes } from '../files/byte-stream.ts'
import { load as loadSource } from '../ingest/load.ts'
import type { LoadOptions } from '../ingest/reader.ts'
import { LOAD_KINDS } from '../ingest/readers.ts'
import type { Installation } from '../installation.ts'
import { refusalOf } from '../operation.ts'
import { Problem } from '../problem.ts'
import { stillHeld } from '../registry/release/breaker.ts'
import { checkRelease, heldProblem, type ReleaseCheck } from '../registry/release/check.ts'
import { type Check, checksOf } from '../registry/release/check-store.ts'
import { type PublishProgress, publish } from '../registry/release/publish.ts'
import type { ReleaseState } from '../registry/release/store.ts'
import { archiveOf } from './citations.ts'
import { type Command, DONE, nearest, openStore, show, UsageFault } from './command.ts'
import { checkOptions, loadOptions, optionTexts, parseOptions, type SourceArguments } from './load-options.ts'
import { AS_CHILD, asChild, loadInChild, type StagedNews } from './load-process.ts'
import { overridesFrom } from './overrides.ts'
import { type ProgressLine, progressLine, summaryText } from './progress.ts'
import { RejectsFile } from './rejects.ts'
import { nextText, verdictText } from './release-text.ts'

type LoadArguments = SourceArguments & {
  json: boolean
  publish: boolean
  'dry-run': boolean
  rejects?: string
  override?: string[]
  reason?: string[]
}

/** How many reports of a comparison come between two garbage collections. The first one frees the memory of reading. */
const REPORTS = 4

/** Tables that are not releases. They are changed at once. */
const TABLES: {
  [kind: string]: (db: Installation['db'], path: string) => Promise<{ result: object; text: string }>
} = {
  providers: async (db, path) => {
    const { chunks } = await openBytes(path)
    const result = await importProviders(db, chunks)
    return { result, text: `${result.providers} organisations, ${result.added} of them new` }
  },
}

const KINDS = [...LOAD_KINDS, ...Object.keys(TABLES)]

export const load: Command = {
  usage: 'load KIND FILE... [options] [--dry-run] [--publish] [--json]',
  summary: 'Reads published files into a staged release',
  options: [['KIND', `what the files are: ${KINDS.join(', ')}`], ...optionTexts()],
  examples: [
    ['load cms-pfs rvu26d.zip --url https://www.cms.gov/rvu26d.zip --publish', 'reads a fee schedule and publishes it'],
    ['load hospital-mrf charges.csv --dry-run --rejects refused.csv', 'says what is wrong with a file; keeps nothing'],
    ['load providers providers.csv', 'which NPIs are organisations, for the figures'],
  ],
  async run(args, config) {
    const [first, scratch, ...rest] = args
    if (first !== AS_CHILD || scratch === undefined) {
      // Refuses an invalid command line before a process is started.
      requestFrom(args)
      return loadInChild(args, config)
    }
    const child = asChild(scratch)
    try {
      return await loadHere(requestFrom(rest), config, child.tell)
    } finally {
      child.end()
    }
  },
}

/** The parsed command line. */
interface LoadRequest {
  kind: string
  paths: readonly [string, ...string[]]
  options: LoadArguments
}

function requestFrom(args: readonly string[]): LoadRequest {
  const { values, positionals } = parseArgs({ args: [...args], options: parseOptions(), allowPositionals: true })
  const options = values as LoadArguments
  const [kind = '', first, ...more] = positionals
  const isTable = Object.hasOwn(TABLES, kind)
  if (!KINDS.includes(kind)) {
    const near = nearest(kind, KINDS)
    throw new UsageFault(`${near === undefined ? '' : `did you mean ${near}? `}load takes ${KINDS.join(', ')}`)
  }
  if (first === undefined) throw new UsageFault('name the kind and the files to load: atr load KIND FILE...')
  if (isTable && more.length > 0) throw new UsageFault(`load ${kind} takes one file`)
  checkOptions(kind, options)
  const overridden = overridesFrom(options).map(({ rule }) => rule)
  // Checked before minutes of reading.
  if (!isTable && options.publish && options.url === undefined && !options.sample && !overridden.includes('no_url'))
    throw new UsageFault(
      '--publish needs --url, the address that the file is from; or --override no_url --reason CODE to publish without it',
    )
  const [urls, files] = [options.url?.length ?? 0, 1 + more.length]
  if (urls > 1 && urls !== files)
    throw new UsageFault(
      `--url is given ${urls} times for ${files} ${files === 1 ? 'file' : 'files'}: give it once for all of them, or once for each, in their order`,
    )
  return { kind, paths: [first, ...more], options }
}

async function loadHere(request: LoadRequest, config: Config, tell: (news: StagedNews) => void): Promise<number> {
  const { kind, paths, options } = request
  const installation = await openStore(config)
  try {
    const table = Object.hasOwn(TABLES, kind) ? TABLES[kind] : undefined
    if (!table) return await loadFiles(installation, request, config, tell)
    const { result, text } = await table(installation.db, paths[0])
    show(options.json, result, text)
    return DONE
  } finally {
    await installation.db.close()
  }
}

async function loadFiles(
  installation: Installation,
  { kind, paths, options }: LoadRequest,
  config: Config,
  tell: (news: StagedNews) => void,
): Promise<number> {
  const archive = archiveOf(config)
  const budget = { rows: config.LOAD_ROWS, keys: config.LOAD_KEYS, scratch_bytes: config.LOAD_SCRATCH_BYTES }
  const rejects = options.rejects === undefined ? undefined : new RejectsFile(options.rejects)
  const line = progressLine(options.json)
  const read = (more: Pick<LoadOptions, 'inspect'> = {}) =>
    loadSource(
      installation.db,
      kind,
      paths,
      { ...loadOptions(options), budget, onNote: rejects?.note, ...more },
      Date.now(),
      (progress) => line.update(progress),
    )
  try {
    if (options['dry-run']) return await dryRun(installation, read, line, options)
    const keep = async ({ release_id, citations }: ReleaseState): Promise<void> => {
      tell({ staged: release_id })
      const cited = (JSON.parse(citations) as { sha256: string }[]).map(({ sha256 }) => sha256)
      if (!archive) return
      const kept: string[] = []
      for (const path of paths) kept.push(...(await archive.keepCited(path, cited)))
      for (const sha256 of kept) await putCopy(installation.db, sha256, Date.now(), true)
    }
    return await loadRelease(installation, read, keep, line, options)
  } finally {
    rejects?.close()
  }
}

type Read = (more?: Pick<LoadOptions, 'inspect'>) => ReturnType<typeof loadSource>

async function loadRelease(
  { db, registryLog, cosign }: Installation,
  read: Read,
  keep: (release: ReleaseState) => Promise<void>,
  line: ProgressLine,
  options: LoadArguments,
): Promise<number> {
  const started = performance.now()
  const loaded = await read()
  const { release, already, judged_without, shares_npis_with } = loaded
  // Copies are kept before publication, so that no citation is public whose copy could not be kept.
  await keep(release)
  let reports = 0
  const compared = (progress: PublishProgress): void => {
    if (reports++ % REPORTS === 0) Bun.gc(true)
    line.update(progress)
  }
  const isStaged = release.state === 'staged'
  const publishing = options.publish && isStaged
  const refusedOr = await (publishing
    ? publish({ db, log: registryLog, cosign }, release.release_id, Date.now, overridesFrom(options), compared).catch(
        asRefusal,
      )
    : release)
  const judgedOr = isStaged && !publishing ? await judge(db, release, compared).catch(asFault) : undefined
  const judged = judgedOr instanceof StoreFault ? undefined : judgedOr
  line.clear()
  // The release was loaded, held or not, so its summary comes first.
  const { state } = refusedOr instanceof Problem ? release : refusedOr
  const { release_id, row_count, rejected_count } = release
  if (already) {
    const result = { release_id, state, row_count, rejected_count, already, held: judged?.held }
    const done = isStaged ? '' : ': nothing to do'
    const note = hasCitations(release, options) ? '' : `\n${OTHER_CITATION}`
    show(
      options.json,
      result,
      `${release_id} ${state}: was loaded before${done}${note}${judged ? `\n${nextText(judged)}` : ''}`,
    )
  } else {
    const checks = await checksOf(db, release.release_no)
    const counted = summaryOf({ ...release, state }, checks, loaded.written.absences, performance.now() - started)
    const summary = { ...counted, judged_without, shares_npis_with, no_url: hasNoUrl(options) }
    const text = judged ? `${summaryText(summary)}\n\n${nextText(judged)}` : summaryText(summary)
    show(options.json, { ...summary, row_count, rejected_count, already, held: judged?.held }, text)
  }
  if (refusedOr instanceof Problem) throw refusedOr
  if (judgedOr instanceof StoreFault) throw judgedOr
  return DONE
}

/** Returns a fault of the store, which a damaged edition before this one causes. Throws anything else. */
function asFault(error: unknown): StoreFault {
  if (error instanceof StoreFault) return error
  throw error
}

/** Checks a release that stays staged as publishing would. */
const judge = (db: Installation['db'], release: ReleaseState, compared: (progress: PublishProgress) => void) =>
  checkRelease(db, release, (rows) => compared({ phase: 'comparing', rows, row_total: release.row_count }))

const hasNoUrl = ({ url, sample }: LoadArguments): boolean => url === undefined && !sample

/** Shows the result of a load, and with --publish whether it would be refused. Nothing is kept. */
async function dryRun({ db }: Installation, read: Read, line: ProgressLine, options: LoadArguments): Promise<number> {
  const started = performance.now()
  let check: ReleaseCheck | undefined
  const { release, already, written, judged_without } = await read({
    inspect: async (staged) => {
      check = await checkRelease(db, staged)
    },
  })
  line.clear()
  const { release_id, state, row_count, rejected_count } = release
  if (already && state === 'published') {
    show(
      options.json,
      { release_id, state, row_count, rejected_count, already, dry_run: true },
      `${release_id} ${state}: was loaded before: loading would do nothing`,
    )
    return DONE
  }
  const found = check ?? (await checkRelease(db, release))
  // A release that exists already was not written, so its absences were not counted.
  const absences = already ? undefined : written.absences
  const counted = summaryOf(release, found.checks, absences, performance.now() - started)
  const summary = {
    ...counted,
    state: already ? 'staged before' : 'dry run: nothing was kept',
    judged_without,
    shares_npis_with: found.shares_npis_with,
    no_url: hasNoUrl(options),
  }
  const result = { ...summary, row_count, rejected_count, already, dry_run: true, check: found }
  show(options.json, result, `${summaryText(summary)}\n\n${verdictText(found, already)}`)
  const open = stillHeld(found.held, overridesFrom(options))
  if (options.publish && open.length > 0) throw heldProblem(open, already ? release_id : undefined)
  return DONE
}

const OTHER_CITATION =
  'NOTE: the release keeps the --url and --retrieved-at of its first load, which are different. To change them, discard a staged release or withdraw a published one, then load the files again'

/** Whether a release has the citations of the command line. An option that is left out fits any citation. */
function hasCitations({ citations }: ReleaseState, options: LoadArguments): boolean {
  const cited = JSON.parse(citations) as { url: string; retrieved_at: string }[]
  const { url, 'retrieved-at': retrieved_at } = options
  return cited.every(
    (each) => (url === undefined || url.includes(each.url)) && [undefined, each.retrieved_at].includes(retrieved_at),
  )
}

function asRefusal(error: unknown): Problem {
  const problem = refusalOf(error)
  if (problem) return problem
  throw error
}

function summaryOf(
  release: ReleaseState,
  checks: readonly Check[],
  absences: number | undefined,
  milliseconds: number,
) {
  const { release_id, state, row_count, rejected_count, effective_to } = release
  const seconds = milliseconds / 1000
  return {
    release_id,
    state,
    rows: row_count,
    absences,
    rejected: rejected_count,
    seconds: Math.round(seconds * 1000) / 1000,
    rows_per_second: Math.round(row_count / seconds),
    checks: checks.map(({ rule, severity, failed, sample_lines }) => ({ rule, severity, failed, sample_lines })),
    ended: effective_to < dayOf(Date.now()) ? effective_to : null,
  }
}

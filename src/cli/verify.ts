import { parseArgs } from 'node:util'
import { absenceCheck, sourceCheck } from '../ingest/source-check.ts'
import { givenAt, wantedBy } from '../ingest/source-gather.ts'
import { parseJson } from '../proof/canonical-json.ts'
import { verifyChanges } from '../proof/changes.ts'
import type { ShownRow } from '../proof/envelope.ts'
import { isWholeExport } from '../proof/export/whole-export.ts'
import { failed } from '../proof/fault.ts'
import { openCheckpoint } from '../proof/note/checkpoint.ts'
import { isOfPrices, rowKey } from '../proof/price/row.ts'
import { releaseOf, type ShownBody } from '../proof/shown.ts'
import {
  isFresh,
  type ProvedRow,
  parsePolicy,
  type TrustPolicy,
  type VerifiedAnswer,
  type VerifyOptions,
} from '../proof/verify-lists.ts'
import type { ExpectedAnswer } from '../proof/whole/asked.ts'
import { REASONS } from '../proof/whole/reasons.ts'
import { checkWhole } from '../proof/whole/whole-check.ts'
import { fetchText, isAddress, isFromHere, read, TO_VERIFY } from './answer-source.ts'
import { type Command, DONE, JSON_OPTION, REFUSED, show, UsageFault } from './command.ts'
import { type GrowthVerdict, grownSince, Pin } from './growth.ts'
import { joinPages, pagesSince } from './pages.ts'
import { details, type FailedVerdict, type PassedVerdict, type Verdict } from './verdict.ts'
import { contentOf, type Export, exportProof, fileIn } from './verify-export.ts'
import { isLapsed, isReference, QUESTION_OPTIONS, questionFrom } from './verify-question.ts'

const OPTIONS = {
  policy: { type: 'string' },
  source: { type: 'string', multiple: true },
  since: { type: 'string' },
  pin: { type: 'string' },
  rails: { type: 'string' },
  row: { type: 'string' },
  'max-age': { type: 'string' },
  json: { type: 'boolean', default: false },
  ...QUESTION_OPTIONS,
} as const

export const verify: Command = {
  usage:
    'verify FILE|URL|-... --policy FILE|URL [--cpt CODE --as-of DAY [--region R] [--npi N] [--modifier M] [--setting S] [--basis B] | --asked ADDRESS | --lines FILE | --any] [--row FILE|URL] [--max-age 72h] [--source FILE]... [--since FILE|URL | --pin FILE] [--rails FILE] [--json]',
  summary: 'Checks that an answer is proved under the log policy that you pinned, and that it answers the question',
  options: [
    [
      'FILE|URL|-',
      'the answer: a file, an address that is asked, or standard input; the pages of one list; or the export of a release as NDJSON, CSV or Parquet',
    ],
    ['--policy FILE|URL', 'the log policy that you pinned'],
    ['--cpt CODE', 'the question, if the answer is not an address; with --region, --npi and so on, as they were asked'],
    ['--as-of DAY', 'the day that was asked about, such as 2026-11-15'],
    ['--asked ADDRESS', 'the same as an address, such as /reference/sheet?cpt=99213; of an export, its release'],
    [
      '--row FILE|URL',
      'of an export: the answer of /rows/RELEASE/0; asked of the service in the log policy if left out',
    ],
    ['--lines FILE', 'the request of a bill: each line must answer its question'],
    ['--any', 'checks only that the answer was published, whatever was asked'],
    ['--max-age 72h', 'how old the view may be, in hours or days'],
    ['--source FILE', 'a file that the answer cites: its lines must make the same rows; may be repeated'],
    ['--since FILE|URL', 'an older checkpoint: the log must have only grown since'],
    ['--pin FILE', 'the same with a checkpoint kept in this file, which is then replaced by the newer one'],
    ['--rails FILE', 'a file with a rails token, for addresses that need one'],
    JSON_OPTION,
  ],
  examples: [
    [
      "verify 'https://registry.example/reference?cpt=99213' --policy policy.txt",
      'asks, and checks the answer; policy.txt is /log/policy of the service, kept since you first used it',
    ],
    ['verify answer.json --policy policy.txt --cpt 99213 --as-of 2026-11-15', 'checks an answer that you were given'],
    ['verify answer.json --policy policy.txt --any --source rvu26d.zip', 'finds its rows in the file that it cites'],
    [
      'verify rows.parquet --policy policy.txt --asked cms-pfs:RVU26D:1 --row row.json',
      'every row of a release, and no other',
    ],
  ],
  async run(args) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    const [what] = positionals
    if (what === undefined) throw new UsageFault('say what to verify: a file, a URL, or -')
    if (values.policy === undefined)
      throw new UsageFault('name the log policy that you pinned: --policy with a file or URL')
    const policy = parsePolicy(await read(values.policy, 'of --policy'))
    if (!policy)
      throw new UsageFault('the file of --policy is not a log policy (C2SP tlog-policy): get it from /log/policy')
    if (values.since !== undefined && values.pin !== undefined) throw new UsageFault('give --since or --pin, not both')
    const pin = values.pin === undefined ? undefined : new Pin(values.pin)
    const older = values.since === undefined ? pin?.read() : await read(values.since, 'of --since')
    const rails = values.rails === undefined ? undefined : (await read(values.rails, 'of --rails')).trim()
    const age = values['max-age'] === undefined ? {} : within(values['max-age'], Date.now())
    const file = fileIn(positionals)
    const exported = file && 'exported' in file ? file.exported : undefined
    if (exported !== undefined && values.asked === undefined)
      throw new UsageFault('this is an export: name its release as what was asked, such as --asked cms-pfs:RVU26D:1')
    const proof = exported === undefined ? undefined : await exportProof(values.asked ?? '', values.row, policy)
    const text = proof?.text ?? (file && 'text' in file ? file.text : await readAnswer(positionals, older, rails))
    if (isReference(text))
      throw new UsageFault(
        'this answer has a pointer in place of its proof: it cannot be checked as it stands. Ask again without proof=ref (over MCP with include = "proof"), and verify that',
      )
    const lines = values.lines === undefined ? undefined : await read(values.lines, 'of --lines')
    const question = questionFrom(what, text, { ...values, asked: proof?.address ?? values.asked, lines })
    const answered = question.checkpoint
      ? await noteVerdict(text, policy, age)
      : await verdictOn(text, policy, values.source ?? [], question, age)
    const dated = answered.ok ? { ...answered, ...lineDays(question) } : answered
    const verdict = exported === undefined ? dated : await wholeVerdict(exported, dated)
    const grown =
      verdict.ok && older !== undefined
        ? await continued(older, text, policy, verdict, isFromHere(values.policy))
        : undefined
    // The pin moves to the verified checkpoint, never to another one in the text.
    if (verdict.ok && (grown?.ok ?? true)) pin?.move(verdict.checkpoint)
    return report(grown === undefined ? verdict : both(verdict, grown), values.json)
  },
}

const HOURS: { [unit: string]: number } = { h: 1, d: 24 }

/** How far the clock of a log may be ahead of the local one. */
const CLOCKS_DIFFER = 5 * 60_000

/** The limits for the age of an answer, from a text such as `72h` or `3d`. */
function within(age: string, now: number): Pick<VerifyOptions, 'notBefore' | 'notAfter'> {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,4})([hd])$/.exec(age) ?? []
  const hours = HOURS[unit]
  if (hours === undefined) throw new UsageFault('--max-age takes hours or days, such as 72h or 3d')
  const at = (time: number): string => new Date(time).toISOString()
  return { notBefore: at(now - Number(count) * hours * 3_600_000), notAfter: at(now + CLOCKS_DIFFER) }
}

/** Reads one answer, or several pages of one list: each from a file, or one after the other from an address. */
async function readAnswer(sources: readonly string[], older: string | undefined, rails: string | undefined) {
  const [first = '', ...more] = sources
  if (more.length > 0) return joinPages(await Promise.all(sources.map((source) => read(source, TO_VERIFY))))
  if (!isAddress(first)) return read(first, TO_VERIFY)
  const fetchPage = (url: string): Promise<string> => fetchText(url, rails)
  return older === undefined ? fetchPage(first) : pagesSince(first, older, fetchPage)
}

/** Checks the growth of the log: by the entries themselves for pages of figure changes, and by tiles for other answers. */
async function continued(
  older: string,
  text: string,
  policy: TrustPolicy,
  verdict: PassedVerdict,
  isLocal: boolean,
): Promise<GrowthVerdict> {
  const page = verdict.log === undefined ? (parseJson(text) as { data?: unknown[]; states?: unknown }) : {}
  const { data, states } = page
  if (!data || (verdict.entries === verdict.editions.length && states === undefined))
    return grownSince(older, verdict.checkpoint, policy, isLocal)
  const found = await verifyChanges({ data, states }, older, verdict.checkpoint, policy)
  return found.ok ? { ok: true, grew: { from: found.from, to: found.to }, changes: found.entries } : found
}

const both = (verdict: Verdict, grown: GrowthVerdict): Verdict =>
  verdict.ok && grown.ok ? { ...verdict, ...grown } : verdict.ok ? (grown as FailedVerdict) : verdict

function report(verdict: Verdict, asJson: boolean): number {
  const result = verdict.ok ? verdict : { ...verdict, detail: REASONS[verdict.reason] }
  show(asJson, result, verdict.ok ? 'ok' : `failed: ${verdict.reason}`)
  if (!asJson) for (const line of details(verdict)) console.log(line)
  return verdict.ok ? DONE : REFUSED
}

/** The days that the lines of a bill were checked for. Lines without a day are about today. */
const lineDays = (question: ExpectedAnswer): Pick<PassedVerdict, 'days'> =>
  'questions' in question ? { days: [...new Set(question.questions.map(({ as_of }) => as_of))].sort() } : {}

/** Verifies an answer, and then compares its rows with the source files, if any are given. */
async function verdictOn(
  text: string,
  policy: TrustPolicy,
  sources: readonly string[],
  question: ExpectedAnswer,
  options: VerifyOptions,
): Promise<Verdict> {
  const proved = await checkWhole(text, policy, question, options)
  if (!proved.ok) return proved
  const { rows } = proved
  const found = sources.length > 0 ? await atSource(proved, findPlace(text), sources) : { at_source: 0, searched: 0 }
  if ('reason' in found) return found
  const lapsed = rows.length === 1 && isLapsed(text) ? { lapsed: true } : {}
  return { ...proved, derived: rows.length, ...found, ...lapsed }
}

/** Checks that each row is in the files it cites, and that a code without a row is in none of the given files. */
async function atSource(
  { rows, lacking }: VerifiedAnswer,
  place: ProvedRow | undefined,
  paths: readonly string[],
): Promise<FailedVerdict | Pick<PassedVerdict, 'at_source' | 'searched' | 'place_at_source'>> {
  const wanted = wantedBy(rows.flatMap(({ row }) => (isOfPrices(row) ? [row] : [])))
  const codes = new Set([...wanted.codes, ...lacking.map(({ cpt }) => cpt)])
  const given = (await Promise.all(paths.map((path) => givenAt(path, { ...wanted, codes })))).flat()
  const check = sourceCheck(given)
  for (const { row, release } of rows) {
    const verdict = check(row, release.citations, release.chart)
    if (!verdict.ok) return { ...verdict, row: rowKey(row) }
  }
  const placed = place && check(place.row, place.release.citations, place.release.chart)
  // The files of places may be missing: they are not needed to check an amount.
  if (place && placed?.ok === false && placed.reason !== 'source_missing') return { ...placed, row: rowKey(place.row) }
  const search = absenceCheck(given)
  let searched = 0
  let missing: FailedVerdict | undefined
  for (const { cpt, release } of lacking) {
    const verdict = search(cpt, release)
    if (verdict.ok) searched++
    else if (verdict.reason === 'code_in_source' || verdict.reason === 'source_unreadable') return verdict
    else missing ??= verdict
  }
  // If no edition could be searched, the files confirm nothing.
  if (rows.length === 0 && searched === 0 && missing) return missing
  return { at_source: rows.length, searched, ...(placed && { place_at_source: placed.ok }) }
}

/** The place in the answer to a single question. It was proved with the rest of the answer. */
function findPlace(text: string): ProvedRow | undefined {
  const body = parseJson(text) as ShownBody & { place?: ShownRow }
  if (!body.place?.proof) return undefined
  const { proof, ...row } = body.place
  const release = releaseOf(body, proof)
  return release && { row, release }
}

/** Checks that an export has all rows of the release whose first row is proved. */
async function wholeVerdict(exported: Export, verdict: Verdict): Promise<Verdict> {
  if (!verdict.ok) return verdict
  const release = verdict.rows[0]?.release
  const content = contentOf(exported)
  return release && content !== undefined && (await isWholeExport(content, release))
    ? { ...verdict, exported: { release_id: release.release_id, rows: release.row_count } }
    : failed('row_not_in_release')
}

async function noteVerdict(text: string, policy: TrustPolicy, options: VerifyOptions): Promise<Verdict> {
  const opened = await openCheckpoint(text, policy)
  if (!opened.ok) return opened
  if (!(await isFresh(text, policy, null, options))) return failed('state_too_old')
  const { origin, size } = opened.head
  const nothing = {
    rows: [],
    decisions: [],
    lacking: [],
    editions: [],
    entries: 0,
    refused: 0,
    derived: 0,
    at_source: 0,
    searched: 0,
    recorded_at: null,
  }
  return { ok: true, ...nothing, checkpoint: text, log: `checkpoint ${origin} ${size}` }
}

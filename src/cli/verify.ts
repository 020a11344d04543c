import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { SourceFault } from '../ingest/reread.ts'
import { sourceCheck } from '../ingest/source-check.ts'
import { givenAt, wantedBy } from '../ingest/source-gather.ts'
import { parseJson } from '../proof/canonical-json.ts'
import { verifyChanges } from '../proof/changes.ts'
import { openCheckpoint } from '../proof/note/checkpoint.ts'
import { parseNote } from '../proof/note/signed-note.ts'
import { type DerivationFault, verifyDerivation } from '../proof/price/derivation.ts'
import { type Citation, type CitedRow, isRow, isRowProof, rowKey } from '../proof/price/row.ts'
import { answersTo, type Question } from '../proof/question.ts'
import { type BodyVerdict, type Fault, parsePolicy, type TrustPolicy, verifyBody } from '../proof/verify.ts'
import { type Command, DONE, REFUSED, show, UsageFault } from './command.ts'
import { checkpointIn, type Grown, grownSince, Pin } from './growth.ts'
import { joinPages, pagesSince } from './pages.ts'

const OPTIONS = {
  policy: { type: 'string' },
  source: { type: 'string', multiple: true },
  since: { type: 'string' },
  pin: { type: 'string' },
  rails: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

export const verify: Command = {
  usage:
    'verify <file|url|->... --policy <file|url> [--source <file>]... [--since <checkpoint> | --pin <file>] [--rails <file>] [--json]',
  summary:
    'Checks an answer with the keys of a pinned policy; with --source, also against the files it cites; with --since or --pin, that its log has only grown, and for pages of figure changes that none is missing since',
  async run(args) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    const [what] = positionals
    if (what === undefined) throw new UsageFault('say what to verify: a file, a URL, or -')
    if (values.policy === undefined) throw new UsageFault('say whom to trust: --policy with a file or URL')
    const policy = parsePolicy(await read(values.policy))
    if (!policy) throw new UsageFault('the policy is not a tlog-policy this program understands')
    if (values.since !== undefined && values.pin !== undefined) throw new UsageFault('give --since or --pin, not both')
    const pin = values.pin === undefined ? undefined : new Pin(values.pin)
    const older = values.since === undefined ? pin?.read() : await read(values.since)
    const rails = values.rails === undefined ? undefined : (await read(values.rails)).trim()
    const text = await readAnswer(positionals, older, rails)
    const verdict = isNote(text)
      ? await noteVerdict(text, policy)
      : await verdictOn(text, policy, values.source ?? [], questionIn(what))
    const grown = verdict.ok && older !== undefined ? await continued(older, text, policy, verdict) : undefined
    if (verdict.ok && (grown?.ok ?? true)) pin?.move(checkpointOf(text))
    return report(grown === undefined ? verdict : both(verdict, grown), values.json)
  },
}

/** One answer; or several pages of one list, each as a file, or one after the other from an address. */
async function readAnswer(sources: readonly string[], older: string | undefined, rails: string | undefined) {
  const [first = '', ...more] = sources
  if (more.length > 0) return joinPages(await Promise.all(sources.map((source) => read(source))))
  if (!isAddress(first)) return read(first)
  const fetchPage = (url: string): Promise<string> => fetchText(url, rails)
  return older === undefined ? fetchPage(first) : pagesSince(first, older, fetchPage)
}

/** Pages of figure changes show by themselves how their log grew, and that no change was left out; for the rest there are tiles. */
async function continued(older: string, text: string, policy: TrustPolicy, verdict: Checked): Promise<Grown> {
  const newer = checkpointOf(text)
  if (verdict.entries === 0) return grownSince(older, newer, policy)
  const { data } = parseJson(text) as { data: unknown[] }
  const found = await verifyChanges(data, older, newer, policy)
  return found.ok ? { ok: true, grew: { from: found.from, to: found.to }, changes: found.entries } : found
}

const both = (verdict: Verdict, grown: Grown): Verdict =>
  verdict.ok && grown.ok ? { ...verdict, ...grown } : verdict.ok ? (grown as Failed) : verdict

function report(verdict: Verdict, asJson: boolean): number {
  show(asJson, verdict, verdict.ok ? 'ok' : `failed: ${verdict.reason}`)
  if (!asJson) for (const line of details(verdict)) console.error(line)
  return verdict.ok ? DONE : REFUSED
}

type Verdict = Checked | Failed
type Checked = Extract<BodyVerdict, { ok: true }> & {
  derived: number
  at_source: number
  grew?: { from: number; to: number }
  /** How many changes came since the older checkpoint, none missing. */
  changes?: number
}
type Failed = {
  ok: false
  reason: Fault | DerivationFault | SourceFault | Extract<Grown, { ok: false }>['reason']
  /** The key of the row that failed, and the file it needs, where that is known. */
  row?: string
  at?: number
  file?: Pick<Citation, 'file' | 'sha256' | 'url'>
}

/** The proofs first: what is said about the files and the arithmetic counts only in what was really published. */
async function verdictOn(
  text: string,
  policy: TrustPolicy,
  sources: readonly string[],
  asked: Question | undefined,
): Promise<Verdict> {
  const proved = await verifyBody(text, policy, asked && answersTo(asked))
  if (!proved.ok) return proved
  const rows = rowsIn(parseJson(text))
  if (rows.length < proved.rows) throw new Error('the proofs hold for more rows than were found')
  const wrong = wrongDerivation(rows) ?? (sources.length > 0 ? await notAtSource(rows, sources) : undefined)
  return wrong ?? { ...proved, derived: rows.length, at_source: sources.length > 0 ? rows.length : 0 }
}

const IS_LOOKUP = /\/(reference|reference\/history|api\/registry)$/

/** A lookup's address is also the question: the answer must be one to it. Which locality a ZIP lies in is not proved. */
function questionIn(what: string): Question | undefined {
  const url = isAddress(what) ? new URL(what) : undefined
  const { cpt, region, ...rest } = Object.fromEntries(url && IS_LOOKUP.test(url.pathname) ? url.searchParams : [])
  if (cpt === undefined || region?.toUpperCase().startsWith('ZIP')) return undefined
  const place = region === undefined ? {} : { region: /^national$/i.test(region) ? 'national' : region.toUpperCase() }
  return { ...rest, cpt: cpt.trim().toUpperCase(), ...place } as Question
}

function wrongDerivation(rows: readonly CitedRow[]): Failed | undefined {
  for (const row of rows) {
    const verdict = verifyDerivation(row)
    if (!verdict.ok) return { ...verdict, row: rowKey(row) }
  }
  return undefined
}

async function notAtSource(rows: readonly CitedRow[], paths: readonly string[]): Promise<Failed | undefined> {
  const wanted = wantedBy(rows)
  const check = sourceCheck((await Promise.all(paths.map((path) => givenAt(path, wanted)))).flat())
  for (const { proof, ...row } of rows) {
    const verdict = check(row, proof.release.citations)
    if (!verdict.ok) return { ...verdict, row: rowKey(row) }
  }
  return undefined
}

/** Every row in an answer that comes with its proof, however the answer wraps it. */
function rowsIn(value: unknown): CitedRow[] {
  if (typeof value !== 'object' || value === null) return []
  return isCitedRow(value) ? [value] : Object.values(value).flatMap(rowsIn)
}

function isCitedRow(value: object): value is CitedRow {
  const { proof, ...row } = value as Record<string, unknown>
  return isRowProof(proof) && isRow(row)
}

function details(verdict: Verdict): string[] {
  if (!verdict.ok)
    return [
      ...(verdict.at ? [`item ${verdict.at} of the list`] : []),
      ...(verdict.row ? [`row: ${verdict.row}`] : []),
      ...(verdict.file
        ? [
            `needed: ${[verdict.file.file, `SHA-256 ${verdict.file.sha256}`, verdict.file.url].filter((part) => part !== '').join(', ')}`,
          ]
        : []),
    ]
  const { rows, absences, entries, refused, proved, derived, at_source, grew, changes } = verdict
  return [
    ...proved,
    `checked: ${rows} rows, ${absences} absences, ${entries} log entries`,
    ...(refused > 0 ? [`refused without proof: ${refused} lines`] : []),
    `recomputed: ${derived} rows; found in the files they cite: ${at_source}`,
    ...(grew ? [`the log has only grown: from ${grew.from} entries to ${grew.to}`] : []),
    ...(changes === undefined ? [] : [`no change is missing: ${changes} since the older checkpoint`]),
  ]
}

/** A checkpoint by itself can be verified too: there is nothing in it but what was signed. */
const isNote = (text: string): boolean => parseNote(text) !== undefined

async function noteVerdict(text: string, policy: TrustPolicy): Promise<Verdict> {
  const opened = await openCheckpoint(text, policy)
  if (!opened.ok) return opened
  const { origin, size } = opened.head
  return {
    ok: true,
    rows: 0,
    absences: 0,
    entries: 0,
    refused: 0,
    derived: 0,
    at_source: 0,
    proved: [`checkpoint ${origin} ${size}`],
  }
}

function checkpointOf(text: string): string {
  const note = checkpointIn(text, isNote(text) ? undefined : parseJson(text))
  if (note === undefined) throw new UsageFault('the answer carries no checkpoint to compare')
  return note
}

async function read(source: string): Promise<string> {
  if (source === '-') return Bun.stdin.text()
  if (isAddress(source)) return fetchText(source)
  try {
    return readFileSync(source, 'utf8') // not Bun.file: a shell's <(...) is a pipe with no size
  } catch {
    throw new UsageFault('there is no such file, or it may not be read')
  }
}

const isAddress = (source: string): boolean => /^https?:\/\//.test(source)

async function fetchText(url: string, rails?: string): Promise<string> {
  const { status, text } = await fetchAnswer(url, rails)
  const refusal = provesNothing(status, text)
  if (refusal !== undefined) throw new UsageFault(refusal)
  return text
}

async function fetchAnswer(url: string, rails: string | undefined): Promise<{ status: number; text: string }> {
  try {
    // A token goes where it was meant to go: it would follow a redirection to anyone.
    const init: RequestInit = rails === undefined ? {} : { headers: { 'x-agent-rails': rails }, redirect: 'error' }
    const response = await fetch(url, init)
    return { status: response.status, text: await response.text() }
  } catch {
    throw new UsageFault('that address cannot be reached')
  }
}

/** A refusal that proves nothing, such as of an old token, is not an answer that fails: it says why there is none. */
function provesNothing(status: number, text: string): string | undefined {
  if (status < 400) return undefined
  const [, code = ''] = /"code":"([a-z_]{1,60})"/.exec(text) ?? []
  return /"(proof|absence)":/.test(text) ? undefined : `that address answered ${status} ${code}`.trimEnd()
}

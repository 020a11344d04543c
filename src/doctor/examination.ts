// Examines an installation. It changes nothing: the store is opened read-only, and may be in use meanwhile.

import { makeApp } from '../app.ts'
import type { CitationEvent } from '../citations/store.ts'
import type { Config } from '../config.ts'
import { StoreBusy, StoreFault } from '../db/db.ts'
import { findWhole, wasMoved } from '../db/store-place.ts'
import {
  checkAccess,
  checkUnlocked,
  type Installation,
  installationParts,
  openUnchecked,
  storePlace,
} from '../installation.ts'
import type { IntegrityReport } from '../integrity/report/report-shape.ts'
import { limitsOf } from '../main.ts'
import { answerValue } from '../operation.ts'
import { openNote } from '../proof/note/signed-note.ts'
import { CHARTS } from '../registry/charts.ts'
import { isOfOlderForm, listOlder } from '../upgrade/store.ts'
import { equipmentFindings } from './equipment.ts'
import { type Finding, type FindingCode, finding, findingOf, statusOf } from './finding.ts'
import { type Disk, diskFindings, disksOf, fileFindings, type Listener, listenerOf, valkeyFindings } from './machine.ts'
import {
  archiveFindings,
  citationFacts,
  type FactsAndFindings,
  type KeyFact,
  keyFacts,
  logFindings,
  type ReleaseFacts,
  releaseFacts,
  releaseFileFindings,
  type Subject,
  storageFindings,
} from './records.ts'
import { type UpdateFact, updateFacts } from './updates.ts'
import { type WitnessFact, witnessFacts } from './witnesses.ts'

/** The result of an examination. Members that need the store are null if it cannot be read. */
export interface Examination {
  at: string
  status: 'ok' | 'warn' | 'fail'
  findings: Finding[]
  listener: Listener
  disks: Disk[]
  engine: 'sqlite' | 'postgres'
  report: IntegrityReport | null
  /** Charts without any published release. */
  missing: string[]
  /** What `atr update` would do: the charts that it looks after, and what it has seen of them. */
  updates: UpdateFact[] | null
  releases: ReleaseFacts | null
  witnesses: WitnessFact[] | null
  witness_quorum: number
  keys_expiring: KeyFact[] | null
  citation_events: CitationEvent[] | null
}

export async function examine(config: Config, now: number, fetchable: readonly string[] = []): Promise<Examination> {
  const disks = disksOf(config)
  const findings = [
    ...accessFindings(config),
    ...fileFindings(config),
    ...diskFindings(disks, config),
    ...(await valkeyFindings(config)),
  ]
  const installation = await open(config, findings)
  try {
    const records = installation && (await recordsOf({ installation, config, now }, fetchable, findings))
    const log = installation?.registryLog
    const listener = await listenerOf(config, log && (async (note) => (await openNote(note, log.keys)).ok))
    if (listener === 'another_program')
      findings.push(finding('port_taken', `another program listens on port ${config.PORT} of HOST`))
    const published = new Set(records?.report?.charts.map(({ kind }) => kind))
    const order = { fail: 0, warn: 1 }
    return {
      at: new Date(now).toISOString(),
      status: statusOf(findings),
      findings: findings.sort((a, b) => order[a.level] - order[b.level]),
      listener,
      disks,
      engine: config.DATABASE_URL === undefined ? 'sqlite' : 'postgres',
      report: records?.report ?? null,
      missing: records?.report ? CHARTS.filter(({ kind }) => !published.has(kind)).map(({ chart }) => chart) : [],
      updates: records?.updates ?? null,
      releases: records?.releases ?? null,
      witnesses: records?.witnesses ?? null,
      witness_quorum: config.witnessQuorum,
      keys_expiring: records?.keys ?? null,
      citation_events: records?.events ?? null,
    }
  } finally {
    await installation?.db.close()
  }
}

const MISSING = { 'log key': 'log_keys_missing', pepper: 'pepper_missing' } as const

/** Undefined if the store cannot be read; the reason is added to `findings`. */
async function open(config: Config, findings: Finding[]): Promise<Installation | undefined> {
  try {
    checkAccess(config, true)
    const parts = await installationParts(config)
    const missing = parts.filter(([, isThere]) => !isThere).map(([name]) => name)
    if (missing.length === parts.length) {
      findings.splice(0, findings.length, finding('not_installed', 'there is no installation here'))
      return undefined
    }
    for (const name of missing)
      findings.push(name === 'store' ? await noStore(config) : finding(MISSING[name], `the ${name} is missing`))
    if (missing.length > 0) return undefined
    return await openUnchecked(config, { isReadOnly: true })
  } catch (error) {
    pushOnce(findings, storeFinding(error))
    return undefined
  }
}

function pushOnce(findings: Finding[], finding: Finding): void {
  if (!findings.some(({ what }) => what === finding.what)) findings.push(finding)
}

/** Finds out whether the store was moved: a backup that is restored here would then be a second store of the same logs. */
async function noStore(config: Config): Promise<Finding> {
  const place = storePlace(config)
  if (await findWhole(place)) return finding('move_interrupted', 'a move of the store to this place was interrupted')
  return (await wasMoved(place))
    ? finding('store_moved', 'the store was moved from here')
    : finding('store_missing', 'the store is missing')
}

/** Checks write access. A store that can be read but not written is examined too. */
function accessFindings(config: Config): Finding[] {
  try {
    checkAccess(config)
    return []
  } catch (error) {
    return [storeFinding(error)]
  }
}

function storeFinding(error: unknown): Finding {
  if (error instanceof StoreBusy) return finding('store_away', error.message)
  if (!(error instanceof StoreFault)) throw error
  const code: FindingCode = /newer version/.test(error.message)
    ? 'store_newer'
    : /older version/.test(error.message)
      ? 'store_older'
      : 'store_unusable'
  return finding(code, error.message)
}

interface Records {
  report: IntegrityReport | undefined
  updates: UpdateFact[] | undefined
  releases: ReleaseFacts | undefined
  witnesses: WitnessFact[] | undefined
  keys: KeyFact[] | undefined
  events: CitationEvent[] | undefined
}

/** Examines the store. Each look is made even if others fail, because the store may be damaged in one place only. */
async function recordsOf(subject: Subject, fetchable: readonly string[], findings: Finding[]): Promise<Records> {
  const attempt = async <T>(look: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await look()
    } catch (error) {
      const isOurs = error instanceof StoreFault || error instanceof StoreBusy
      const fault = isOurs ? storeFinding(error) : finding('store_unusable', 'something in the store cannot be read')
      pushOnce(findings, fault)
      return undefined
    }
  }
  const addFindings = async (look: () => Promise<Finding[]>): Promise<void> => {
    findings.push(...((await attempt(look)) ?? []))
  }
  const addFacts = async <T>(look: (subject: Subject) => Promise<FactsAndFindings<T>>): Promise<T | undefined> => {
    const result = await attempt(() => look(subject))
    findings.push(...(result?.findings ?? []))
    return result?.facts
  }
  await attempt(() => checkUnlocked(subject.installation))
  const older = await attempt(() => olderReleases(subject.installation.db))
  if (older?.isDue) {
    findings.push(finding('older_form', 'the releases of the store have an older form'))
    return {
      report: undefined,
      updates: undefined,
      releases: undefined,
      witnesses: undefined,
      keys: undefined,
      events: undefined,
    }
  }
  if (older && older.left > 0)
    findings.push(finding('older_left', `${older.left} releases of an older form were left without a successor`))
  await addFindings(() => logFindings(subject))
  await addFindings(() => releaseFileFindings(subject))
  await addFindings(() => storageFindings(subject))
  const report = await attempt(() => serviceReport(subject))
  findings.push(...(report ? reportFindings(report) : []))
  const updates = await addFacts((known) => updateFacts(known, fetchable))
  const releases = await addFacts(releaseFacts)
  const witnesses = await addFacts(witnessFacts)
  const keys = await addFacts(keyFacts)
  const events = await addFacts(citationFacts)
  await addFindings(() => archiveFindings(subject))
  await addFindings(() => equipmentFindings(subject))
  return { report, updates, releases, witnesses, keys, events }
}

async function olderReleases(db: Installation['db']): Promise<{ isDue: boolean; left: number }> {
  const left = (await listOlder(db)).filter(({ standing }) => standing === 'left').length
  return { isDue: await isOfOlderForm(db), left }
}

/** The integrity report of the service itself, so that both always agree. */
async function serviceReport({ installation, config, now }: Subject): Promise<IntegrityReport> {
  const app = makeApp(installation, {
    baseUrl: () => config.PUBLIC_URL ?? 'http://localhost',
    now: () => now,
    limits: limitsOf(config),
    hasArchive: config.ARCHIVE !== undefined,
    observe: () => undefined,
  })
  const report = app.operations.find(({ name }) => name === 'get_data_integrity')
  if (!report) throw new Error('the service has no integrity report')
  return answerValue(await report.run({}, {})) as IntegrityReport
}

/** The reasons of the report as findings, with details of the charts that they are about. */
function reportFindings({ status_reasons, charts, citations }: IntegrityReport): Finding[] {
  return status_reasons.map((reason) => {
    const { code, what, level } = findingOf(reason)
    const about = reason.slice(reason.indexOf(':') + 1)
    const chart = charts.find(({ chart_id }) => chart_id === about)
    if (chart && code.startsWith('chart_')) return finding(code, chartText(chart))
    // A lost source is only a warning if a copy is kept.
    const isKept = citations.failing.every(({ chart_id, archived_copy }) => chart_id !== about || archived_copy)
    return code === 'source_lost' && isKept
      ? finding('source_failing', `${what}; a copy of it is kept`)
      : finding(code, what, level)
  })
}

/** Describes the fault of a chart: its last edition has ended, or its operator keeps it in force past the publisher's calendar. */
function chartText(chart: IntegrityReport['charts'][number]): string {
  const { release_id, status_reason, effective_to, expected_by } = chart
  const next = `the next edition was expected by ${expected_by}`
  return status_reason === 'period_has_ended'
    ? `${release_id} ended on ${effective_to}, and lookups are refused; ${next}`
    : `${release_id} is in force until ${effective_to}, but is out of date: ${next}`
}

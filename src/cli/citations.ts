import { setPriority } from 'node:os'
import { parseArgs } from 'node:util'
import { dayOf } from '../calendar.ts'
import { SourceArchive } from '../citations/archive.ts'
import { type CheckParts, type CheckResult, checkCitations, hasAddress } from '../citations/check.ts'
import { isFailing } from '../citations/judgement.ts'
import type { Config } from '../config.ts'
import { StoreBusy } from '../db/db.ts'
import { citedLater, citedSources } from '../registry/catalogue/citations.ts'
import {
  type Command,
  DONE,
  JSON_OPTION,
  openStore,
  REFUSED,
  show,
  table,
  UsageFault,
  unknownAction,
} from './command.ts'

export const archiveOf = ({ ARCHIVE }: Config): SourceArchive | undefined =>
  ARCHIVE === undefined ? undefined : SourceArchive.at(ARCHIVE)

const ACTIONS = {
  check: {
    usage: 'citations check [--all] [--loopback] [--json]',
    summary: 'Looks whether the cited sources are still where they were, and still the same',
    options: [
      ['--all', 'looks at every source, due or not'],
      ['--loopback', 'also at addresses of this machine, which are refused otherwise'],
      JSON_OPTION,
    ],
    examples: [['citations check --all', 'looks at every source now; exit code 1 if one is gone or was changed']],
  },
} as const

export const citations: Command = {
  usage: 'citations ACTION',
  summary: 'Looks after the sources that releases cite',
  actions: ACTIONS,
  async run(args, config) {
    const options = {
      all: { type: 'boolean', default: false },
      loopback: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      // Set for the process that a service starts, see `scheduleCitations`.
      scheduled: { type: 'boolean', default: false },
    } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [action = '', ...more] = positionals
    if (action !== 'check') throw unknownAction('citations', action, ACTIONS)
    if (more.length > 0) throw new UsageFault('atr citations check takes options only')
    const { db } = await openStore(config, { takesOlder: true })
    try {
      const cited = await citedSources(db, dayOf(Date.now()))
      const parts = {
        db,
        now: Date.now,
        cited: async () => cited,
        isSuccessor: await citedLater(db),
        archive: archiveOf(config),
        outgoing: { loopback: values.loopback },
      }
      if (values.scheduled) return await checkScheduled(parts)
      const results = await checkCitations(parts, values.all, () => {})
      show(values.json, { checked: results.map(shown), cited: cited.length }, resultsText(results, cited, values.all))
      return results.some(({ state }) => isFailing(state)) ? REFUSED : DONE
    } finally {
      await db.close()
    }
  },
}

/** The limits of one scheduled process. The rest stays due for the next one. */
const SCHEDULED = { sources: 500, ms: 4 * 3_600_000, pauseMs: 500 }
const LOW_PRIORITY = 10

/** Looks at due sources, and writes only news for the operator, as lines of the service's log. */
async function checkScheduled(parts: CheckParts): Promise<number> {
  setPriority(LOW_PRIORITY)
  process.on('SIGTERM', () => process.exit(DONE))
  process.on('SIGINT', () => undefined) // a terminal sends it to all processes; the service decides when to stop
  process.on('disconnect', () => process.exit(DONE))
  try {
    await checkCitations(parts, false, logResult, SCHEDULED)
    return DONE
  } catch (error) {
    // Another machine is looking, or the store is away for a moment. The next process tries again.
    if (error instanceof StoreBusy) return DONE
    throw error
  } finally {
    process.disconnect?.()
  }
}

function logResult({ source: { release_id, file }, state, check, event }: CheckResult): void {
  if (!isFailing(state) && !event) return
  const level = event && event.kind !== 'source_back' ? 'error' : event ? 'info' : 'warn'
  const members = { ...(event ? { event: event.kind } : {}), release_id, file, state, http_status: check.http_status }
  console.error(JSON.stringify({ at: new Date(check.checked_at).toISOString(), level, job: 'citations', ...members }))
}

const shown = ({ source, state, check, event }: CheckResult) => ({
  chart: source.chart,
  release_id: source.release_id,
  file: source.file,
  url: source.url,
  state,
  event: event?.kind ?? null,
  http_status: check.http_status,
  next_check_at: new Date(check.next_check_at).toISOString(),
})

function resultsText(results: readonly CheckResult[], cited: readonly { url: string }[], isAll: boolean): string {
  const without = cited.filter((source) => !hasAddress(source)).length
  const none = without > 0 ? [`${without} sources have no address on the web to look at`] : []
  const rows = results.map(({ source, state, check, event }) => [
    event ? `${state} (${event.kind})` : state,
    source.release_id,
    source.file,
    check.http_status === null ? '' : `HTTP ${check.http_status}`,
    `again ${dayOf(check.next_check_at)}`,
  ])
  const idle = isAll ? 'there is no source to look at' : 'nothing is due: --all looks at every source'
  return [rows.length > 0 ? table(rows) : idle, ...none].join('\n')
}

import { setPriority } from 'node:os'
import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import { StoreBusy } from '../db/db.ts'
import { type ChartReport, fetchable, runFetch } from '../fetch/run.ts'
import { ask } from '../outgoing/outgoing.ts'
import { type Command, DONE, JSON_OPTION, notice, openStore, UsageFault } from './command.ts'
import { fetchParts } from './fetch-parts.ts'
import { exitCodeOf, reportLines } from './fetch-text.ts'
import { ifInterrupted } from './interruption.ts'

const INTERRUPTED = 'what was staged or published stays: see `atr release list`. The next run goes on'

export const update: Command = {
  usage: 'update [--publish] [--json]',
  summary: 'Fetches every chart and hospital that is due, and stages what is new; made for cron',
  options: [['--publish', 'publishes what the breaker allows; the rest waits for you, as without it'], JSON_OPTION],
  examples: [['update --publish', 'exit code 1 if something is wrong or waits for you, so that cron notices']],
  async run(args, config) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        publish: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        // Set for the process that a service starts, see `scheduleUpdates`.
        scheduled: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
    if (positionals.length > 0)
      throw new UsageFault('atr update takes options only: `atr fetch CHART` fetches one chart')
    using _ = ifInterrupted(INTERRUPTED)
    if (values.scheduled) asScheduled()
    const installation = await openStore(config)
    try {
      using parts = fetchParts(config, installation)
      const tell = values.scheduled ? logReport : values.json ? () => {} : printReport
      const options = { charts: fetchable(parts), isDueOnly: true, publishes: values.publish }
      const reports = await runFetch(parts, options, tell)
      if (values.json) console.log(JSON.stringify({ charts: reports }))
      await tellNews(config, reports)
      return exitCodeOf(reports)
    } catch (error) {
      // Another machine is at work. The next process looks again.
      if (values.scheduled && error instanceof StoreBusy) return DONE
      throw error
    } finally {
      await installation.db.close()
      if (values.scheduled) process.disconnect?.()
    }
  },
}

const LOW_PRIORITY = 10

function asScheduled(): void {
  setPriority(LOW_PRIORITY)
  process.on('disconnect', () => process.exit(DONE))
}

const printReport = (report: ChartReport): void => console.log(reportLines(report).join('\n'))

const isNews = ({ outcome }: ChartReport): boolean => outcome === 'new' || outcome === 'trouble'

/** News as lines of the service's log. */
function logReport(report: ChartReport): void {
  if (!isNews(report)) return
  const { chart, outcome, newest, trouble, releases } = report
  const level = trouble || releases.some(({ held }) => held.length > 0) ? 'warn' : 'info'
  const shown = { chart, outcome, newest, trouble: trouble?.code ?? null, releases }
  console.error(JSON.stringify({ at: new Date().toISOString(), level, job: 'update', ...shown }))
}

const WEBHOOK_MS = 30_000
const WEBHOOK_BYTES = 64 * 1024

/** Sends the news to ON_UPDATE: a command gets them on standard input, an address as the body of a POST. */
async function tellNews({ ON_UPDATE: target }: Config, reports: readonly ChartReport[]): Promise<void> {
  const charts = reports.filter(isNews)
  if (target === undefined || charts.length === 0) return
  const body = JSON.stringify({ charts })
  const isSent = /^https?:/.test(target) ? await post(target, body) : await runCommand(target, body)
  if (!isSent) notice('ON_UPDATE was not told of the news: its command failed, or its address did not answer with 2xx')
}

async function post(address: string, body: string): Promise<boolean> {
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body, timeoutMs: WEBHOOK_MS, mostBytes: WEBHOOK_BYTES } as const
  const answer = await ask(address, { ...request, loopback: true }).catch(() => undefined)
  return answer !== undefined && answer.status >= 200 && answer.status < 300
}

async function runCommand(command: string, body: string): Promise<boolean> {
  const child = Bun.spawn(['/bin/sh', '-c', command], { stdin: new Blob([body]), stdout: 'ignore', stderr: 'inherit' })
  return (await child.exited) === 0
}

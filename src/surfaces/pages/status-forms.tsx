/** @jsxImportSource hono/jsx */
import type { Frame } from '../site/frame.ts'
import type { LandingChart } from '../site/landing-facts.ts'
import { ChartList, Day } from '../site/landing-html.tsx'
import { chartTable } from '../site/landing-markdown.ts'
import { blocks, bullets, markdownCode, markdownText } from '../site/markup.ts'
import { grouped, inWords } from '../site/words.ts'
import type { PageForms } from './site-page.ts'

/** The part of `/api/status` that the page shows. */
export interface SiteStatus {
  as_of: string
  /** How many charts there are; the list may be cut. */
  charts_total: number
  charts: readonly LandingChart[]
  /** Not there where nothing is verified while the service runs. */
  verification?: {
    last_full_verification_at: string | null
    rows_verified: number
    rows_failed: number
    failing: readonly string[]
  }
  logs: readonly LogStatus[]
  /** Set on a mirror. */
  mirror?: { notice: string }
}

interface LogStatus {
  origin: string
  size: number
  /** When its newest checkpoint was signed. */
  signed_at: string
  witnesses: { configured: number; cosigned: number; quorum: number }
}

export interface StatusParts {
  frame: Frame
  status: () => Promise<SiteStatus>
}

export const statusForms = ({ frame, status }: StatusParts): PageForms => ({
  html: async () => statusHtml(frame, forReaders(await status())),
  markdown: async () => statusMarkdown(forReaders(await status())),
  json: status,
})

/** The report calls a list expired that should have been replaced long ago; for readers it is so when it gives no price any more. */
const forReaders = (status: SiteStatus): SiteStatus => ({
  ...status,
  charts: status.charts.map((chart) =>
    chart.status === 'expired' && chart.effective_to >= status.as_of ? { ...chart, status: 'overdue' } : chart,
  ),
})

/** More than there are schedules; of the files of single hospitals there can be thousands. */
const MOST_CHARTS = 200
const shown = ({ charts }: SiteStatus): readonly LandingChart[] => charts.slice(0, MOST_CHARTS)

function verificationText({ verification }: SiteStatus): string | undefined {
  if (!verification) return undefined
  const { last_full_verification_at: last, rows_verified, rows_failed, failing } = verification
  if (last === null) return 'Not everything that is public was verified yet.'
  const counted = `${grouped(String(rows_verified))} rows were derived again from stored bytes`
  const result =
    rows_failed === 0 && failing.length === 0
      ? 'all of them hold'
      : `these failed and are not served: ${failing.join(', ')}`
  return `Everything was last verified on ${inWords(last)}: ${counted}, and ${result}.`
}

/** The first thing that a reader wants to know. */
function verdict({ charts, charts_total: total }: SiteStatus): string {
  const count = (status: LandingChart['status']): number => charts.filter((chart) => chart.status === status).length
  const [expired, stale] = [count('expired'), count('stale') + count('overdue')]
  if (total === 0) return 'No price list was loaded yet.'
  const late = [
    ...(expired > 0
      ? [`${expired} ${expired === 1 ? 'has expired and gives' : 'have expired and give'} no price for today`]
      : []),
    ...(stale > 0 ? [`the next edition of ${stale} is overdue`] : []),
  ]
  return `${grouped(String(total))} price ${total === 1 ? 'list' : 'lists'}: ${late.length > 0 ? late.join(', ') : 'all of them in force'}.`
}

const witnessText = ({ witnesses: { configured, cosigned, quorum } }: LogStatus): string =>
  configured === 0
    ? 'no witnesses are configured'
    : `${cosigned} of ${configured} witnesses have cosigned; ${quorum} are needed`

const statusHtml = (frame: Frame, status: SiteStatus): Promise<string> =>
  frame({
    title: 'Status: Agent Trust Registry',
    description: 'How fresh each price list is, and the heads of the logs.',
    path: '/status',
    main: (
      <>
        <section class="doc">
          <h1>Status</h1>
          <p class="lead">{verdict(status)}</p>
        </section>
        <section>
          <h2>Price lists</h2>
          <ChartList list={shown(status)} />
          {status.charts_total > shown(status).length && (
            <p>
              The first {shown(status).length}. <a href="/api/coverage">All that are in force</a>
            </p>
          )}
        </section>
        {verificationText(status) && (
          <section>
            <h2>Verification</h2>
            <p>{verificationText(status)}</p>
          </section>
        )}
        <section>
          <h2>Logs</h2>
          {status.logs.map((log) => (
            <dl class="facts">
              <dt>Log</dt>
              <dd>
                <code>{log.origin}</code>
              </dd>
              <dt>Entries</dt>
              <dd>{grouped(String(log.size))}</dd>
              <dt>Signed</dt>
              <dd>
                <Day day={log.signed_at} />
              </dd>
              <dt>Witnesses</dt>
              <dd>{witnessText(log)}</dd>
            </dl>
          ))}
          <p>
            The newest checkpoints: <a href="/log/registry/checkpoint">registry</a>,{' '}
            <a href="/log/figures/checkpoint">figures</a>. The keys that sign them: <a href="/log/policy">log policy</a>
            .
          </p>
        </section>
      </>
    ),
  })

const statusMarkdown = (status: SiteStatus): string =>
  blocks([
    '# Status',
    status.mirror ? markdownText(status.mirror.notice) : '',
    verdict(status),
    status.charts.length > 0 ? chartTable(shown(status)) : '',
    verificationText(status) ?? '',
    '## Logs',
    bullets(
      status.logs.map(
        (log) =>
          `${markdownCode(log.origin)}: ${log.size} ${log.size === 1 ? 'entry' : 'entries'}, signed ${inWords(log.signed_at)}; ${witnessText(log)}`,
      ),
    ),
  ])

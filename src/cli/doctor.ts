import { parseArgs } from 'node:util'
import { type Examination, examine } from '../doctor/examination.ts'
import { bytesText } from '../doctor/machine.ts'
import { type Command, DONE, JSON_OPTION, REFUSED, show, table } from './command.ts'
import { fetchableOf } from './fetch-parts.ts'

const OPTIONS = { json: { type: 'boolean', default: false } } as const

/** The exit code is 1 if something fails, so that cron notices. */
const exitCode = ({ status }: Examination): number => (status === 'fail' ? REFUSED : DONE)

export const doctor: Command = {
  usage: 'doctor [--json]',
  summary: 'Names each fault of the installation and what to do about it; changes nothing',
  options: [JSON_OPTION],
  examples: [['doctor', 'exit code 1 if something fails, so that cron notices']],
  async run(args, config) {
    const { values } = parseArgs({ args, options: OPTIONS })
    const examination = await examine(config, Date.now(), fetchableOf(config))
    const { at, status, findings, updates } = examination
    show(values.json, { at, status, findings, updates }, doctorText(examination))
    return exitCode(examination)
  },
}

export const status: Command = {
  usage: 'status [--json]',
  summary: 'Shows what is in force, due, missing, staged and held, and how the installation is; changes nothing',
  options: [JSON_OPTION],
  examples: [['status --json', 'the same for a program']],
  async run(args, config) {
    const { values } = parseArgs({ args, options: OPTIONS })
    const examination = await examine(config, Date.now(), fetchableOf(config))
    show(values.json, summaryOf(examination), statusText(examination))
    return exitCode(examination)
  },
}

/** What `atr update` would do now. */
function updateText(updates: Examination['updates']): string[] {
  if (!updates) return []
  const due = updates.filter(({ is_due }) => is_due).map(({ chart }) => chart)
  return [
    due.length === 0
      ? '`atr update` would do nothing: no chart is due'
      : `\`atr update\` would look at ${due.join(', ')}`,
  ]
}

function doctorText({ status: verdict, findings, updates }: Examination): string {
  if (findings.length === 0) return ['ok: no fault was found', ...updateText(updates)].join('\n')
  const lines = findings.flatMap(({ level, code, what, remedy }) => [`${level}  ${code}: ${what}`, `      ${remedy}`])
  const count = (wanted: string, word: string): string => {
    const many = findings.filter(({ level }) => level === wanted).length
    return `${many} ${word}${many === 1 ? '' : 's'}`
  }
  return [
    ...lines,
    ...updateText(updates),
    '',
    `${verdict}: ${count('fail', 'fault')}, ${count('warn', 'warning')}`,
  ].join('\n')
}

/** The facts that an operator needs every day. The whole report is at `/api/data-integrity`. */
function summaryOf({ report, findings, ...examination }: Examination) {
  return {
    ...examination,
    findings: findings.map(({ level, code, what }) => ({ level, code, what })),
    charts:
      report?.charts.map((chart) => ({
        chart_id: chart.chart_id,
        release_id: chart.release_id,
        effective_from: chart.effective_from,
        effective_to: chart.effective_to,
        rows: chart.rows,
        status: chart.status,
        next_effective_expected: chart.next_effective_expected,
        expected_by: chart.expected_by,
      })) ?? null,
    citations: report?.summary.citations ?? null,
    proofs: report?.proofs ?? null,
    figures: report?.figures ?? null,
  }
}

function statusText(examination: Examination): string {
  const { status: verdict, findings, listener, disks, engine, report, missing, releases, witnesses } = examination
  const counts =
    findings.length === 0
      ? ''
      : `, ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}: \`atr doctor\` says what to do`
  const lines: string[] = [`${verdict}${counts}`, `store: ${engine}; service: ${LISTENERS[listener]}`]
  if (report) {
    const rows = report.charts.map((chart) => [
      chart.release_id,
      // An edition in force still answers, however late its publisher is, so it is not called expired.
      chart.status_reason === 'next_edition_long_overdue' ? 'overdue' : chart.status,
      `${chart.effective_from} to ${chart.effective_to}`,
      `${chart.rows} rows`,
      `next ${chart.next_effective_expected}, at the latest ${chart.expected_by}`,
    ])
    lines.push('', 'charts:', rows.length > 0 ? table(rows) : 'nothing was published')
    if (missing.length > 0) lines.push(`never published: ${missing.join(', ')}`)
    const cited = Object.entries(report.summary.citations).filter(([, many]) => many > 0)
    lines.push('', `citations: ${cited.map(([state, many]) => `${many} ${state}`).join(', ') || 'none'}`)
    const { last_full_verification_at: verified, log_size } = report.proofs
    lines.push(`registry log: ${log_size} entries; verified ${verified ?? 'not wholly yet'}`)
    const { released_at, next_release_at } = report.figures
    lines.push(`figures: released ${released_at ?? 'never'}, next ${next_release_at}`)
  }
  if (releases) {
    for (const { chart, from, to } of releases.gaps) lines.push(`gap: ${chart}, ${from} to ${to}`)
    for (const { release_id, held } of releases.staged)
      lines.push(`staged: ${release_id}${held.length > 0 ? `, held by ${held.join(', ')}` : ', may be published'}`)
    for (const release_id of releases.waiting) lines.push(`waiting for witnesses: ${release_id}`)
    for (const release_id of releases.loading) lines.push(`loading: ${release_id}`)
  }
  for (const { name, cosigned_at, answers } of witnesses ?? [])
    lines.push(`witness ${name}: cosigned ${cosigned_at ?? 'never'}${answers ? '' : ', does not answer'}`)
  for (const { key_id, name, expires_at } of examination.keys_expiring ?? [])
    lines.push(`agent key ${key_id} (${name}) expires ${expires_at}`)
  for (const { kind, release_id, at } of examination.citation_events ?? [])
    lines.push(`${kind.replace('_', ' ')}: ${release_id}, ${new Date(at).toISOString()}`)
  for (const { holds, free_bytes, total_bytes } of disks)
    lines.push(`disk of ${holds.join(', ')}: ${bytesText(free_bytes)} of ${bytesText(total_bytes)} left`)
  return lines.join('\n')
}

const LISTENERS = {
  nobody: 'not running on this port',
  this_service: 'running',
  another_program: 'another program has the port',
  unknown: 'something listens on the port',
} as const

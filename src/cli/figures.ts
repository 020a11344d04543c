import { parseArgs } from 'node:util'
import { auditFigures } from '../figures/audit.ts'
import { planExact } from '../figures/exact-plan.ts'
import { nextReleaseDue } from '../figures/facts.ts'
import { correctOutcomes, deleteOutcomes, importOutcomes } from '../figures/ledger/ledger.ts'
import { countOutgrown } from '../figures/ledger/retention.ts'
import { type ReleaseResult, releaseFigures } from '../figures/release.ts'
import { RULE_2 } from '../figures/rule/rule-2.ts'
import { seriesOf } from '../figures/series.ts'
import { latestRelease } from '../figures/store.ts'
import { nextWindowAt } from '../figures/window/calendar.ts'
import { systemDice } from '../figures/window/dice.ts'
import { decideWindow, openWindow, withholdsAll } from '../figures/window/plan.ts'
import { windows } from '../figures/window/store.ts'
import { whyUnreadable } from '../files/plain-file.ts'
import type { Installation } from '../installation.ts'
import { Problem } from '../problem.ts'
import {
  type Command,
  DONE,
  JSON_OPTION,
  notice,
  openStore,
  REFUSED,
  show,
  table,
  UsageFault,
  unknownAction,
} from './command.ts'
import { ifInterrupted } from './interruption.ts'

const CHANGES = { import: importOutcomes, correct: correctOutcomes, delete: deleteOutcomes }

const OUTCOMES_HELP = {
  import: {
    usage: 'outcomes import FILE [--sample] [--json]',
    summary: 'Adds the cases of a CSV file',
    options: [['--sample', 'marks the cases as invented'], JSON_OPTION],
    examples: [['outcomes import 2026-q4.csv', 'all of them or none; the same file again changes nothing']],
  },
  correct: {
    usage: 'outcomes correct FILE [--json]',
    summary: 'Replaces cases that are in the ledger',
    options: [JSON_OPTION],
    examples: [['outcomes correct corrected.csv', 'found by their column case_ref']],
  },
  delete: {
    usage: 'outcomes delete FILE [--json]',
    summary: 'Removes the cases that the file names in its column case_ref',
    options: [JSON_OPTION],
    examples: [['outcomes delete forget.csv', 'figures that were published stay']],
  },
} as const

export const outcomes: Command = {
  usage: 'outcomes ACTION',
  summary: 'Adds, replaces or removes the cases of a file in the ledger of dispute outcomes, all or none',
  actions: OUTCOMES_HELP,
  async run(args, config) {
    const options = { sample: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [action = '', path, ...more] = positionals
    if (!Object.hasOwn(CHANGES, action)) throw unknownAction('outcomes', action, CHANGES)
    if (path === undefined || more.length > 0) throw new UsageFault(`name one file: atr outcomes ${action} FILE`)
    const why = whyUnreadable(path)
    if (why) throw new Problem('outcomes_refused', why)
    const { db, pepper } = await openStore(config, { takesOlder: true })
    try {
      using stopping = ifInterrupted(
        'the file was taken whole or not at all. Run the same command again: it says so if it was taken',
      )
      const change = CHANGES[action as keyof typeof CHANGES]
      const data_class = values.sample ? 'sample' : 'published'
      const result = await change(db, Bun.file(path).stream(), { now: Date.now, data_class, pepper })
      stopping.done()
      show(
        values.json,
        result,
        result.already_imported
          ? 'this file was imported before: nothing was changed'
          : `${result.cases} cases, batch ${result.batch_id}`,
      )
      return DONE
    } finally {
      await db.close()
    }
  },
}

const FIGURES_HELP = {
  release: {
    usage: 'figures release [--dry-run] [--new-series] [--exact --accept-risk] [--json]',
    summary: 'Closes a window and publishes figures with noise; once in a quarter, or a month from 1,000 cases on',
    options: [
      ['--dry-run', 'says what would be published and what is held until when, and changes nothing'],
      ['--new-series', 'begins a series under the other rule, which the log then says'],
      ['--exact', 'publishes without noise (rule 1), and says what that reveals'],
      ['--accept-risk', 'needed with --exact'],
      JSON_OPTION,
    ],
    examples: [
      ['figures release --dry-run', 'says what would be published, and draws no noise'],
      ['figures release', 'closes the window for good'],
    ],
  },
  audit: {
    usage: 'figures audit [--json]',
    summary: 'Checks all exact figures published so far; exit code 1 if a hidden count can be worked out',
    options: [JSON_OPTION],
    examples: [['figures audit', 'after figures were published with --exact']],
  },
} as const

export const figures: Command = {
  usage: 'figures ACTION',
  summary: 'Publishes figures under the disclosure rule, or audits whether published figures reveal individual cases',
  actions: FIGURES_HELP,
  async run(args, config) {
    const flag = { type: 'boolean', default: false } as const
    const options = { json: flag, 'dry-run': flag, 'new-series': flag, exact: flag, 'accept-risk': flag }
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const { json, exact, 'dry-run': isDry, 'new-series': newSeries, 'accept-risk': isAccepted } = values
    const [action = '', ...more] = positionals
    if (!Object.hasOwn(FIGURES_HELP, action)) throw unknownAction('figures', action, FIGURES_HELP)
    if (more.length > 0) throw new UsageFault(`atr figures ${action} takes options only`)
    if (action === 'audit' && (isDry || newSeries || exact || isAccepted))
      throw new UsageFault('atr figures audit has no option but --json')
    if (isAccepted && !exact) throw new UsageFault('--accept-risk goes with --exact')
    if (exact) notice(INSIDER)
    if (exact && !isAccepted && !isDry)
      throw new Problem('figures_held', 'exact figures are not published without --accept-risk: nothing was changed')
    const installation = await openStore(config, { takesOlder: true })
    try {
      if (action === 'audit') return await auditAll(installation, json)
      const retention = config.OUTCOMES_RETENTION === 'on'
      const dryRun = exact ? dryRunExact : dryRunNoised
      if (isDry) return await installation.db.snapshot((db) => dryRun({ db }, retention, json), { isLong: true })
      const { db, figuresLog: log, cosign } = installation
      using stopping = ifInterrupted(
        'the figures were released whole or not at all. Run the same command again: it says which',
      )
      const parts = { db, log, now: Date.now, cosign, dice: systemDice(), retention }
      const result = await releaseFigures({ ...parts, exact, newSeries })
      stopping.done()
      const next_release_at = new Date(await nextReleaseDue(db, Date.now())).toISOString()
      show(json, { ...result, next_release_at }, releaseText(result, { retention, next_release_at }))
      return DONE
    } finally {
      await installation.db.close()
    }
  },
}

/** These numbers were measured with the attack simulator (docs/decisions/0031-noise-is-drawn-once.md). */
const INSIDER = `without noise, figures reveal cases. Measured on invented ledgers:
${table([
  ['who', 'learns', 'in'],
  ['knows every case but one', 'won or lost, for certain', '83-100 % of ledgers after 3 releases, 100 % after 12'],
  ['the same, and files disputes', 'won or lost, for certain', 'practically always'],
  ['knows every case but one', 'the amount', '1-4 of 70 possible amounts are left after 24 releases'],
  ['files 11-20 disputes a month', "another's answer", '98, 70, 30 % of ledgers of 200, 600, 1,500 cases'],
])}`

function releaseText(
  { release_id, changes, removed, already_released, figures }: ReleaseResult,
  { retention, next_release_at }: { retention: boolean; next_release_at: string },
): string {
  const { sdc_rule_version, unit, median_band, metrics } = figures
  const title = already_released
    ? `nothing new: the window of ${release_id} is the last one that is closed`
    : `released ${release_id} under rule ${sdc_rule_version}: ${changes} changes`
  if (unit === undefined) return `${title}${retention ? `, ${removed} cases removed for their age` : ''}`
  const rows = Object.entries(metrics).map(([metric, { value, standard_error, reason }]) => [
    metric,
    String(value ?? '-'),
    standard_error === null ? (reason ?? '') : String(standard_error),
  ])
  const band = median_band ? `${median_band.low} to below ${median_band.high ?? 'no limit'}` : '-'
  return [
    `${title}${retention ? `, ${removed} cases removed for their age` : ''}`,
    table([['figure', 'value', 'standard error'], ...rows, ['median band', band, '']]),
    `the noise protects one ${unit}; cases that come from now on are held until the release of ${next_release_at.slice(0, 10)}`,
  ].join('\n')
}

async function auditAll({ db }: Installation, json: boolean): Promise<number> {
  const { ok, cells, pinned } = await auditFigures({ db, now: Date.now })
  const lines = pinned.map(({ kind, metric, as_of, values }) => `${kind} ${metric} ${as_of}: ${values} possible values`)
  show(
    json,
    { ok, cells, pinned },
    [`${cells} hidden counts and changes, ${pinned.length} of them can be worked out`, ...lines].join('\n'),
  )
  return ok ? DONE : REFUSED
}

/** Shows which figures a release would publish, with which error, and until when cases are held. No noise is drawn. */
async function dryRunNoised({ db }: Pick<Installation, 'db'>, retention: boolean, json: boolean): Promise<number> {
  const now = Date.now()
  const latest = await latestRelease(db)
  const open = await openWindow(db, await windows(db))
  const removed = retention ? await countOutgrown(db, latest) : 0
  const { figures } = decideWindow(open, open.exact, now, latest)
  const metrics = Object.entries(figures.of).map(([metric, { value, standard_error, reason }]) => ({
    metric,
    decision: value === null ? 'withheld' : 'published',
    standard_error,
    reason,
  }))
  const isFirst = !latest && withholdsAll(open, now)
  const isOpen = isFirst || (seriesOf(latest) === 'noised' && nextWindowAt(open.windows, RULE_2) > now)
  const next_release_at = new Date(await nextReleaseDue(db, now)).toISOString()
  const cases = open.exact.r_yes + open.exact.r_no
  const rows = metrics.map((each) => [each.metric, each.decision, String(each.standard_error ?? each.reason)])
  const verdict = isFirst
    ? `a first release would say nothing, and is refused: ${cases} of ${RULE_2.min_cases} cases are here`
    : isOpen
      ? `nothing is released now: ${cases} cases are held until the release of ${next_release_at.slice(0, 10)}`
      : `a release now would close a window of ${cases} cases`
  show(
    json,
    { dry_run: true, would_release: !isOpen, cases, unit: open.unit, metrics, removed, next_release_at },
    `${verdict}\n${table([['figure', 'if closed now', 'standard error'], ...rows])}\n${removed} cases would be removed for their age\nnothing was changed, and no noise was drawn`,
  )
  return isFirst ? REFUSED : DONE
}

/** Shows which exact figures a release would publish. */
async function dryRunExact({ db }: Pick<Installation, 'db'>, retention: boolean, json: boolean): Promise<number> {
  const latest = await latestRelease(db)
  const { moves, decisions, audit } = await planExact(db, latest, Date.now())
  const removed = retention ? await countOutgrown(db, latest) : 0
  const figures = Object.entries(decisions).map(([metric, decision]) => {
    const move = moves.find((each) => each.metric === metric)
    return {
      metric,
      decision,
      old: move?.old?.value ?? null,
      new: move?.new.value ?? null,
      reason: move?.reason ?? null,
    }
  })
  const cells = figures.map((each) => [each.metric, each.decision, String(each.new ?? '-'), each.reason ?? ''])
  show(
    json,
    { dry_run: true, metrics: figures, removed, disclosure_audit: audit.ok ? 'pass' : 'fail' },
    `a release now would be:\n${table(cells)}\n${removed} cases would be removed for their age\ndisclosure audit: ${audit.ok ? 'pass' : 'fail'}; nothing was changed`,
  )
  return audit.ok ? DONE : REFUSED
}

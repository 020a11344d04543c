import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { correctOutcomes, deleteOutcomes, importOutcomes } from '../figures/ledger/ledger.ts'
import { countOutgrown } from '../figures/ledger/retention.ts'
import { auditFigures, type NoiseDraw, planRelease, releaseFigures } from '../figures/release.ts'
import { parseEpsilon } from '../figures/rule/noise.ts'
import { latestRelease } from '../figures/store.ts'
import { whyUnreadable } from '../files/plain-file.ts'
import type { Installation } from '../installation.ts'
import { Problem } from '../problem.ts'
import { type Command, DONE, openStore, REFUSED, show, table, UsageFault } from './command.ts'

const ACTIONS = { import: importOutcomes, correct: correctOutcomes, delete: deleteOutcomes }

export const outcomes: Command = {
  usage: 'outcomes import|correct|delete <csv> [--sample] [--json]',
  summary: 'Adds, replaces or removes the cases of a file in the ledger of dispute outcomes, all or none',
  options: [
    ['import CSV', 'adds the cases of the file'],
    ['correct CSV', 'replaces cases that are in the ledger'],
    ['delete CSV', 'removes the cases that the file names in its column case_ref'],
    ['--sample', 'marks the cases as invented'],
    ['--json', 'prints JSON'],
  ],
  async run(args, config) {
    const options = { sample: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [action = '', path, ...more] = positionals
    if (!Object.hasOwn(ACTIONS, action) || path === undefined || more.length > 0)
      throw new UsageFault('say what to do with which file: atr outcomes import, correct or delete FILE')
    const why = whyUnreadable(path)
    if (why) throw new Problem('outcomes_refused', why)
    const { db } = await openStore(config)
    try {
      const change = ACTIONS[action as keyof typeof ACTIONS]
      const data_class = values.sample ? 'sample' : 'published'
      const done = await change(db, Bun.file(path).stream(), { now: Date.now, data_class })
      show(
        values.json,
        done,
        done.already_imported
          ? 'this file was imported before: nothing was changed'
          : `${done.cases} cases, batch ${done.batch_id}`,
      )
      return DONE
    } finally {
      await db.close()
    }
  },
}

export const figures: Command = {
  usage: 'figures release|audit [--dry-run] [--dp epsilon=N] [--json]',
  summary: 'Publishes figures under the disclosure rule, or audits whether published figures reveal individual cases',
  options: [
    ['release', 'makes a release of the figures from the whole ledger'],
    ['audit', 'checks everything published so far; exit code 1 if a hidden count can be worked out'],
    ['--dry-run', 'release: shows what would be published, and changes nothing'],
    ['--dp epsilon=N', 'release: adds noise (differential privacy); from the first release on, or never'],
    ['--json', 'prints JSON'],
  ],
  async run(args, config) {
    const options = {
      json: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      dp: { type: 'string' },
    } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [action, ...more] = positionals
    const draw = drawn(values.dp)
    if (!['release', 'audit'].includes(action ?? '') || more.length > 0)
      throw new UsageFault('say what to do: atr figures release or atr figures audit')
    if (action === 'audit' && (draw || values['dry-run']))
      throw new UsageFault('atr figures audit has no option but --json')
    if (draw && values['dry-run'])
      throw new UsageFault('--dp and --dry-run cannot be used together: looking at a draw spends its privacy budget')
    const installation = await openStore(config)
    try {
      if (action === 'audit') return await auditAll(installation, values.json)
      const retention = config.OUTCOMES_RETENTION === 'on'
      if (values['dry-run']) return await rehearse(installation, retention, values.json)
      const { db, figuresLog: log, cosign } = installation
      const { release_id, changes, removed } = await releaseFigures({ db, log, now: Date.now, cosign, draw, retention })
      const text = `released ${release_id}: ${changes} changes${retention ? `, ${removed} cases removed for their age` : ''}`
      show(values.json, { release_id, changes, removed }, text)
      return DONE
    } finally {
      await installation.db.close()
    }
  },
}

function drawn(dp: string | undefined): NoiseDraw | undefined {
  if (dp === undefined) return undefined
  const epsilon = /^epsilon=(.*)$/.exec(dp)?.[1]
  if (epsilon === undefined || !parseEpsilon(epsilon))
    throw new UsageFault('--dp needs epsilon=N, where N is a decimal such as 0.5')
  return { epsilon, random: (bytes) => new Uint8Array(randomBytes(bytes)) }
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

/** Shows what a release would publish and hold back. Nothing is changed. */
async function rehearse({ db, figuresLog }: Installation, retention: boolean, json: boolean): Promise<number> {
  const { size } = await figuresLog.signed(db)
  const latest = await latestRelease(db)
  const { release, moves, decisions, audit } = await planRelease(db, latest, { size, now: Date.now() })
  const removed = retention ? await countOutgrown(db, latest) : 0
  const found = Object.entries(decisions ?? {}).map(([metric, decision]) => {
    const move = moves.find((each) => each.metric === metric)
    return {
      metric,
      decision,
      old: move?.old?.value ?? null,
      new: move?.new.value ?? null,
      reason: move?.reason ?? null,
    }
  })
  const cells = found.map((each) => [each.metric, each.decision, String(each.new ?? '-'), each.reason ?? ''])
  const { release_id } = release
  show(
    json,
    { release_id, dry_run: true, metrics: found, removed, disclosure_audit: audit.ok ? 'pass' : 'fail' },
    `a release now would be ${release_id}:\n${table(cells)}\n${removed} cases would be removed for their age\ndisclosure audit: ${audit.ok ? 'pass' : 'fail'}; nothing was changed`,
  )
  return audit.ok ? DONE : REFUSED
}

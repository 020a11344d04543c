import { parseArgs } from 'node:util'
import { dayOf } from '../calendar.ts'
import { findOrigin } from '../fetch/store.ts'
import type { Installation } from '../installation.ts'
import { Problem } from '../problem.ts'
import type { Provider } from '../proof/price/release.ts'
import { checkRelease, getRelease } from '../registry/release/check.ts'
import { checksOf, findDelta } from '../registry/release/check-store.ts'
import { diffReleases } from '../registry/release/diff.ts'
import { publish } from '../registry/release/publish.ts'
import { discard } from '../registry/release/staging.ts'
import { findPredecessor, listReleases } from '../registry/release/store.ts'
import { withdraw } from '../registry/release/withdrawal.ts'
import { standingNow } from '../registry/state/state.ts'
import { releasesInForce } from '../registry/store.ts'
import { OVERRIDE_REASONS } from '../tables/service-reasons.ts'
import { WITHDRAWAL_REASONS } from '../tables/withdrawals.ts'
import {
  type Command,
  DONE,
  type Help,
  JSON_OPTION,
  openStore,
  REFUSED,
  show,
  table,
  UsageFault,
  unknownAction,
} from './command.ts'
import { ifInterrupted } from './interruption.ts'
import { OVERRIDE_OPTIONS, overridesFrom } from './overrides.ts'
import { progressLine } from './progress.ts'
import { sampleRows, sampleText } from './release-sample.ts'
import { checkText, diffText } from './release-text.ts'

const RELEASE = 'cms-pfs:RVU26D:1'

const RELEASE_HELP = {
  list: {
    usage: 'release list [--json]',
    summary: 'Lists every release, its state, and whether it is in force today',
    options: [JSON_OPTION],
    examples: [['release list', 'shows the ids that the other actions take']],
  },
  show: {
    usage: 'release show ID [--json]',
    summary: 'Shows where a release is from and what is in it',
    options: [JSON_OPTION],
    examples: [[`release show ${RELEASE}`, 'its files, its rows, what the rules found in it']],
  },
  check: {
    usage: 'release check ID [--json]',
    summary: 'Shows broken rules, changes, and whether the breaker allows it; exit code 1 if it does not',
    options: [JSON_OPTION],
    examples: [[`release check ${RELEASE}`, 'before it is published']],
  },
  sample: {
    usage: 'release sample ID [--rows N] [--cpt CODE] [--json]',
    summary: 'Shows rows chosen at random, each with the file and line it is from; the release may be staged',
    options: [
      ['--rows N', 'how many rows, 20 by default, at most 1000'],
      ['--cpt CODE', 'looks up the rows of this code in place of random ones'],
      JSON_OPTION,
    ],
    examples: [
      [`release sample ${RELEASE} --rows 5`, 'five rows to compare with the file'],
      [`release sample ${RELEASE} --cpt 99213`, 'every row of a code'],
    ],
  },
  diff: {
    usage: 'release diff ID [ID] [--json]',
    summary: 'Compares a release with the previous edition, or with the second one that you name',
    options: [JSON_OPTION],
    examples: [[`release diff ${RELEASE}`, 'what is new, gone and changed']],
  },
  publish: {
    usage: 'release publish ID [--override LIMIT --reason CODE]... [--json]',
    summary: 'Puts a staged release into the log and in force; this cannot be undone',
    options: [
      ['--override LIMIT', 'publishes although this limit of the breaker is exceeded; may be repeated'],
      ['--reason CODE', `why, with --override: ${OVERRIDE_REASONS.join(', ')}`],
      JSON_OPTION,
    ],
    examples: [
      [`release publish ${RELEASE}`, 'publishes it if the breaker allows that'],
      [
        `release publish ${RELEASE} --override prices_moved --reason annual_update`,
        'publishes it although many prices changed, and says so in its manifest',
      ],
    ],
  },
  withdraw: {
    usage: 'release withdraw ID --reason CODE [--json]',
    summary: 'Ends a published release: the one before it is in force again; both stay in the log',
    options: [['--reason CODE', `why: ${WITHDRAWAL_REASONS.join(', ')}`], JSON_OPTION],
    examples: [[`release withdraw ${RELEASE} --reason wrong_source`, 'when the wrong file was loaded']],
  },
  discard: {
    usage: 'release discard ID [--json]',
    summary: 'Removes a release that was never published',
    options: [JSON_OPTION],
    examples: [[`release discard ${RELEASE}`, 'gives the room on the disk back']],
  },
} as const satisfies Record<string, Help>

interface ReleaseArguments extends Pick<Installation, 'db' | 'registryLog' | 'cosign'> {
  ids: readonly string[]
  json: boolean
  override?: string[] | undefined
  reason?: string[] | undefined
  rows?: string | undefined
  cpt?: string | undefined
}

interface Action {
  ids: readonly [least: number, most: number]
  run(args: ReleaseArguments): Promise<number>
  /** The message for Ctrl-C: what is left. */
  left?: string
  /** Works while release files are away. */
  withoutFiles?: true
}

/** The work is one commit. If it is signed but not public, the next command publishes it. */
const WHOLE_OR_NOT =
  'it was done whole or not at all: `atr release list` says which. If it was signed already, that command also makes it public'
const HALF_REMOVED = 'the release is there as it was, or half removed: the next command removes the rest'

const ACTIONS: Readonly<Record<keyof typeof RELEASE_HELP, Action>> = {
  list: { ids: [0, 0], run: list },
  show: { ids: [1, 1], run: showOne },
  check: { ids: [1, 1], run: check },
  sample: { ids: [1, 1], run: sample },
  diff: { ids: [1, 2], run: diff },
  publish: { ids: [1, 1], run: publishOne, left: WHOLE_OR_NOT },
  withdraw: { ids: [1, 1], run: withdrawOne, left: WHOLE_OR_NOT, withoutFiles: true },
  discard: { ids: [1, 1], run: discardOne, left: HALF_REMOVED },
}

export const release: Command = {
  usage: 'release ACTION',
  summary: 'Lists, shows, checks, samples, compares, publishes, withdraws and discards releases',
  actions: RELEASE_HELP,
  async run(args, config) {
    const options = {
      json: { type: 'boolean', default: false },
      rows: { type: 'string' },
      cpt: { type: 'string' },
      ...OVERRIDE_OPTIONS,
    } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [name = '', ...ids] = positionals
    if (!Object.hasOwn(ACTIONS, name)) throw unknownAction('release', name, ACTIONS)
    const action = ACTIONS[name as keyof typeof ACTIONS]
    const [least, most] = action.ids
    if (ids.length < least || ids.length > most)
      throw new UsageFault('name the release by its id: see `atr release list`')
    if (name !== 'sample' && (values.rows !== undefined || values.cpt !== undefined))
      throw new UsageFault('--rows and --cpt are options of atr release sample')
    using _ = action.left === undefined ? undefined : ifInterrupted(action.left)
    const { db, registryLog, cosign } = await openStore(config, {
      takesOlder: true,
      withoutFiles: action.withoutFiles ?? false,
    })
    try {
      return await action.run({ db, registryLog, cosign, ids, ...values })
    } finally {
      await db.close()
    }
  },
}

async function list({ db, registryLog, json }: ReleaseArguments): Promise<number> {
  const { size } = await registryLog.head(db)
  const inForce = new Set((await releasesInForce(db, dayOf(Date.now()))).map(({ release_no }) => release_no))
  const releases = (await listReleases(db)).map(
    ({
      release_no,
      release_id,
      state,
      log_index,
      effective_from,
      effective_to,
      row_count,
      rejected_count,
      data_class,
    }) => ({
      release_id,
      // The release is in the log, but not public, because the witnesses have not cosigned it yet.
      state: state === 'published' && (log_index ?? 0) >= size ? ('waiting' as const) : state,
      in_force: inForce.has(release_no),
      effective_from,
      effective_to,
      row_count,
      rejected_count,
      data_class,
    }),
  )
  const rows = releases.map(({ in_force, ...entry }) => {
    const [release_id, state, ...rest] = Object.values(entry).map(String) as [string, string, ...string[]]
    return [release_id, state, in_force ? 'today' : '', ...rest]
  })
  const titles = ['release', 'state', 'in force', 'from', 'to', 'rows', 'rejected', 'data class']
  show(json, releases, table([titles, ...rows]))
  return DONE
}

async function showOne({ db, ids: [id = ''], json }: ReleaseArguments): Promise<number> {
  const found = await getRelease(db, id)
  const shown = {
    ...found,
    citations: JSON.parse(found.citations) as unknown,
    providers: found.providers === null ? null : (JSON.parse(found.providers) as unknown),
    withdrawal: found.withdrawal === null ? null : (JSON.parse(found.withdrawal) as unknown),
    checks: await checksOf(db, found.release_no),
    delta: (await findDelta(db, found.release_no)) ?? null,
    // The way from the publisher's page to its files, where `atr fetch` went it.
    origin: (await findOrigin(db, id)) ?? null,
  }
  show(json, shown, JSON.stringify(shown, null, 2))
  return DONE
}

/** Checks a release. The exit code is a refusal if the breaker would hold it, so that a script can stop there. */
async function check({ db, ids: [id = ''], json }: ReleaseArguments): Promise<number> {
  const result = await checkRelease(db, await getRelease(db, id))
  show(json, result, checkText(result))
  return result.held.length === 0 ? DONE : REFUSED
}

async function sample({ db, ids: [id = ''], json, rows, cpt }: ReleaseArguments): Promise<number> {
  if (rows !== undefined && !/^[1-9][0-9]{0,3}$/.test(rows))
    throw new UsageFault('--rows must be a number from 1 to 1000')
  const release = await getRelease(db, id)
  const code = cpt?.trim().toUpperCase()
  const sampled = sampleRows(db, release, { rows: rows === undefined ? undefined : Number(rows), cpt: code })
  if (sampled.length === 0) throw new Problem('release_conflict', 'the release has no row under this code')
  show(json, { release_id: release.release_id, state: release.state, rows: sampled }, sampleText(release, sampled))
  return DONE
}

async function diff({ db, ids: [id = '', other], json }: ReleaseArguments): Promise<number> {
  const to = await getRelease(db, id)
  const from = other === undefined ? await findPredecessor(db, to) : await getRelease(db, other)
  if (!from) throw new Problem('release_conflict', 'there is no edition before this one to compare it with')
  const unread = [from, to].find(({ state }) => state === 'loading')
  if (unread)
    throw new Problem('release_conflict', 'one of the two releases is still being loaded, or its load was interrupted')
  const found = await diffReleases(db, from, to)
  const result = { from: from.release_id, to: to.release_id, ...found }
  show(json, result, `${from.release_id} -> ${to.release_id}\n${diffText(found)}`)
  return DONE
}

async function publishOne({
  db,
  registryLog,
  cosign,
  ids: [id = ''],
  json,
  ...options
}: ReleaseArguments): Promise<number> {
  const line = progressLine(json)
  const published = await publish({ db, log: registryLog, cosign }, id, Date.now, overridesFrom(options), (progress) =>
    line.update(progress),
  ).finally(() => line.clear())
  const { release_id, log_index } = published
  show(json, { release_id, log_index }, `published ${release_id} as entry ${log_index} of the registry log`)
  return DONE
}

async function withdrawOne({
  db,
  registryLog,
  cosign,
  ids: [id = ''],
  json,
  override,
  reason,
}: ReleaseArguments): Promise<number> {
  const why = WITHDRAWAL_REASONS.find((each) => each === reason?.[0])
  if (!why || reason?.length !== 1 || override)
    throw new UsageFault(`say why with --reason: ${WITHDRAWAL_REASONS.join(', ')}`)
  const providersBefore = (await standingNow(db)).providers
  const withdrawn = await withdraw({ db, log: registryLog, cosign }, id, why, Date.now())
  const passed = await passedProviders(db, providersBefore)
  const { release_id, withdrawn_index } = withdrawn
  const found = await findPredecessor(db, withdrawn)
  // An edition that ended before is not in force again.
  const before = found && found.effective_to >= withdrawn.effective_from ? found.release_id : null
  const next =
    before === null ? 'no edition of its chart is in force on its first day' : `${before} is in force in its place`
  const notes = passed.map(({ npi, from, chart }) =>
    chart === null
      ? `NOTE: no file speaks for NPI ${npi} now`
      : `NOTE: ${chart} speaks for NPI ${npi} now, in place of ${from}, because its file names the NPI too`,
  )
  show(
    json,
    { release_id, withdrawn_index, in_its_place: before, providers_passed: passed },
    [`withdrew ${release_id} as entry ${withdrawn_index} of the registry log: ${next}`, ...notes].join('\n'),
  )
  return DONE
}

/** The NPIs that have another chart, or no chart, since a withdrawal. */
async function passedProviders(db: Installation['db'], before: readonly Provider[]) {
  const charts = new Map((await standingNow(db)).providers.map(({ npi, chart }) => [npi, chart]))
  return before.flatMap(({ npi, chart: from }) => {
    const chart = charts.get(npi) ?? null
    return chart === from ? [] : [{ npi, from, chart }]
  })
}

/** Removes a staged release, or the remains of a killed load. */
async function discardOne({ db, ids: [id = ''], json }: ReleaseArguments): Promise<number> {
  const release = await getRelease(db, id)
  const line = progressLine(json)
  line.say(`removing ${release.row_count.toLocaleString('en-US')} rows`)
  await discard(db, release).finally(() => line.clear())
  show(json, { release_id: release.release_id, discarded: true }, `discarded ${release.release_id}`)
  return DONE
}

import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Problem } from '../problem.ts'
import { upgradePlan } from '../upgrade/plan.ts'
import { findSources } from '../upgrade/sources.ts'
import { isFound, type MissingSource, missingSources, type UpgradedRelease, upgrade } from '../upgrade/upgrade.ts'
import { archiveOf } from './citations.ts'
import { type Command, DONE, JSON_OPTION, openStore, REFUSED, show } from './command.ts'
import { ifInterrupted } from './interruption.ts'

export const upgradeCommand: Command = {
  usage: 'upgrade [--sources FOLDER]... [--dry-run] [--partial] [--json]',
  summary: 'Brings a store of an older form up to date: loads the files again that its releases cite',
  options: [
    [
      '--sources FOLDER',
      'where the files are, also inside .zip and .gz files; may be repeated. ARCHIVE is searched in any case',
    ],
    ['--dry-run', 'says what would be made anew and which files are missing; changes nothing'],
    ['--partial', 'goes on without the missing files: their releases are no longer served'],
    JSON_OPTION,
  ],
  examples: [
    ['upgrade --sources ~/price-lists --dry-run', 'says which files are missing'],
    ['upgrade --sources ~/price-lists', 'makes every release anew, or changes nothing if a file is missing'],
  ],
  async run(args, config) {
    const { values } = parseArgs({
      args,
      options: {
        sources: { type: 'string', multiple: true, default: [] },
        'dry-run': { type: 'boolean', default: false },
        partial: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    })
    if (values.sources.some((place) => !existsSync(place)))
      throw new Problem('invalid_parameter', '--sources must name a folder or a file that is there')
    const { db, registryLog, cosign } = await openStore(config, { takesOlder: true })
    const lock = await db.takeLock('upgrade')
    try {
      if (!lock) throw new Problem('release_conflict', 'another process is upgrading this store')
      const plan = await upgradePlan(db)
      const report: Report = { older: plan.releases.length, upgraded: [], refused: [], missing: [] }
      if (!plan.isDue && plan.releases.length === 0) {
        show(values.json, report, 'nothing to do: no release of this store has an older form')
        return DONE
      }
      const archive = archiveOf(config)
      const wanted = plan.releases.flatMap(({ release }) => release.citations)
      const found = await findSources(wanted, archive, values.sources)
      const missing = missingSources(plan, found)
      if (values['dry-run'] || (missing.length > 0 && !values.partial)) {
        const ready = plan.releases.filter((due) => isFound(due, found)).map(({ release }) => release.release_id)
        const result = { ...report, missing, ready, dry_run: values['dry-run'] }
        show(values.json, result, [...ready.map(readyText), ...missing.map(missingText), UNCHANGED].join('\n'))
        return missing.length > 0 ? REFUSED : DONE
      }
      using stopping = ifInterrupted('run the same command again: it goes on with the releases that are left')
      const budget = { rows: config.LOAD_ROWS, keys: config.LOAD_KEYS, scratch_bytes: config.LOAD_SCRATCH_BYTES }
      const parts = { publisher: { db, log: registryLog, cosign }, archive, budget }
      const results = await upgrade(parts, plan, found, (result) => {
        if (!values.json) console.log(resultText(result))
      })
      stopping.done()
      const done = reportOf(report, results, missing)
      show(values.json, done, [...missing.map(missingText), summaryText(done)].join('\n'))
      return done.refused.length > 0 ? REFUSED : DONE
    } finally {
      await lock?.release()
      await db.close()
    }
  },
}

/** The output of `--json`. */
interface Report {
  /** How many releases of the older form had no successor before. */
  older: number
  upgraded: { older: string; release_id: string }[]
  refused: { older: string; code: string; message: string }[]
  missing: MissingSource[]
}

function reportOf(report: Report, results: readonly UpgradedRelease[], missing: MissingSource[]): Report {
  const upgraded = results.flatMap((result) => ('release_id' in result ? [result] : []))
  const refused = results.flatMap((result) =>
    'refused' in result ? [{ older: result.older, code: result.refused.code, message: result.refused.detail }] : [],
  )
  return { ...report, upgraded, refused, missing }
}

const UNCHANGED = 'nothing was changed'

const readyText = (release_id: string): string => `found    ${release_id}`

const missingText = ({ release_id, file, sha256, url }: MissingSource): string =>
  `missing  ${release_id}: ${file}, SHA-256 ${sha256}, from ${url === '' ? 'no known address' : url}`

const resultText = (result: UpgradedRelease): string =>
  'refused' in result
    ? `refused  ${result.older}: ${result.refused.detail}`
    : `made     ${result.release_id} in place of ${result.older}`

function summaryText({ upgraded, refused, missing }: Report): string {
  const made = `${upgraded.length} releases were made anew`
  if (refused.length > 0)
    return `${made}, ${refused.length} were refused: look at each with \`atr release check\`, publish it with --override, then run \`atr upgrade\` again`
  const left = new Set(missing.map(({ release_id }) => release_id)).size
  return left > 0 ? `${made}; ${left} are not served any more, until their files are found` : made
}

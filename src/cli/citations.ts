import { parseArgs } from 'node:util'
import { dayOf } from '../calendar.ts'
import { SourceArchive } from '../citations/archive.ts'
import { type Checked, checkCitations, hasAddress } from '../citations/check.ts'
import { isFailing } from '../citations/judgement.ts'
import type { Config } from '../config.ts'
import { citedBytes, citedSources } from '../registry/catalogue/citations.ts'
import { type Command, DONE, openStore, REFUSED, show, table, UsageFault } from './command.ts'

export const archiveOf = ({ ARCHIVE }: Config): SourceArchive | undefined =>
  ARCHIVE === undefined ? undefined : new SourceArchive(ARCHIVE)

export const citations: Command = {
  usage: 'citations check [--all] [--loopback] [--json]',
  summary: 'Looks whether the cited sources are still where they were, and still the same',
  options: [
    ['--all', 'looks at every source, due or not'],
    ['--loopback', 'also at addresses of this machine, which are refused otherwise'],
    ['--json', 'prints JSON'],
  ],
  async run(args, config) {
    const options = {
      all: { type: 'boolean', default: false },
      loopback: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (positionals.length !== 1 || positionals[0] !== 'check')
      throw new UsageFault('say what to do: atr citations check')
    const { db } = await openStore(config)
    try {
      const cited = await citedSources(db, dayOf(Date.now()))
      const parts = {
        db,
        now: Date.now,
        cited: async () => cited,
        isSuccessor: await citedBytes(db),
        archive: archiveOf(config),
        outgoing: { loopback: values.loopback },
      }
      const checked = await checkCitations(parts, values.all, () => {})
      show(values.json, { checked: checked.map(shown), cited: cited.length }, textOf(checked, cited))
      return checked.some(({ state }) => isFailing(state)) ? REFUSED : DONE
    } finally {
      await db.close()
    }
  },
}

const shown = ({ source, state, check }: Checked) => ({
  chart: source.chart,
  release_id: source.release_id,
  file: source.file,
  url: source.url,
  state,
  http_status: check.http_status,
  next_check_at: new Date(check.next_check_at).toISOString(),
})

function textOf(checked: readonly Checked[], cited: readonly { url: string }[]): string {
  const without = cited.filter((source) => !hasAddress(source)).length
  const none = without > 0 ? [`${without} sources have no address on the web to look at`] : []
  const rows = checked.map(({ source, state, check }) => [
    state,
    source.release_id,
    source.file,
    check.http_status === null ? '' : `HTTP ${check.http_status}`,
    `again ${dayOf(check.next_check_at)}`,
  ])
  return [...(rows.length > 0 ? [table(rows)] : ['nothing is due: --all looks at every source']), ...none].join('\n')
}

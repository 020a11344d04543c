import { readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Acceptance } from '../fetch/agreement.ts'
import { type ChartReport, fetchable, runFetch, runFolder } from '../fetch/run.ts'
import { PUBLISHERS } from '../tables/publishers.ts'
import { type Command, DONE, JSON_OPTION, nearest, openStore, show, UsageFault } from './command.ts'
import { fetchParts } from './fetch-parts.ts'
import { exitCodeOf, reportLines } from './fetch-text.ts'
import { ifInterrupted } from './interruption.ts'

const INTERRUPTED = 'what was staged stays: see `atr release list`. The next run goes on'

export const fetchCommand: Command = {
  usage: 'fetch CHART|NPI|all [--check | --from FOLDER] [--accept-license GATE --by NAME] [--json]',
  summary: 'Finds the newest editions on the publishers\u2019 pages, downloads and stages them; publishes nothing',
  options: [
    ['CHART|NPI|all', 'a chart, a hospital of hospitals.csv by its NPI, or all of them'],
    ['--check', 'reads the pages and says what would be taken; downloads no file'],
    [
      '--from FOLDER',
      'takes the files from a folder in place of the pages, in any order: charts and editions are known by their headings',
    ],
    [
      '--accept-license GATE',
      `accepts the agreement that a publisher asks for: ${Object.keys(PUBLISHERS.gates).join(', ')}. Read it first`,
    ],
    ['--by NAME', 'with --accept-license: the person who has read the agreement and accepts it'],
    [
      '--agreement-text FILE',
      'with --accept-license: the text that you read, where its page cannot be read by a program',
    ],
    JSON_OPTION,
  ],
  examples: [
    ['fetch all --check', 'what there is'],
    ['fetch cms-pfs', 'the physician schedule'],
    ['fetch all --from ./downloads', 'what you have downloaded yourself'],
    ['fetch all --accept-license ama --by "Ada Lovelace"', 'everything, with the agreement of the AMA accepted'],
  ],
  async run(args, config) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        check: { type: 'boolean', default: false },
        from: { type: 'string' },
        'accept-license': { type: 'string' },
        by: { type: 'string' },
        'agreement-text': { type: 'string' },
        json: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
    const [name, ...more] = positionals
    if (name === undefined || more.length > 0) throw new UsageFault('name one chart, one NPI, or all: atr fetch CHART')
    const acceptance = acceptanceFrom(values)
    using _ = ifInterrupted(INTERRUPTED)
    const installation = await openStore(config)
    try {
      using parts = fetchParts(config, installation, acceptance)
      const tell = (report: ChartReport): void => {
        if (!values.json) console.log(reportLines(report).join('\n'))
      }
      if (values.from !== undefined) {
        const kinds = chartsNamed(name, Object.keys(parts.publishers.charts))
        const { reports, unknown } = await runFolder(parts, { folder: folderAt(values.from), charts: kinds }, tell)
        show(values.json, { charts: reports, unknown }, `${unknown} files are none that are known`)
        return exitCodeOf(reports)
      }
      const charts = chartsNamed(name, fetchable(parts))
      const reports = await runFetch(parts, { charts, isCheck: values.check }, tell)
      if (values.json) console.log(JSON.stringify({ charts: reports }))
      return values.check ? DONE : exitCodeOf(reports)
    } finally {
      await installation.db.close()
    }
  },
}

function folderAt(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageFault('--from needs a folder that is there')
  return path
}

const NAME = /^[^\p{Cc}]{2,100}$/u

function acceptanceFrom(values: {
  'accept-license'?: string | undefined
  by?: string | undefined
  'agreement-text'?: string | undefined
}): Acceptance | undefined {
  const { 'accept-license': gate, by, 'agreement-text': file } = values
  if (gate === undefined) {
    if (by !== undefined || file !== undefined)
      throw new UsageFault('--by and --agreement-text belong to --accept-license')
    return undefined
  }
  const gates = Object.keys(PUBLISHERS.gates)
  if (!gates.includes(gate)) throw new UsageFault(`--accept-license takes ${gates.join(', ')}`)
  if (by === undefined || !NAME.test(by)) throw new UsageFault('say who accepts it with --by NAME')
  return { gate, by, text: file === undefined ? undefined : readFileSync(file, 'utf8') }
}

/** The charts of a word: all, one, or the hospital with an NPI. */
function chartsNamed(name: string, all: readonly string[]): readonly string[] {
  if (name === 'all') return all
  const found = all.filter((chart) => chart === name || chart.endsWith(`:${name}`))
  if (found.length > 0) return found
  if (/^[0-9]{10}$/.test(name))
    throw new UsageFault('this NPI is not in hospitals.csv: see HOSPITALS in docs/operate/settings.md')
  const near = nearest(name, all)
  throw new UsageFault(`${near === undefined ? '' : `did you mean ${near}? `}fetch takes all, ${all.join(', ')}`)
}

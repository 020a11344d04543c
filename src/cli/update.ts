import { parseArgs } from 'node:util'
import { type ChartReport, fetchable, runFetch } from '../fetch/run.ts'
import { type Command, JSON_OPTION, openStore, UsageFault } from './command.ts'
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
      options: { publish: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    if (positionals.length > 0)
      throw new UsageFault('atr update takes options only: `atr fetch CHART` fetches one chart')
    using _ = ifInterrupted(INTERRUPTED)
    const installation = await openStore(config)
    try {
      using parts = fetchParts(config, installation)
      const tell = (report: ChartReport): void => {
        if (!values.json) console.log(reportLines(report).join('\n'))
      }
      const options = { charts: fetchable(parts), isDueOnly: true, publishes: values.publish }
      const reports = await runFetch(parts, options, tell)
      if (values.json) console.log(JSON.stringify({ charts: reports }))
      return exitCodeOf(reports)
    } finally {
      await installation.db.close()
    }
  },
}

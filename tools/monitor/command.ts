import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isAddress, read } from '../../src/cli/answer-source.ts'
import { type Command, UsageFault } from '../../src/cli/command.ts'
import { CHARTS, type ChartTable } from '../../src/proof/price/charts.ts'
import { BASES, SETTINGS } from '../../src/proof/price/row.ts'
import { closed, listOf, oneOf, orNull } from '../../src/proof/shape.ts'
import { parsePolicy } from '../../src/proof/verify-lists.ts'
import type { Alarm } from './alarm.ts'
import { Fetcher, tokensOf } from './fetcher.ts'
import { type Memory, StateFault, StateFile } from './memory.ts'
import { type Round, watchOnce } from './monitor.ts'
import { msOf, type RoundReport, report, rounds } from './rounds.ts'
import { sourcesAt } from './sources.ts'

const OPTIONS = {
  policy: { type: 'string' },
  state: { type: 'string', default: 'atr-monitor.json' },
  rails: { type: 'string' },
  source: { type: 'string', multiple: true, default: [] as string[] },
  answer: { type: 'string', multiple: true, default: [] as string[] },
  charts: { type: 'string' },
  once: { type: 'boolean', default: false },
  every: { type: 'string' },
  'max-age': { type: 'string', default: '26h' },
  json: { type: 'boolean', default: false },
} as const

export const monitor: Command = {
  usage:
    'monitor URL --policy FILE [--state FILE] [--rails FILE] [--source FILE]... [--answer FILE]... [--charts FILE] [--once | --every 10m] [--max-age 26h] [--json]',
  summary:
    'Watches a service from outside: replays its logs, checks what they commit to and a few answers, and prints an alarm for each fault',
  options: [
    ['--policy FILE', 'the log policy that you pinned'],
    ['--state FILE', 'what earlier rounds saw; atr-monitor.json by default. Evidence of alarms is written beside it'],
    ['--rails FILE', 'a rails token or an agent key: also reads rows (registry:read) and the figures log (audit:read)'],
    ['--source FILE', 'a file that releases cite: it is compared with their rows, both ways; may be repeated'],
    ['--answer FILE', 'an answer that someone received: it must be from the same log; may be repeated'],
    ['--charts FILE', 'a JSON file with further schedules of this registry (docs/operate/monitors.md)'],
    ['--once', 'makes one round; this is the default'],
    ['--every 10m', 'makes a round at this interval, in minutes or hours, until stopped'],
    ['--max-age 26h', 'how old the newest state may be, in hours or days'],
    ['--json', 'prints one line of JSON for each round'],
  ],
  examples: [
    ['monitor https://registry.example --policy policy.txt', 'looks once; exit code 1 if there is an alarm'],
    ['monitor https://registry.example --policy policy.txt --every 10m', 'goes on until Ctrl-C'],
  ],
  async run(args) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    const [url = '', ...more] = positionals
    if (!isAddress(url) || !URL.canParse(url) || more.length > 0)
      throw new UsageFault('name one service to watch: its http or https address')
    if (values.policy === undefined) throw new UsageFault('name the log policy that you pinned: --policy FILE')
    if (values.once && values.every !== undefined) throw new UsageFault('give --once or --every, not both')
    const policy = parsePolicy(await read(values.policy, 'of --policy'))
    if (!policy)
      throw new UsageFault('the file of --policy is not a log policy (C2SP tlog-policy): get it from /log/policy')
    const state = resolve(values.state)
    if (!existsSync(dirname(state)))
      throw new UsageFault('the folder of the --state file does not exist: create it first')
    const every = values.every === undefined ? undefined : msOf('--every', values.every, { m: 60_000, h: 3_600_000 })
    const maxAgeMs = msOf('--max-age', values['max-age'], { h: 3_600_000, d: 86_400_000 })
    const secret = values.rails === undefined ? undefined : (await read(values.rails, 'of --rails')).trim()
    const fetcher = new Fetcher(url, secret === undefined ? undefined : tokensOf(secret))
    const charts = values.charts === undefined ? undefined : chartsIn(await read(values.charts, 'of --charts'))
    const sources = values.source.length > 0 ? await sourcesAt(values.source) : undefined
    if (sources && secret === undefined) throw new UsageFault('--source needs --rails: rows are read with a token')
    const answers = await Promise.all(
      values.answer.map(async (path) => ({ name: `answer ${basename(path)}`, text: await read(path, 'of --answer') })),
    )
    const file = new StateFile(state, fetcher.base)
    const readsRows = secret !== undefined
    const round = async (before: ReadonlySet<string> = new Set()): Promise<RoundReport> => {
      const memory = readMemory(file)
      const now = Date.now()
      const result = await watchOnce({ fetcher, policy, now, maxAgeMs, readsRows, sources, charts, answers }, memory)
      const reported = report(result, {
        state: file,
        now,
        asJson: values.json,
        before,
        printAlarm,
        summary: summaryOf(result),
      })
      file.write(memory)
      return reported
    }
    return every === undefined ? (await round()).code : rounds(round, every)
  },
}

const isFacts = closed({
  bases: listOf(oneOf(...BASES)),
  speaks: oneOf('national', 'locality', 'state'),
  settings: listOf(orNull(oneOf(...SETTINGS))),
})

/** The usual schedules with those of a file, which may replace one of them. */
function chartsIn(text: string): ChartTable {
  try {
    const table: unknown = JSON.parse(text)
    const isTable = typeof table === 'object' && table !== null && !Array.isArray(table)
    if (isTable && Object.values(table).every(isFacts)) return { ...CHARTS, ...(table as ChartTable) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new UsageFault('the file of --charts is not a table of schedules: each needs bases, speaks and settings')
}

function readMemory(file: StateFile): Memory {
  try {
    return file.read()
  } catch (error) {
    throw error instanceof StateFault ? new UsageFault(error.message) : error
  }
}

function printAlarm({ code, sentence, advice }: Alarm, evidence: string | undefined): void {
  console.log(`alarm ${code}: ${sentence}\n  what to do: ${advice}`)
  console.error(
    evidence === undefined ? 'the evidence could not be written: check the folder of --state' : `evidence: ${evidence}`,
  )
}

const summaryOf = (round: Round): string => {
  const { registry, figures, releases, questions, recorded_at, figures_recorded_at } = round
  return `registry log ${registry} entries, figures log ${figures}; ${releases} releases and ${questions} answers checked; state of ${recorded_at ?? 'no time'}, figures of ${figures_recorded_at ?? 'no time'}`
}

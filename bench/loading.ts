// The cost of loading a schedule, and whether anything grows with the number of rows.

import { createReadStream, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { rowsOf, writeLargeSchedule } from '../test/support/large-schedule.ts'
import {
  type Environment,
  type Line,
  MEBIBYTE,
  mebibytes,
  median,
  ms,
  notMeasured,
  outputOf,
  type Timing,
  timed,
  times,
} from './measure.ts'
import { atr, LOAD_PHYSICIAN, newStore, type Service, startService } from './service.ts'
import { type Ask, type Load, load, middle } from './wrk.ts'

const ROUNDS = 3
const MOST_BYTES = 300 * MEBIBYTE

/** From the published files to a published proof, beside `sqlite3 .import` of the finished rows into a table with their key. */
export async function loading(folder: string): Promise<Line[]> {
  const what = 'load of the physician schedule, published'
  const floor = 'at most 1.50x of `sqlite3 .import`'
  if (!Bun.which('sqlite3')) return [notMeasured(what, floor, 'sqlite3 is not installed')]
  const csv = join(folder, 'rows.csv')
  const runs: { ours: Timing; peer: Timing }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const here = join(folder, `load-${round}`)
    const env = await newStore(here)
    const ours = await timed(atr(...LOAD_PHYSICIAN), env)
    if (round === 0) await writeRows(csv, env, here)
    const table = 'CREATE TABLE price_row (row_key TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID'
    const imported = ['sqlite3', join(here, 'peer.db'), table, '.mode csv', `.import ${csv} price_row`]
    runs.push({ ours, peer: await timed(imported) })
    rmSync(here, { recursive: true })
  }
  rmSync(csv)
  const seconds = (pick: 'ours' | 'peer'): number => median(runs.map((run) => run[pick].seconds))
  const peak = median(runs.map(({ ours }) => ours.maxRss))
  const ratio = seconds('ours') / seconds('peer')
  return [
    {
      what,
      floor,
      figure: `${times(ratio)} (${seconds('ours').toFixed(1)} s beside ${seconds('peer').toFixed(1)} s)`,
      isMet: ratio <= 1.5,
    },
    { what: `${what}: memory`, floor: 'under 300 MiB', figure: mebibytes(peak), isMet: peak < MOST_BYTES },
  ]
}

/** The finished rows, as the peer reads them: the key, and the text that is hashed. */
async function writeRows(csv: string, env: Environment, folder: string): Promise<void> {
  const rows = join(folder, 'rows.ndjson')
  const [{ release_id }] = JSON.parse(await outputOf(atr('release', 'list', '--json'), env)) as [{ release_id: string }]
  await outputOf(atr('export', release_id, '--format', 'ndjson', '--out', rows), env)
  const writer = Bun.file(csv).writer({ highWaterMark: MEBIBYTE })
  let written = 0
  for await (const line of createInterface({ input: createReadStream(rows) })) {
    const { cpt, region, npi, modifier, basis, setting } = JSON.parse(line) as Record<string, string | null>
    const key = [cpt, region, npi, modifier, basis, setting].map((part) => part ?? '').join('|')
    writer.write(`${key},"${line.replaceAll('"', '""')}"\n`)
    if (++written % 10_000 === 0) await writer.flush()
  }
  await writer.end()
}

const CODES = 45_500
const FEW_CODES = 455
const STARTS = 9
const WARM_UP_SECONDS = 5
const SECONDS = 2
const MOST_A_SECOND = 60_000

/** Ten million invented rows beside a hundred thousand: load, start, first answers, memory. */
export async function tenMillion(folder: string): Promise<Line[]> {
  const [large, small] = [
    await largeStore(join(folder, 'large'), CODES),
    await largeStore(join(folder, 'small'), FEW_CODES),
  ]
  const starts: number[] = []
  for (let i = 0; i < STARTS; i++) {
    const { readyMs, stop } = await startService(large.env)
    starts.push(readyMs)
    await stop()
  }
  const [start, what] = [median(starts), `${rowsOf(CODES).toLocaleString('en-US')} rows`]
  const services = [await startService(large.env), await startService(small.env)] as const
  try {
    const [many, few] = await firstInTurn(services, large.regions, folder)
    const peak = await services[0].peakBytes()
    const ratio = many.cpuUs / few.cpuUs
    return [
      {
        what: `${what}: first answer, plain`,
        floor: `at most 1.30x of ${rowsOf(FEW_CODES).toLocaleString('en-US')} rows, by processor time`,
        figure: `${times(ratio)} (${ms(many.cpuUs / 1_000)} beside ${ms(few.cpuUs / 1_000)})`,
        isMet: ratio <= 1.3,
      },
      { what: `${what}: start to ready`, floor: 'under 500 ms', figure: ms(start), isMet: start < 500 },
      {
        what: `${what}: memory of the service`,
        floor: 'under 300 MiB',
        figure: mebibytes(peak),
        isMet: peak < MOST_BYTES,
      },
    ]
  } finally {
    for (const service of services) await service.stop()
  }
}

async function largeStore(folder: string, codes: number): Promise<{ env: Environment; regions: string[] }> {
  const env = await newStore(folder)
  mkdirSync(join(folder, 'files'))
  const days = ['--effective-from', '2026-01-01', '--effective-to', '2099-12-31']
  const files = writeLargeSchedule(join(folder, 'files'), codes)
  await outputOf(atr('load', 'cms-pfs', ...files, '--sample', '--edition', 'TEN', ...days, '--publish', '--json'), env)
  const [, ...localities] = readFileSync(files[1] ?? '', 'utf8')
    .trim()
    .split('\n')
  return { env, regions: ['national', ...localities.map((line) => `US-${line.split(',')[3]}`)] }
}

async function firstInTurn(
  services: readonly [Service, Service],
  regions: readonly string[],
  folder: string,
): Promise<[Load, Load]> {
  const runs: [Load[], Load[]] = [[], []]
  const next = [0, 0]
  const ask = async (i: 0 | 1, seconds: number): Promise<Load> => {
    const count = seconds * MOST_A_SECOND
    const from = next[i] as number
    next[i] = from + count
    const asks = Array.from({ length: count }, (_, k) => askOf(from + k, i === 0 ? CODES : FEW_CODES, regions))
    return load(services[i], asks, { seconds, folder })
  }
  for (const i of [0, 1] as const) await ask(i, WARM_UP_SECONDS)
  for (let round = 0; round < ROUNDS; round++) for (const i of [0, 1] as const) runs[i].push(await ask(i, SECONDS))
  return [middle(runs[0]), middle(runs[1])]
}

/** A prime that divides neither number of pairs: its multiples come to each of them once. */
const STEP = 7_919
const FIRST_DAY = Date.UTC(2026, 0, 1)

/** Every code at every place, in a mixed order, and again on another day when all were asked. */
function askOf(i: number, codes: number, regions: readonly string[]): Ask {
  const pairs = codes * regions.length
  const at = (i * STEP) % pairs
  const day = new Date(FIRST_DAY + Math.floor(i / pairs) * 86_400_000).toISOString().slice(0, 10)
  const region = regions[Math.floor(at / codes)]
  return { path: `/reference?cpt=${10_000 + (at % codes)}&region=${region}&setting=facility&as_of=${day}` }
}

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCALITIES } from '../src/ingest/schedules/localities.ts'
import { codeAt, rowsOf, writeLargeSchedule } from '../test/support/large-schedule.ts'
import { type Line, MEBIBYTE, perSecond, type Timing, timed, times } from './measure.ts'
import { ATR, atRest, type Environment, type Service, startService } from './service.ts'
import { type Asking, type Load, onceBeside, writeRequests } from './wrk.ts'

const CODES = 45_500
/** A hundred thousand rows. */
const FEW_CODES = 455
const LOOKUPS = 2_000_000
const WARM = 1_000
const FIRST_DAY = Date.UTC(2026, 0, 1)
const MOST_MIB = 300
const STARTS = 9

/** One release of ten million invented rows, by the commands that an operator runs: load, serve, check. */
export async function tenMillion(codes = CODES): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'atr-ten-million-'))
  try {
    const { env, loaded } = await makeStore(join(folder, 'large'), codes)
    const starts: Start[] = []
    for (let i = 0; i < STARTS; i++) starts.push(await startOnce(env))
    const few = await makeStore(join(folder, 'small'), FEW_CODES)
    const { large: served, small } = await serve({ large: { env, codes }, small: { ...few, codes: FEW_CODES } }, folder)
    const checked = await timed([process.execPath, ATR, 'fsck', '--json'], env)
    const rows = rowsOf(codes)
    return [
      {
        what: `load and publish ${rows.toLocaleString('en-US')} rows`,
        figure: `${loaded.seconds.toFixed(1)} s, ${perSecond(rows / loaded.seconds)}`,
        beside: `${loaded.cpuSeconds.toFixed(1)} s of processor time`,
      },
      memory('its memory at most', loaded.maxRss),
      {
        what: 'serve: from its start to ready',
        figure: `${Math.round(middleOf(starts, ({ readyMs }) => readyMs))} ms`,
        beside: `limit 500 ms; the median of ${starts.length}, at most ${Math.round(Math.max(...starts.map(({ readyMs }) => readyMs)))}; ${Math.round(middleOf(starts, ({ readyCpuMs }) => readyCpuMs))} ms of processor time`,
      },
      {
        what: 'serve: from its start to a first price',
        figure: `${Math.round(middleOf(starts, ({ firstMs }) => firstMs))} ms`,
        beside: 'the median of the same',
      },
      ...(['warm', 'cold'] as const).map((how) => besideSmall(how, served[how], small[how])),
      memory('its memory after these lookups all over the release', served.peakBytes),
      {
        what: 'fsck',
        figure: `${checked.seconds.toFixed(1)} s, ${perSecond(rows / checked.seconds)}`,
        beside: `${checked.cpuSeconds.toFixed(1)} s of processor time`,
      },
      memory('its memory at most', checked.maxRss),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function besideSmall(how: string, large: Load, small: Load): Line {
  const few = rowsOf(FEW_CODES).toLocaleString('en-US')
  return {
    what: `serve: ${how} lookups`,
    figure: `${perSecond(large.perSecond)}, p99 ${large.p99Ms.toFixed(1)} ms, ${large.cpuUs.toFixed(0)} us`,
    beside: `${times(large.perSecond, small.perSecond)} of ${few} rows (at least 0.83x), p99 ${times(large.p99Ms, small.p99Ms)} (at most 1.2x), processor time ${times(large.cpuUs, small.cpuUs)}`,
    ratio: { name: `ten million rows ${how} / few`, value: large.perSecond / small.perSecond },
  }
}

async function makeStore(folder: string, codes: number): Promise<{ env: Environment; loaded: Timing }> {
  mkdirSync(folder)
  const env = { ...process.env, DATA_DIR: join(folder, 'data') }
  const atr = (...args: string[]): Promise<Timing> => timed([process.execPath, ATR, ...args], env)
  await atr('init', '--origin', 'bench.example')
  const days = ['--effective-from', '2026-01-01', '--effective-to', '2099-12-31']
  const kind = ['--sample', '--edition', 'TEN', ...days, '--publish', '--json']
  return { env, loaded: await atr('load', 'cms-pfs', ...writeLargeSchedule(folder, codes), ...kind) }
}

const memory = (what: string, bytes: number): Line => ({
  what,
  figure: `${Math.round(bytes / MEBIBYTE)} MiB`,
  beside: `limit ${MOST_MIB} MiB`,
})

interface Start {
  readyMs: number
  readyCpuMs: number
  firstMs: number
}

const middleOf = (starts: readonly Start[], pick: (start: Start) => number): number =>
  starts.map(pick).sort((a, b) => a - b)[Math.floor(starts.length / 2)] as number

async function startOnce(env: Environment): Promise<Start> {
  const { ask, started, readyMs, readyCpuMs, stop } = await startService(env)
  try {
    const answer = await ask(`/reference?cpt=${codeAt(0)}&region=${LOCALITIES[0]}`)
    if (answer.status !== 200) throw new Error(`a lookup was answered with ${answer.status}`)
    return { readyMs, readyCpuMs, firstMs: performance.now() - started }
  } finally {
    await stop()
  }
}

interface Served {
  warm: Load
  cold: Load
  peakBytes: number
}

interface Store {
  env: Environment
  codes: number
}

/** Both at the same time, asked in turn. */
async function serve(
  stores: Record<'large' | 'small', Store>,
  folder: string,
): Promise<Record<'large' | 'small', Served>> {
  const large = await startService(stores.large.env)
  try {
    const small = await startService(stores.small.env)
    try {
      const asking = {
        large: askingOf(large, stores.large.codes, join(folder, 'warm-large')),
        small: askingOf(small, stores.small.codes, join(folder, 'warm-small')),
      }
      for (const [service, { once }] of [
        [large, asking.large],
        [small, asking.small],
      ] as const) {
        await service.ask(once[0]?.path ?? '')
        await atRest(service)
      }
      const found = await onceBeside(asking, folder)
      return {
        large: { ...found.large, peakBytes: large.peakBytes() },
        small: { ...found.small, peakBytes: small.peakBytes() },
      }
    } finally {
      await small.stop()
    }
  } finally {
    await large.stop()
  }
}

function askingOf({ port, pids }: Service, codes: number, file: string): Asking {
  const asks = Array.from({ length: LOOKUPS }, (_, i) => ({ path: questionAt(i, codes) }))
  return { warm: { port, pids, requests: writeRequests(file, asks.slice(0, WARM)) }, once: asks.slice(WARM) }
}

/** Every pair of a code and a place comes once a day: both numbers of steps have no divisor in common with what they go round. */
function questionAt(i: number, codes: number): string {
  const pairs = codes * LOCALITIES.length
  const at = i % pairs
  const region = LOCALITIES[(at * 7 + Math.floor(at / codes)) % LOCALITIES.length]
  const day = new Date(FIRST_DAY + Math.floor(i / pairs) * 86_400_000).toISOString().slice(0, 10)
  return `/reference?cpt=${codeAt((at * 7_919) % codes)}&region=${region}&as_of=${day}`
}

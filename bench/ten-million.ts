import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCALITIES } from '../src/ingest/cms/localities.ts'
import { type Line, MEBIBYTE, perSecond, timed } from './measure.ts'
import { ATR, startService } from './service.ts'

const SAMPLE = join(import.meta.dir, '../sample/PPRRVU-SAMPLE26D.csv')
/** Each has two prices in every locality and two for the nation. */
const CODES = 45_500
const LOOKUPS = 2_000
const MOST_MIB = 300

/** One release of ten million invented rows, by the commands that an operator runs: load, serve, check. */
export async function tenMillion(codes = CODES): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'atr-ten-million-'))
  try {
    const files = writeSources(folder, codes)
    const env = { ...process.env, DATA_DIR: join(folder, 'data') }
    const atr = (...args: string[]) => timed([process.execPath, ATR, ...args], env)
    await atr('init', '--origin', 'bench.example')
    const days = ['--effective-from', '2026-01-01', '--effective-to', '2099-12-31']
    const loaded = await atr(
      'load',
      'cms-pfs',
      ...files,
      '--sample',
      '--edition',
      'TEN',
      ...days,
      '--publish',
      '--json',
    )
    const rows = codes * 2 * (LOCALITIES.length + 1)
    const served = await serve(env, codes)
    const checked = await atr('fsck', '--json')
    return [
      {
        what: `load and publish ${rows.toLocaleString('en-US')} rows`,
        figure: `${loaded.seconds.toFixed(1)} s, ${perSecond(rows / loaded.seconds)}`,
        beside: `${loaded.cpuSeconds.toFixed(1)} s of processor time`,
      },
      memory('its memory at most', loaded.maxRss),
      {
        what: 'serve: from its start to ready',
        figure: `${Math.round(served.readyMs)} ms`,
        beside: `limit 500 ms; ${served.readyCpuMs} ms of processor time`,
      },
      {
        what: 'serve: from its start to a first price',
        figure: `${Math.round(served.firstMs)} ms`,
        beside: 'limit 500 ms',
      },
      memory(`its memory after ${LOOKUPS.toLocaleString('en-US')} lookups all over the release`, served.maxRss),
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

const memory = (what: string, bytes: number): Line => ({
  what,
  figure: `${Math.round(bytes / MEBIBYTE)} MiB`,
  beside: `limit ${MOST_MIB} MiB`,
})

/** 10000 to 99999: five digits are a code. */
const codeAt = (i: number): string => String(10_000 + i)

/** Files in CMS's layout. Values are invented, and differ from line to line. */
function writeSources(folder: string, codes: number): string[] {
  const sample = readFileSync(SAMPLE, 'utf8').split('\n')
  const head = sample.slice(0, sample.findIndex((line) => line.startsWith('HCPCS')) + 1)
  const hundredths = (n: number): string => (n / 100).toFixed(2)
  const lines = Array.from({ length: codes }, (_, i) => {
    const [work, outside, inside, malpractice] = [7 + (i % 941), 11 + (i % 1_709), 5 + (i % 613), 1 + (i % 97)]
    const totals = [work + outside + malpractice, work + inside + malpractice].map(hundredths)
    const values = [work, outside, '', inside, '', malpractice].map((each) =>
      each === '' ? '' : hundredths(Number(each)),
    )
    return `${codeAt(i)},,${codeAt(i)},A,,${values},${totals},0,010,0.00,0.00,0.00,0,0,0,0,0,9,,33.4009,09,0,99,0.00,0.00,0.00`
  })
  const indices = LOCALITIES.map((region, i) => {
    const [, state, number] = region.split('-')
    const [work, practice, malpractice] = [0.9 + i / 1_000, 0.8 + i / 500, 0.3 + i / 200].map((each) => each.toFixed(3))
    return `${10_000 + i},${state},${number},${state}-${number},${work},${work},${practice},${malpractice}`
  })
  const columns =
    'Medicare Administrative Contractor (MAC),State,Locality Number,Locality Name,2026 PW GPCI (without 1.0 Floor),2026 PW GPCI (with 1.0 Floor),2026 PE GPCI,2026 MP GPCI'
  const [rvus, gpci] = [join(folder, 'PPRRVU.csv'), join(folder, 'GPCI.csv')]
  writeFileSync(rvus, [...head, ...lines, ''].join('\n'))
  writeFileSync(gpci, [columns, ...indices, ''].join('\n'))
  return [rvus, gpci]
}

interface Served {
  readyMs: number
  readyCpuMs: number
  firstMs: number
  maxRss: number
}

async function serve(env: Record<string, string | undefined>, codes: number): Promise<Served> {
  const { pid, ask, started, readyMs, readyCpuMs, stop } = await startService(env)
  try {
    const price = async (i: number): Promise<void> => {
      const region = LOCALITIES[(i * 7) % LOCALITIES.length]
      const answer = await ask(`/reference?cpt=${codeAt((i * 7_919) % codes)}&region=${region}`)
      if (answer.status !== 200) throw new Error(`a lookup was answered with ${answer.status}`)
      await answer.arrayBuffer()
    }
    await price(0)
    const firstMs = performance.now() - started
    for (let i = 1; i <= LOOKUPS; i++) await price(i)
    const peak = /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return { readyMs, readyCpuMs, firstMs, maxRss: Number(peak) * 1024 }
  } finally {
    await stop()
  }
}

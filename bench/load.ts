import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { physicianSchedule } from '../src/ingest/schedules/physician.ts'
import { readSource } from '../src/ingest/source.ts'
import { rowKey, rowText } from '../src/proof/price/row.ts'
import { published } from '../test/support/published-files.ts'
import { type Line, MEBIBYTE, perSecond, type Timing, timed, times } from './measure.ts'

export const FILES = ['cms-pfs/2026-rvu26c/PPRRVU2026_Jul_nonQPP.csv.gz', 'cms-pfs/2026-rvu26b/GPCI2026.csv'].map(
  published,
)
const ATR = join(import.meta.dir, '../src/cli/atr.ts')
const CITED = ['--url', 'https://www.cms.gov/']
const ROUNDS = 3

/** A table of the same rows, found by the same key. */
const PEER_TABLE = `CREATE TABLE price_row (release_no INTEGER NOT NULL, row_key TEXT NOT NULL, row_index INTEGER NOT NULL,
  body TEXT NOT NULL, PRIMARY KEY (release_no, row_key)) STRICT, WITHOUT ROWID`

/**
 * From CMS's files to a published proof of two million rows, by the command that an operator runs, beside the
 * time that `sqlite3 .import` takes for the finished rows: it only parses them and builds the same tree of pages.
 */
export async function loading(): Promise<Line[]> {
  if (!FILES.every((file) => existsSync(file)))
    return [{ what: 'load', figure: 'not measured', beside: 'ATR_SHARED_DATA does not hold the published files' }]
  if (!Bun.which('sqlite3')) return [{ what: 'load', figure: 'not measured', beside: 'sqlite3 is not installed' }]
  const folder = mkdtempSync(join(tmpdir(), 'atr-bench-'))
  try {
    const csv = join(folder, 'rows.csv')
    const rows = await writeCsv(csv)
    const runs: { ours: Timing; peer: Timing }[] = []
    for (let i = 0; i < ROUNDS; i++) {
      const here = join(folder, String(i))
      mkdirSync(here)
      const ours = await loadAndPublish(here)
      const database = join(here, 'peer.db')
      const peer = await timed(['sqlite3', database, PEER_TABLE, '.mode csv', `.import ${csv} price_row`])
      runs.push({ ours, peer })
      rmSync(here, { recursive: true })
    }
    const middle = (of: 'ours' | 'peer'): Timing =>
      runs.map((run) => run[of]).sort((a, b) => a.seconds - b.seconds)[Math.floor(ROUNDS / 2)] as Timing
    const [ours, peer] = [middle('ours'), middle('peer')]
    return [
      {
        what: `load and publish ${rows.toLocaleString('en-US')} rows`,
        figure: `${ours.seconds.toFixed(1)} s, ${perSecond(rows / ours.seconds)}`,
        beside: `${times(ours.seconds, peer.seconds)} of sqlite3 .import (limit 1.5x)`,
        ratio: { name: 'load / sqlite3 .import', value: ours.seconds / peer.seconds, lowerIsBetter: true },
      },
      {
        what: 'its memory at most',
        figure: `${Math.round(ours.maxRss / MEBIBYTE)} MiB`,
        beside: 'limit 300 MiB',
      },
      {
        what: 'sqlite3 .import of the same rows as CSV',
        figure: `${peer.seconds.toFixed(1)} s, ${perSecond(rows / peer.seconds)}`,
        beside: 'the peer',
      },
      {
        what: 'processor time of both',
        figure: `${ours.cpuSeconds.toFixed(1)} s and ${peer.cpuSeconds.toFixed(1)} s`,
        beside: `${times(ours.cpuSeconds, peer.cpuSeconds)}, whatever else the machine was doing`,
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function loadAndPublish(folder: string): Promise<Timing> {
  const env = { ...process.env, DATA_DIR: join(folder, 'data') }
  const atr = (...args: string[]) => timed([process.execPath, ATR, ...args], env)
  await atr('init', '--origin', 'bench.example')
  return atr('load', 'cms-pfs', ...FILES, '--publish', '--json', ...CITED)
}

/** The rows as they are stored: release_no, row_key, row_index, body. */
async function writeCsv(path: string): Promise<number> {
  const { rows } = physicianSchedule(await Promise.all(FILES.map(readSource)), {}, new Map())
  const writer = Bun.file(path).writer({ highWaterMark: MEBIBYTE })
  let at = 0
  for (const row of rows) {
    writer.write(`1,${rowKey(row)},${at++},"${rowText(row).replaceAll('"', '""')}"\n`)
    if (at % 10_000 === 0) await writer.flush()
  }
  await writer.end()
  return at
}

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LOCALITIES } from '../src/ingest/schedules/localities.ts'
import { PostgresServer, whyNoPostgres } from '../test/support/postgres.ts'
import { published } from '../test/support/published-files.ts'
import { codesIn } from '../test/support/published-shelf.ts'
import { type Line, MEBIBYTE, type Timing, timed } from './measure.ts'
import { ATR, startService } from './service.ts'

const VALUES = 'cms-pfs/2026-rvu26c/PPRRVU2026_Jul_nonQPP.csv.gz'
const GPCI = 'cms-pfs/2026-rvu26b/GPCI2026.csv'
/** More than two million rows. The first edition of the year is stretched to the next one, so that no day is without. */
const EDITIONS: readonly { chart: string; files: readonly string[]; options?: readonly string[] }[] = [
  {
    chart: 'cms-pfs',
    files: ['cms-pfs/2026-rvu26ar/PPRRVU2026_Jan_nonQPP.csv.gz', GPCI],
    options: ['--effective-to', '2026-06-30'],
  },
  { chart: 'cms-pfs', files: [VALUES, GPCI] },
  { chart: 'cms-clfs', files: ['cms-clfs/PUF_CLFS_CY2026_Q2V1.csv'] },
  { chart: 'zip-locality', files: ['cms-pfs/zip-locality-2025q4/ZIP5_OCT2025.txt.gz'] },
]
/** A day on which the schedule of physicians is in force. */
const DAY = '2026-08-15'
const PUBLISHED = ['--url', 'https://www.cms.gov/', '--publish']
const MOST_MIB = 300

type Environment = Record<string, string | undefined>

/**
 * An installation with the published schedules is moved from SQLite to PostgreSQL and into a folder again, by the commands
 * that an operator runs. Answers and proofs must be the same bytes before, between and after: a difference is a failure.
 */
export async function moving(): Promise<Line[]> {
  const files = EDITIONS.flatMap((edition) => edition.files.map(published))
  const why = files.every((file) => existsSync(file)) ? whyNoPostgres() : 'ATR_SHARED_DATA does not hold the files'
  if (why !== undefined) return [{ what: 'move', figure: 'not measured', beside: why }]
  const folder = mkdtempSync(join(tmpdir(), 'atr-move-'))
  const server = await PostgresServer.start()
  try {
    return await moveAll(join(folder, 'data'), await server.database())
  } finally {
    await server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function moveAll(folder: string, database: string): Promise<Line[]> {
  const inFiles: Environment = {
    ...process.env,
    DATA_DIR: folder,
    DATABASE_URL: '',
    PUBLIC_URL: 'https://bench.example',
  }
  const inDatabase = { ...inFiles, DATABASE_URL: database }
  const atr = (env: Environment, ...args: string[]): Promise<Timing> => timed([process.execPath, ATR, ...args], env)
  await atr(inFiles, 'init', '--origin', 'bench.example')
  for (const { chart, files, options = [] } of EDITIONS)
    await atr(inFiles, 'load', chart, ...files.map(published), ...options, ...PUBLISHED, '--json')
  const first = await answersOf(inFiles)
  const sqlite = await atr(inFiles, 'fsck', '--json')
  const there = await atr(inFiles, 'migrate', '--to', database, '--json')
  const second = await answersOf(inDatabase)
  const postgres = await atr(inDatabase, 'fsck', '--json')
  const back = await atr(inDatabase, 'migrate', '--to', folder, '--json')
  const third = await answersOf(inFiles)
  for (const [path, answer] of first.answers)
    for (const later of [second, third])
      if (later.answers.get(path) !== answer) throw new Error(`after a move this has another answer: ${path}`)
  const rows = first.rows.toLocaleString('en-US')
  return [
    line(`move ${rows} rows from SQLite to PostgreSQL`, there),
    line('move them from PostgreSQL into a folder', back),
    line('fsck on SQLite', sqlite),
    line('fsck on PostgreSQL', postgres),
    {
      what: 'answers and proofs asked for before, between and after',
      figure: `${first.answers.size.toLocaleString('en-US')}, ${Math.round(first.bytes / MEBIBYTE)} MiB`,
      beside: 'byte for byte the same, three times',
    },
  ]
}

const line = (what: string, { seconds, cpuSeconds, maxRss }: Timing): Line => ({
  what,
  figure: `${seconds.toFixed(1)} s`,
  beside: `${cpuSeconds.toFixed(1)} s of processor time, ${Math.round(maxRss / MEBIBYTE)} MiB (limit ${MOST_MIB} MiB)`,
})

interface Answers {
  rows: number
  bytes: number
  /** A digest of status and body for each path. */
  answers: Map<string, string>
}

async function answersOf(env: Environment): Promise<Answers> {
  const service = await startService(env)
  try {
    const { data } = (await (await service.ask('/api/releases')).json()) as {
      data: { release_id: string; row_count: number }[]
    }
    const answers = new Map<string, string>()
    let bytes = 0
    for (const path of pathsFor(data)) {
      const answer = await service.ask(path)
      const body = new Uint8Array(await answer.arrayBuffer())
      // A price, or the proof that there is none. Anything else would be the same for the wrong reason.
      if (answer.status !== 200 && !(answer.status === 404 && path.startsWith('/reference')))
        throw new Error(`${path} was answered with ${answer.status}`)
      bytes += body.length
      answers.set(path, `${answer.status} ${digestOf(answer.status === 200 ? body : withoutRequest(body))}`)
    }
    return { answers, bytes, rows: data.reduce((sum, { row_count }) => sum + row_count, 0) }
  } finally {
    await service.stop()
  }
}

const digestOf = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** A refusal names the request that it answers. Nothing else in it may differ. */
const withoutRequest = (body: Uint8Array): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(body).replace(/"request_id":"[^"]+"/, ''))

function* pathsFor(releases: readonly { release_id: string; row_count: number }[]): Iterable<string> {
  const codes = [...codesIn(VALUES)]
  const every = <T>(list: readonly T[], i: number): T => list[(i * 7_919) % list.length] as T
  for (let i = 0; i < 1_000; i++)
    yield `/reference?cpt=${every(codes, i)}&region=${every(LOCALITIES, i + 1)}&as_of=${DAY}`
  for (let i = 0; i < 100; i++) yield `/reference/sheet?cpt=${every(codes, i + 3)}&region=national&as_of=${DAY}`
  for (const { release_id, row_count } of releases) {
    const tiles = Math.floor(row_count / 256)
    for (let i = 0; i < 250; i++) yield `/rows/${release_id}/${(i * 7_919) % row_count}`
    for (let i = 0; i < 100 && i < tiles; i++)
      yield `/log/releases/${release_id}/tile/0/${tilePath((i * 7_919) % tiles)}`
  }
  for (const log of ['registry', 'figures']) yield `/log/${log}/checkpoint`
  for (const path of ['/log/policy', '/api/releases', '/api/figures', '/log/registry/proof/0', '/log/figures/proof/0'])
    yield path
}

/** C2SP tlog-tiles: thousands are folders. */
const tilePath = (n: number): string =>
  n < 1000
    ? String(n).padStart(3, '0')
    : `x${String(Math.floor(n / 1000)).padStart(3, '0')}/${String(n % 1000).padStart(3, '0')}`

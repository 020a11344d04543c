import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { PostgresServer, whyNoPostgres } from '../test/support/postgres.ts'
import { type Line, perSecond, timed, times } from './measure.ts'
import { ATR, type Environment, type Service, startService } from './service.ts'
import { type Ask, type Load, medians, type Target, writeRequests } from './wrk.ts'

/** Codes of the sample that have a price. */
const CODES = ['99213', '99214', '93000', '71046', '36415', '45378', '12001', '20610', '11042', '97110']
const EDITION = ['--edition', 'SAMPLE', '--effective-from', '2026-01-01', '--effective-to', '2099-12-31']
const SECONDS = 3

/** The same warm answers from SQLite and from PostgreSQL, by one process and by two. */
export async function stores(): Promise<Line[]> {
  const why = Bun.which('wrk') ? whyNoPostgres() : 'not installed: wrk (apt-get install wrk)'
  if (why !== undefined) return [{ what: 'stores', figure: 'not measured', beside: why }]
  const folder = mkdtempSync(join(tmpdir(), 'atr-bench-'))
  const server = await PostgresServer.start()
  const running: Service[] = []
  try {
    const start = async (env: Environment, core?: string): Promise<Target> => {
      const service = await startService({ ...process.env, ...env }, core)
      running.push(service)
      const requests = writeRequests(join(folder, `requests-${running.length}`), await pricedBy(service))
      return { port: service.port, pids: service.pids, requests }
    }
    const batches = writeRequests(join(folder, 'batches'), [batch()])
    const asBatches = (target: Target): Target => ({
      ...target,
      requests: batches,
      headers: ['Content-Type: application/json'],
    })
    const [inFiles, inDatabase] = await bothStores(folder, await server.database())
    const targets: Record<string, Target> = { sqlite: await start(inFiles), postgres: await start(inDatabase) }
    const hasRoom = cpus().length > 2
    const workers = await start({ ...inFiles, WORKERS: '2' }, hasRoom ? '0,2' : '0,1')
    if (hasRoom) targets['two'] = workers
    const { sqlite, postgres, two } = (await medians(targets, SECONDS)) as Record<string, Load>
    const one = targets['sqlite'] as Target
    const batched = await medians({ one: asBatches(one), two: asBatches(workers) }, SECONDS)
    if (!sqlite || !postgres) throw new Error('nothing was measured')
    return [
      { what: 'warm /reference, state in SQLite', figure: figureOf(sqlite), beside: '' },
      {
        what: 'the same, state in PostgreSQL',
        figure: figureOf(postgres),
        beside: `${times(postgres.perSecond, sqlite.perSecond)} of SQLite (at least 0.90x)`,
        ratio: { name: 'warm on PostgreSQL / SQLite', value: postgres.perSecond / sqlite.perSecond },
      },
      two
        ? {
            what: 'the same, WORKERS=2',
            figure: figureOf(two),
            beside: `${times(two.perSecond, sqlite.perSecond)} of one process (at least 1.7x)`,
          }
        : { what: 'the same, WORKERS=2', figure: 'not measured', beside: 'needs three processors: two and the load' },
      {
        what: `batches of ${CODES.length} lines, which leave the load little to do, WORKERS=2`,
        figure: figureOf(batched.two),
        beside: `${times(batched.two.perSecond, batched.one.perSecond)} of one process (at least 1.7x)`,
        ratio: { name: 'two workers / one', value: batched.two.perSecond / batched.one.perSecond },
      },
    ]
  } finally {
    for (const service of running) await service.stop()
    await server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

const figureOf = ({ perSecond: rate, p99Ms, cpuUs }: Load): string =>
  `${perSecond(rate)}, p99 ${p99Ms.toFixed(1)} ms, ${cpuUs.toFixed(0)} us`

const batch = (): Ask => ({
  method: 'POST',
  path: '/reference/batch',
  body: JSON.stringify({ lines: CODES.map((cpt) => ({ cpt })) }),
})

/** The sample in two installations, one of them in the database. */
async function bothStores(folder: string, database: string): Promise<[Environment, Environment]> {
  const stores = [
    { DATA_DIR: join(folder, 'sqlite'), DATABASE_URL: '' },
    { DATA_DIR: join(folder, 'postgres'), DATABASE_URL: database },
  ] as const
  const sample = join(import.meta.dir, '../sample')
  const files = ['PPRRVU-SAMPLE26D.csv', 'GPCI-SAMPLE26.csv'].map((name) => join(sample, name))
  for (const store of stores) {
    const atr = (...args: string[]) => timed([process.execPath, ATR, ...args], { ...process.env, ...store })
    await atr('init', '--origin', 'bench.example')
    await atr('load', 'cms-pfs', ...files, '--sample', ...EDITION, '--publish', '--json')
  }
  return [...stores]
}

async function pricedBy({ ask }: Service): Promise<{ path: string }[]> {
  const paths = CODES.map((code) => `/reference?cpt=${code}`)
  const statuses = await Promise.all(paths.map(async (path) => (await ask(path)).status))
  const priced = paths.filter((_, i) => statuses[i] === 200)
  if (priced.length === 0) throw new Error('the sample has no price for any of these codes')
  return priced.map((path) => ({ path }))
}

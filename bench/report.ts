import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeApp } from '../src/app.ts'
import { recheck } from '../src/cli/fsck.ts'
import { readConfig } from '../src/config.ts'
import { openInstallation } from '../src/installation.ts'
import { FILES, loadAndPublish } from './load.ts'
import type { Line } from './measure.ts'

const RUNS = 21
const ANY_RATE = 1_000_000

/** What the integrity report and the status cost beside two million rows, and what verifying these rows costs. */
export async function reporting(): Promise<Line[]> {
  if (!FILES.every((file) => existsSync(file)))
    return [{ what: 'report', figure: 'not measured', beside: 'ATR_SHARED_DATA does not hold the published files' }]
  const folder = mkdtempSync(join(tmpdir(), 'atr-bench-'))
  try {
    await loadAndPublish(folder)
    const installation = await openInstallation(readConfig({ DATA_DIR: join(folder, 'data') }))
    const { rows, ms } = await verified(installation)
    const app = makeApp(installation, {
      baseUrl: () => 'https://bench.example',
      now: Date.now,
      limits: { default_rpm: ANY_RATE, reference_rpm: ANY_RATE, log_rpm: ANY_RATE, enabled: false },
      observe: () => undefined,
    })
    const costOf = async (name: string): Promise<string> => {
      const op = app.operations.find((each) => each.name === name)
      const costs: number[] = []
      for (let run = 0; run < RUNS; run++)
        costs.push((await processorMs(async () => op?.output.parse(await op.run({}, {})))).ms)
      return `${(costs.sort((a, b) => a - b)[(RUNS - 1) / 2] ?? 0).toFixed(1)} ms`
    }
    const lines: Line[] = [
      {
        what: `the integrity report beside ${rows.toLocaleString('en-US')} rows, processor time`,
        figure: await costOf('get_data_integrity'),
        beside: 'limit 20 ms; no row is read for it',
      },
      { what: 'the status, when it is made anew', figure: await costOf('get_status'), beside: '' },
      {
        what: 'verifying all of these rows, processor time',
        figure: `${(ms / 1_000).toFixed(1)} s, ${((ms / rows) * 1_000).toFixed(1)} us a row`,
        beside: 'at VERIFY_CPU_PERCENT=2 it takes fifty times as long',
      },
    ]
    await installation.db.close()
    return lines
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function verified(installation: Parameters<typeof recheck>[0]): Promise<{ rows: number; ms: number }> {
  const { result, ms } = await processorMs(() => recheck(installation, Date.now()))
  if (result.fault_count > 0) throw new Error('the store is not sound')
  return { rows: result.rows, ms }
}

async function processorMs<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, ms: (user + system) / 1_000 }
}

// Runs `atr update` while the service runs, in a separate process, so that a large file cannot disturb the answers.

import type { Db } from '../db/db.ts'
import { isDue, looksByChart } from '../fetch/run.ts'
import { type Job, repeat } from '../job.ts'

/** How often to check whether a chart is due. */
const EVERY_MS = 10 * 60_000
/** When the process is killed. What it has staged or published stays. */
const LONGEST_MS = 8 * 3_600_000

interface Schedule {
  db: Db
  tell: Job['tell']
  /** The charts that can be fetched. */
  charts: readonly string[]
  publishes: boolean
}

/** Starts an update when a chart is due, and ends it with this process. If several machines do this, one of them works. */
export function scheduleUpdates({ db, tell, charts, publishes }: Schedule): { stop: () => Promise<void> } {
  let child: ReturnType<typeof startUpdate> | undefined
  const turn = async (): Promise<number> => {
    const looks = await looksByChart(db)
    if (charts.some((chart) => isDue(looks.get(chart), Date.now()))) {
      child = startUpdate(publishes)
      await ended(child).finally(() => {
        child = undefined
      })
    }
    return EVERY_MS
  }
  const job = repeat({ turn, tell })
  return {
    async stop() {
      child?.kill('SIGTERM')
      await job.stop()
    },
  }
}

function startUpdate(publishes: boolean) {
  const options = ['--scheduled', ...(publishes ? ['--publish'] : [])]
  return Bun.spawn([process.execPath, ...process.execArgv, process.argv[1] as string, 'update', ...options], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    ipc: () => undefined, // lets the child notice the end of its parent
  })
}

/** Waits for the process. Exit codes above 1 are faults; 1 means that something waits for a person, which is stored. */
async function ended(child: ReturnType<typeof startUpdate>): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS)
  const code = await child.exited
  clearTimeout(timer)
  if (child.signalCode === null && code > 1) throw new Error('the process that fetches new editions has failed')
}

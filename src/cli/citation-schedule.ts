// Looks at cited sources while the service runs, in a separate process, so that a publisher's server cannot disturb the
// answers of the service.

import { dayOf } from '../calendar.ts'
import { dueSources } from '../citations/check.ts'
import type { Db } from '../db/db.ts'
import { type Job, repeat } from '../job.ts'
import { citedSources } from '../registry/catalogue/citations.ts'

/** How often to check whether a source is due. */
const EVERY_MS = 5 * 60_000
/** When the process is killed. It stops by itself long before, see `SCHEDULED` in citations.ts. */
const LONGEST_MS = 8 * 3_600_000

interface Schedule {
  db: Db
  tell: Job['tell']
  loopback: boolean
}

/** Starts the process when a source is due, and ends it with this one. If several machines do this, one of them looks. */
export function scheduleCitations({ db, tell, loopback }: Schedule): { stop: () => Promise<void> } {
  let child: ReturnType<typeof Bun.spawn> | undefined
  const turn = async (): Promise<number> => {
    const cited = () => citedSources(db, dayOf(Date.now()))
    const due = await dueSources({ db, now: Date.now, cited }, false)
    if (due.length > 0) {
      child = startCheck(loopback)
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

function startCheck(loopback: boolean): ReturnType<typeof Bun.spawn> {
  const options = ['--scheduled', ...(loopback ? ['--loopback'] : [])]
  return Bun.spawn(
    [process.execPath, ...process.execArgv, process.argv[1] as string, 'citations', 'check', ...options],
    {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
      ipc: () => undefined, // lets the child notice the end of its parent
    },
  )
}

/** Waits for the process. Exit codes above 1 are faults; 1 means that a source fails, which is stored. */
async function ended(child: ReturnType<typeof Bun.spawn>): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS)
  const code = await child.exited
  clearTimeout(timer)
  if (child.signalCode === null && code > 1) throw new Error('the process that looks at cited sources has failed')
}

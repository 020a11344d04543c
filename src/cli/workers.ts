import { ConfigFault } from '../config.ts'
import type { Family } from '../metrics/exposition.ts'

/** How long to wait before a worker that ended is started again; doubled each time, until it has run for a while. */
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 30_000
const STEADY_MS = 60_000
/** When a stopping worker is killed. It is longer than any request may take. */
const STOP_MS = 130_000

interface WorkerEnd {
  worker: number
  code: number | null
  signal: string | number | null
  restart_ms: number
}

export interface Workers {
  /** What each worker has measured. One that is being started again, or is busy for longer, is left out. */
  measurements(): Promise<{ worker: number; families: Family[] }[]>
  /** Asks every worker to finish its requests under way, and waits for that. */
  stop(): Promise<void>
}

interface WorkerCommand {
  /** The command of worker `number`, which sends the message `ready` when it listens. */
  command: (number: number) => string[]
  environment: Record<string, string | undefined>
  tell: (end: WorkerEnd) => void
}

interface Worker {
  /** Who waits for measurements. */
  answers: Set<(families: Family[]) => void>
  child: ReturnType<typeof Bun.spawn>
  /** False if it ended before it was ready. */
  ready: Promise<boolean>
}

/** Starts processes and keeps them running. Fails if one of them cannot start at the beginning. */
export async function startWorkers(count: number, given: WorkerCommand): Promise<Workers> {
  const stopping = new AbortController()
  const running = new Map<number, Worker>()
  const start = (number: number): Worker => {
    const worker = spawnWorker(given, number)
    running.set(number, worker)
    return worker
  }
  /** Waits for a worker to end, and starts it again. */
  const keep = async (number: number, first: Worker): Promise<void> => {
    let [worker, began, wait] = [first, performance.now(), FIRST_WAIT_MS]
    for (;;) {
      await worker.child.exited
      if (stopping.signal.aborted) return
      if (performance.now() - began > STEADY_MS) wait = FIRST_WAIT_MS
      const { exitCode, signalCode } = worker.child
      given.tell({ worker: number, code: exitCode, signal: signalCode, restart_ms: wait })
      await pause(wait, stopping.signal)
      if (stopping.signal.aborted) return
      ;[worker, began, wait] = [start(number), performance.now(), Math.min(2 * wait, LONGEST_WAIT_MS)]
    }
  }
  const numbers = Array.from({ length: count }, (_, i) => i + 1)
  const first = numbers.map(start)
  const areReady = await Promise.all(first.map(({ ready }) => ready))
  if (areReady.includes(false)) {
    await stopAll([...running.values()])
    throw new ConfigFault('a worker could not start: standard error has its reason')
  }
  const kept = first.map((worker, i) => keep(i + 1, worker))
  return {
    measurements: async () =>
      (
        await Promise.all(
          [...running].map(async ([worker, { child, answers }]) => {
            const families = await measured(child, answers)
            return families ? [{ worker, families }] : []
          }),
        )
      ).flat(),
    async stop() {
      stopping.abort()
      await stopAll([...running.values()])
      await Promise.all(kept)
    },
  }
}

function spawnWorker({ command, environment }: WorkerCommand, number: number): Worker {
  const { promise: ready, resolve } = Promise.withResolvers<boolean>()
  const answers: Worker['answers'] = new Set()
  const child = Bun.spawn(command(number), {
    env: environment,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc(message: WorkerMessage) {
      if (message === 'ready') resolve(true)
      else for (const answer of answers) answer(message.families)
    },
    onExit: () => resolve(false),
  })
  return { child, ready, answers }
}

/** What a worker tells its parent: that it listens, and what it has measured when it was asked. */
export type WorkerMessage = 'ready' | { families: Family[] }
export const MEASURE = 'measure'
/** Prometheus waits for ten seconds. */
const MEASURE_MS = 5_000

async function measured(child: Worker['child'], answers: Worker['answers']): Promise<Family[] | undefined> {
  if (child.exitCode !== null) return undefined
  const { promise, resolve } = Promise.withResolvers<Family[] | undefined>()
  const timer = setTimeout(() => resolve(undefined), MEASURE_MS)
  answers.add(resolve)
  try {
    child.send(MEASURE)
    return await promise
  } finally {
    answers.delete(resolve)
    clearTimeout(timer)
  }
}

async function stopAll(workers: readonly Worker[]): Promise<void> {
  for (const { child } of workers) child.kill('SIGTERM')
  const timer = setTimeout(() => {
    for (const { child } of workers) child.kill('SIGKILL')
  }, STOP_MS)
  await Promise.all(workers.map(({ child }) => child.exited))
  clearTimeout(timer)
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

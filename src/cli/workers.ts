import { ConfigFault } from '../config.ts'

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
    async stop() {
      stopping.abort()
      await stopAll([...running.values()])
      await Promise.all(kept)
    },
  }
}

function spawnWorker({ command, environment }: WorkerCommand, number: number): Worker {
  const { promise: ready, resolve } = Promise.withResolvers<boolean>()
  const child = Bun.spawn(command(number), {
    env: environment,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (message) => resolve(message === 'ready'),
    onExit: () => resolve(false),
  })
  return { child, ready }
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

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type BudgetPart, NOTHING_KEPT, overBudget } from '../ingest/budget.ts'
import { Problem } from '../problem.ts'
import { openStore } from './command.ts'

/** The first argument of the process that reads the files. The second is its folder for temporary files. */
export const AS_CHILD = '--as-child'
const LOOK_MS = 100
/** Compression and the garbage collector have their own threads, so processor time may run faster than the clock. */
const THREADS = 4
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
type Signal = (typeof SIGNALS)[number]

/** The message of the child when its release is staged. From then on no budget applies, because everything is on disk. */
export interface StagedNews {
  staged: string
}

interface StopReason {
  budget?: BudgetPart
  signal?: Signal
}

/**
 * Runs `atr load` in a separate process, and watches its time and memory, so that a file that makes a reader loop or grow
 * cannot block the machine. However the process ends, its remains are removed: the folder for temporary files here, and the
 * unfinished release by the store when it is opened.
 */
export async function loadInChild(args: readonly string[], config: Config): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'atr-load-'))
  const stop: StopReason = {}
  let staged: string | undefined
  let watch: Disposable | undefined
  const child = Bun.spawn(command([scratch, ...args], config), {
    env: { ...process.env, TMPDIR: scratch },
    stdin: 'inherit',
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (news: StagedNews) => {
      staged = news.staged
      watch?.[Symbol.dispose]()
    },
  })
  // Stopping the process is like a crash, which every step of a load and of a publication allows for.
  const end = (why: StopReason): void => {
    Object.assign(stop, why)
    child.kill('SIGKILL')
  }
  const onSignal = (signal: Signal): void => end({ signal })
  for (const signal of SIGNALS) process.on(signal, onSignal)
  watch = watchBudget(child.pid, config, (budget) => end({ budget }))
  try {
    await child.exited
    if (child.signalCode === null) return child.exitCode ?? 0
    // Opening the store removes the unfinished release.
    await openStore(config, { takesOlder: true }).then(({ db }) => db.close())
    if (stop.signal) return tellInterrupted(stop.signal, remainsText(staged), args.includes('--json'))
    throw stopProblem(stop, child.signalCode, config, staged)
  } finally {
    watch[Symbol.dispose]()
    for (const signal of SIGNALS) process.off(signal, onSignal)
    rmSync(scratch, { recursive: true, force: true })
  }
}

/**
 * Makes the child end with its parent, and leave Ctrl-C to it. Returns a function that reports a staged release to the
 * parent. If the parent is gone, the child removes its own folder for temporary files and no other.
 */
export function asChild(scratch: string): { tell: (news: StagedNews) => void; end: () => void } {
  const orphaned = (): void => {
    rmSync(scratch, { recursive: true, force: true })
    process.exit(128 + constants.signals.SIGKILL)
  }
  process.on('SIGINT', () => undefined) // a terminal sends it to both processes
  process.on('disconnect', orphaned)
  return {
    tell: (news) => process.send?.(news),
    end: () => {
      process.off('disconnect', orphaned)
      process.disconnect?.()
    },
  }
}

/** The command of the child. The kernel limits its processor time too, which ends a child that loops without a parent. */
function command(args: readonly string[], { LOAD_SECONDS }: Config): string[] {
  const load = [process.execPath, ...process.execArgv, process.argv[1] as string, 'load', AS_CHILD, ...args]
  if (process.platform === 'win32') return load
  return ['/bin/sh', '-c', 'ulimit -S -t "$0" 2>/dev/null; exec "$@"', String(LOAD_SECONDS * THREADS), ...load]
}

function watchBudget(pid: number, config: Config, stop: (part: BudgetPart) => void): Disposable {
  const { LOAD_SECONDS, LOAD_MEMORY_BYTES } = config
  const clock = setTimeout(() => stop('seconds'), LOAD_SECONDS * 1000)
  const memory = setInterval(() => {
    if (memoryOf(pid) > LOAD_MEMORY_BYTES) stop('memory_bytes')
  }, LOOK_MS)
  return {
    [Symbol.dispose]() {
      clearTimeout(clock)
      clearInterval(memory)
    },
  }
}

/** The memory of a process, except mapped files, which the kernel can drop. Only on Linux; elsewhere there is no limit. */
function memoryOf(pid: number): number {
  try {
    return 1024 * Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const remainsText = (staged: string | undefined): string =>
  staged === undefined ? NOTHING_KEPT : `${staged} was loaded before that: see \`atr release list\``

/** Prints that a signal ended the load, and returns the exit code for that. */
function tellInterrupted(signal: Signal, remains: string, asJson: boolean): number {
  const message = `the load was stopped by ${signal}; ${remains}`
  console.error(asJson ? JSON.stringify({ error: { code: 'interrupted', message } }) : `atr: ${message}`)
  return 128 + constants.signals[signal]
}

function stopProblem(
  { budget }: StopReason,
  ended: string | number,
  config: Config,
  staged: string | undefined,
): Problem {
  const { LOAD_SECONDS: seconds, LOAD_MEMORY_BYTES: memory_bytes } = config
  if (budget === 'seconds' || budget === 'memory_bytes') return overBudget(budget, { seconds, memory_bytes }[budget])
  if (ended === 'SIGXCPU') return overBudget('seconds', seconds)
  return new Problem(
    'load_stopped',
    `the process that read the files was ended by ${ended}, as the system does when memory runs out; ${remainsText(staged)}`,
  )
}

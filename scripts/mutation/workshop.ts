// Starts the processes that try mutants, one after the other, and goes on where one of them ended early.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutants } from './mutants.ts'
import type { Order, Report } from './order.ts'

const ROOT = join(import.meta.dir, '..', '..')
const BUN = join(ROOT, 'node_modules/.bin/bun')
/** How long a process may say nothing before it is taken for endless. */
const QUIET_MS = 150_000

export interface Verdict {
  /** The test that noticed; undefined when none did. */
  by: string | undefined
  isEndless: boolean
}

export interface Coverage {
  ms: Record<string, number>
  /** Tests that reach a mutant, the quickest first. */
  testsOf: (id: number) => string[]
  /** Mutants that are reached while the code is loaded. */
  loaded: Set<number>
}

type Attempt = Order['attempts'][number]

const fileOf = (test: string): string => test.slice(0, test.indexOf(': '))

export class Workshop {
  readonly #folder = mkdtempSync(join(tmpdir(), 'atr-mutants-'))
  readonly #mutants: Mutants

  constructor(mutants: Mutants) {
    this.#mutants = mutants
    writeFileSync(join(this.#folder, 'mutants.json'), JSON.stringify(mutants))
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async cover(files: readonly string[]): Promise<Coverage> {
    const reports = await this.#run({ files, isCover: true })
    if (reports.at(-1)?.kind !== 'done') throw new Error(`the tests do not come to their end: ${this.#said()}`)
    const tests = reports.filter((report) => report.kind === 'test')
    for (const { name, failure } of tests) if (failure) console.log(`left out, it fails by itself: ${name}: ${failure}`)
    const sound = tests.filter(({ failure }) => failure === undefined).sort((a, b) => a.ms - b.ms)
    const byMutant = new Map<number, string[]>()
    for (const { name, reached } of sound)
      for (const id of reached) byMutant.set(id, [...(byMutant.get(id) ?? []), name])
    return {
      ms: Object.fromEntries(sound.map(({ name, ms }) => [name, ms])),
      testsOf: (id) => byMutant.get(id) ?? [],
      loaded: new Set(reports.flatMap((report) => (report.kind === 'loaded' ? report.reached : []))),
    }
  }

  /** Tries mutants in as few processes as it can. */
  async tryAll(
    attempts: readonly Attempt[],
    ms: Record<string, number>,
    verdicts: Map<number, Verdict>,
  ): Promise<void> {
    let rest = attempts
    while (rest.length > 0) {
      const files = [...new Set(rest.flatMap(({ names }) => names.map(fileOf)))]
      const reports = await this.#run({ files, attempts: rest, ms })
      this.#note(reports, verdicts)
      const next = rest.filter(({ id }) => !verdicts.has(id))
      // A first mutant that was unclear in a fresh process has made a test fail that passes without it.
      const [first] = rest
      if (next.length === rest.length && first) verdicts.set(first.id, { by: 'the process', isEndless: false })
      rest = next.filter(({ id }) => !verdicts.has(id))
    }
  }

  /** Tries one mutant that is there from the start. */
  async tryAlone({ id, names }: Attempt, ms: Record<string, number>, verdicts: Map<number, Verdict>): Promise<void> {
    const files = [...new Set(names.map(fileOf))]
    const reports = await this.#run({ files, attempts: [{ id, names }], ms, isAlone: true }, id)
    verdicts.delete(id)
    this.#note(reports, verdicts)
    if (!verdicts.has(id)) verdicts.set(id, { by: 'loading', isEndless: false })
  }

  #note(reports: readonly Report[], verdicts: Map<number, Verdict>): void {
    let begun: number | undefined
    for (const report of reports) {
      if (report.kind === 'begun') begun = report.id
      else begun = undefined
      if (report.kind === 'killed') verdicts.set(report.id, { by: report.by, isEndless: report.isEndless })
      if (report.kind === 'survived') verdicts.set(report.id, { by: undefined, isEndless: false })
    }
    // The process ended while it was busy with this one.
    if (begun !== undefined) verdicts.set(begun, { by: 'the process', isEndless: true })
  }

  async #run(order: Partial<Order> & Pick<Order, 'files'>, mutant = -1): Promise<Report[]> {
    const path = (name: string): string => join(this.#folder, name)
    const reports = path('reports')
    rmSync(reports, { force: true })
    const whole: Order = {
      reports,
      count: this.#mutants.mutants.length,
      isCover: false,
      isAlone: false,
      attempts: [],
      ms: {},
      ...order,
    }
    writeFileSync(path('order.json'), JSON.stringify(whole))
    const args = ['test', '--timeout=86400000', '--preload', './scripts/mutation/preload.ts']
    const child = spawn(BUN, [...args, './scripts/mutation/attempts.ts'], {
      cwd: ROOT,
      env: {
        ...process.env,
        ATR_MUTANTS: path('mutants.json'),
        ATR_ORDER: path('order.json'),
        ATR_MUTANT: String(mutant),
      },
      stdio: ['ignore', 'ignore', openSync(path('said'), 'w')],
    })
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    let [length, since] = [0, Date.now()]
    const watch = setInterval(() => {
      const now = existsSync(reports) ? Bun.file(reports).size : 0
      if (now !== length) [length, since] = [now, Date.now()]
      if (Date.now() - since > QUIET_MS) child.kill('SIGKILL')
    }, 1_000)
    await ended
    clearInterval(watch)
    if (!existsSync(reports)) return []
    return readFileSync(reports, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Report)
  }

  #said(): string {
    return existsSync(join(this.#folder, 'said')) ? readFileSync(join(this.#folder, 'said'), 'utf8').slice(-2_000) : ''
  }
}

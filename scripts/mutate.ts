// Makes one small change of the code at a time and runs the tests that reach it: a change that no test notices is a rule
// that no test checks. `bun scripts/mutate.ts limiter|rails|rule|proof... [--file <pattern of names>] [--each N]`.
// --each N tries at most N changes of a file, always the same ones; 0 is all. --seconds S ends the search for a test
// after those that take S seconds of processor time together; 0 is never. --again tries only what survived before, after
// tests were added; with --tests <pattern of names> only by these tests. Without --file, the list of survivors in docs/mutation-survivors.md is written anew for these parts.

import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutant, mutantsOf } from './mutation/mutants.ts'
import { codeOf, PARTS, type Part, testsOf } from './mutation/parts.ts'
import { hadSurvivedIn, type PartResult, writeSurvivors } from './mutation/survivors.ts'
import { type Verdict, Workshop } from './mutation/workshop.ts'

const ROOT = join(import.meta.dir, '..')

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    file: { type: 'string' },
    each: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '2' },
    again: { type: 'boolean', default: false },
    tests: { type: 'string', default: '' },
  },
})
const each = Number(values.each) || Number.POSITIVE_INFINITY
const mostMs = 1_000 * (Number(values.seconds) || Number.POSITIVE_INFINITY)

/** At most `each` of every file: those whose digests are smallest, so that a change elsewhere in a file changes little. */
function sampleOf(mutants: readonly Mutant[]): Mutant[] {
  const digest = ({ file, code, was, now }: Mutant): bigint => Bun.hash.wyhash([file, code, was, now].join('\n'), 1n)
  const byFile = Map.groupBy(mutants, ({ file }) => file)
  return [...byFile.values()].flatMap((those) =>
    those
      .map((mutant) => ({ mutant, at: digest(mutant) }))
      .sort((a, b) => (a.at < b.at ? -1 : 1))
      .slice(0, each)
      .map(({ mutant }) => mutant)
      .sort((a, b) => a.id - b.id),
  )
}

/** The tests beside the file come first, then the quickest, as long as there is time. */
function inOrder(file: string, names: readonly string[], ms: Record<string, number>): string[] {
  const beside = file.replace(/\.ts$/, '.test.ts')
  const rank = (name: string): number => (name.startsWith(`${beside}: `) ? 0 : 1e6) + (ms[name] ?? 0)
  let left = mostMs
  return [...new Set(names)]
    .sort((a, b) => rank(a) - rank(b))
    .filter((name) => {
      const fits = (ms[name] ?? 0) <= left
      if (fits) left -= ms[name] ?? 0
      return fits
    })
}

async function resultOf(part: Part): Promise<PartResult> {
  const isChosen = (file: string): boolean => values.file === undefined || new RegExp(values.file).test(file)
  const all = await mutantsOf(ROOT, codeOf(ROOT, part).filter(isChosen))
  const sample = sampleOf(all.mutants)
  const chosen = values.again ? sample.filter(hadSurvivedIn(ROOT)) : sample
  using workshop = new Workshop(all)
  const {
    ms,
    testsOf: reaching,
    loaded,
  } = await workshop.cover(testsOf(ROOT, part).filter((file) => new RegExp(values.tests).test(file)))
  const verdicts = new Map<number, Verdict>()
  const attempts = chosen
    .map(({ id, file }) => ({ id, names: inOrder(file, reaching(id), ms) }))
    .filter(({ names }) => names.length > 0)
  await workshop.tryAll(attempts, ms, verdicts)
  // What happens while the code is loaded cannot be switched later: what is not noticed in tests that load it again gets a
  // process of its own.
  for (const { id, file } of chosen) {
    if (!loaded.has(id) || verdicts.get(id)?.by !== undefined) continue
    const inFile = all.mutants.filter((each) => each.file === file).flatMap((each) => reaching(each.id))
    // A constant is used by code of other files, which the tests in the same folder are about.
    const near = Object.keys(ms).filter((name) => name.startsWith(`${dirname(file)}/`))
    await workshop.tryAlone({ id, names: inOrder(file, [...reaching(id), ...inFile, ...near], ms) }, ms, verdicts)
  }
  const survivors = chosen.filter(({ id }) => verdicts.get(id)?.by === undefined)
  const endless = [...verdicts.values()].filter(({ isEndless }) => isEndless).length
  return { tried: sample.length, all: all.mutants.length, endless, survivors, isReached: ({ id }) => verdicts.has(id) }
}

const told = ({ file, line, was, now }: Mutant): string =>
  `${file}:${line}: ${was} -> ${now === '' ? 'left out' : now}`.replaceAll(/\s+/g, ' ')

for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
  const part = PARTS[name]
  if (!part) throw new Error(`name a part: ${Object.keys(PARTS).join(', ')}`)
  const result = await resultOf(part)
  const { tried, all, endless, survivors, isReached } = result
  for (const mutant of survivors) console.log(`${isReached(mutant) ? 'survived' : 'no test'}: ${told(mutant)}`)
  const killed = tried - survivors.length
  const percent = (Math.floor((1000 * killed) / tried) / 10).toFixed(1)
  const which = tried < all ? `, a sample of ${all}: at most ${each} of each file` : ''
  const figure = `${killed} of ${tried} changes are noticed, ${percent} %${which}.`
  console.log(`${name}: ${figure} Because a test did not end: ${endless}.`)
  if (values.file === undefined) writeSurvivors(ROOT, name, figure, survivors)
}

// The cost of checking an answer to its question, with the verifier as the package publishes it.

import { join } from 'node:path'
import { answerOfPage, findChromium, whyNoChromium } from '../test/support/browser.ts'
import { type Line, median, ms, notMeasured, outputOf, perSecond } from './measure.ts'
import { type Kind, parametersOf } from './questions.ts'
import type { Service } from './service.ts'

const ROOT = join(import.meta.dir, '..')
const ANSWERS = 200
const SECONDS = 2
const ROUNDS = 3

interface Verifier {
  parsePolicy: (text: string) => object | undefined
  verifyBody: (text: string, policy: object, asked: { question: object }) => Promise<{ ok: boolean; reason?: string }>
}

export async function checking({ url }: Service, kind: Kind): Promise<Line[]> {
  await outputOf(['npm', 'run', '-s', 'build', '--prefix', ROOT])
  const policy = await (await fetch(`${url}/log/policy`)).text()
  const given = await Promise.all(
    kind.asks(0, ANSWERS).map(async (ask) => ({
      question: parametersOf(ask),
      text: await (await fetch(url + ask.path)).text(),
    })),
  )
  const { parsePolicy, verifyBody } = (await import(join(ROOT, 'dist/verify.js'))) as Verifier
  const pinned = parsePolicy(policy)
  if (!pinned) throw new Error('the policy of the service cannot be read')
  const rates: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const began = performance.now()
    let checked = 0
    for (; performance.now() - began < SECONDS * 1_000; checked++) {
      const { question, text } = given[checked % ANSWERS] as (typeof given)[number]
      const verdict = await verifyBody(text, pinned, { question })
      if (!verdict.ok) throw new Error(`an answer does not verify: ${verdict.reason}`)
    }
    // The first round warms.
    if (round > 0) rates.push(checked / ((performance.now() - began) / 1_000))
  }
  const rate = median(rates)
  const inBun: Line = {
    what: 'check of one answer, Bun',
    floor: '2,000/s',
    figure: perSecond(rate),
    isMet: rate >= 2_000,
  }
  return [inBun, ...(await inChromium(given, policy)), await inPython(given, policy)]
}

async function inPython(answers: readonly { question: object; text: string }[], policy: string): Promise<Line> {
  const [what, floor] = ['check of one answer, Python', '20 ms']
  if (!Bun.which('python3')) return notMeasured(what, floor, 'there is no python3')
  const child = Bun.spawn(['python3', join(import.meta.dir, 'check.py')], {
    stdin: new Blob([JSON.stringify({ policy, answers: answers.slice(0, 50) })]),
    env: { ...process.env, PYTHONPATH: join(ROOT, 'python') },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const taken = Number(await new Response(child.stdout).text())
  if ((await child.exited) !== 0) throw new Error('the check in Python failed')
  return { what, floor, figure: ms(taken), isMet: taken <= 20 }
}

async function inChromium(given: readonly { question: object; text: string }[], policy: string): Promise<Line[]> {
  const [later, first] = ['check of one answer, Chromium', 'check of one answer, Chromium, with loading']
  const chromium = findChromium()
  const reason = whyNoChromium(chromium)
  if (chromium === undefined)
    return [notMeasured(later, '5 ms', reason ?? ''), notMeasured(first, '60 ms', reason ?? '')]
  const module = `
    const given = ${JSON.stringify(given)}, policy = ${JSON.stringify(policy)}
    const timed = async ({ question, text }) => {
      const began = performance.now()
      const { parsePolicy, verifyBody } = await import('./verify.js')
      const verdict = await verifyBody(text, parsePolicy(policy), { question })
      if (!verdict.ok) throw new Error(verdict.reason)
      return performance.now() - began
    }
    export default async function () {
      const first = await timed(given[0])
      const later = []
      for (const each of given) later.push(await timed(each))
      return { first, later }
    }`
  const files = { 'verify.js': await Bun.file(join(ROOT, 'dist/verify.js')).text() }
  const runs: { first: number; later: number[] }[] = []
  for (let round = 0; round < ROUNDS; round++) runs.push(await answerOfPage(chromium, files, module))
  const [wait, loading] = [median(runs.map(({ later }) => median(later))), median(runs.map((run) => run.first))]
  return [
    { what: later, floor: '5 ms', figure: ms(wait), isMet: wait <= 5 },
    { what: first, floor: '60 ms', figure: ms(loading), isMet: loading <= 60 },
  ]
}

// The verifier twice: in TypeScript, and in Python as it was written from docs/spec alone. In TypeScript the small verifier of lookups is
// asked as well, wherever it has a say.

import { join } from 'node:path'
import { canonical } from '../../src/proof/canonical-json.ts'
import { verifyBody as verifyLookup } from '../../src/proof/verify.ts'
import { type Inquiry, parsePolicy, verifyBody } from '../../src/proof/verify-lists.ts'
import { findProgram } from '../support/program.ts'
import { isSkipped } from '../support/skipping.ts'

const PACKAGE = join(import.meta.dir, '../../python')

/** A line for a judge. */
export interface Case {
  text: string
  policy: string
  /** Left out if any question will do. */
  asked?: object
  not_before?: string
  not_after?: string
}
/** The verdict as a text, so that any two can be compared: whether it is accepted, and the class of the refusal. */
export type Outcome = string
export const JUDGES = ['TypeScript', 'Python'] as const
/** What each of the judges says, in their order. */
export type Outcomes = [Outcome, Outcome]

const outcomeOf = (verdict: { ok: boolean; class?: unknown }): Outcome =>
  canonical(verdict.ok ? { ok: true } : { ok: false, class: verdict.class ?? null })

/** A fault is an outcome too: the other judge must not have it. */
async function inTypeScript({ text, policy: pinned, asked, not_before, not_after }: Case): Promise<Outcome> {
  try {
    const policy = parsePolicy(pinned)
    if (!policy) return outcomeOf({ ok: false, class: 'malformed' })
    const inquiry = (asked ?? { anyQuestion: true }) as Inquiry
    const ages = {
      ...(not_before === undefined ? {} : { notBefore: not_before }),
      ...(not_after === undefined ? {} : { notAfter: not_after }),
    }
    const outcome = outcomeOf(await verifyBody(text, policy, inquiry, ages))
    if (!('question' in inquiry)) return outcome
    const small = outcomeOf(await verifyLookup(text, policy, inquiry, ages))
    return small === outcome ? outcome : canonical({ fault: `the verifier of lookups says ${small}` })
  } catch (error) {
    return canonical({ fault: String(error) })
  }
}

const python = findProgram(['python3'], ['python3'])

/** Why Python cannot judge here; undefined if it can. */
async function whyNoPython(): Promise<string | undefined> {
  if (!python) return 'there is no Python here and none can be installed'
  const judge = new Python()
  try {
    const [said] = await judge.ask([{ text: '{', policy: '' }])
    return said === outcomeOf({ ok: false, class: 'malformed' }) ? undefined : `its package says ${said}`
  } catch {
    return 'its package takes no --stdin'
  } finally {
    await judge.close()
  }
}

/** A process that answers each line with one. */
class Python {
  readonly #process = Bun.spawn([python ?? '', '-m', 'agent_trust_registry', '--stdin'], {
    cwd: PACKAGE,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  readonly #lines = linesOf(this.#process.stdout)

  async ask(cases: readonly Case[]): Promise<Outcome[]> {
    const { stdin } = this.#process
    const written = (async () => {
      for (const one of cases) {
        stdin.write(`${JSON.stringify(one)}\n`)
        await stdin.flush()
      }
    })()
    const outcomes: Outcome[] = []
    while (outcomes.length < cases.length) {
      const { value, done } = await this.#lines.next()
      if (done) throw new Error('a judge has gone away')
      outcomes.push(outcomeOf(JSON.parse(value)))
    }
    await written
    return outcomes
  }

  async close(): Promise<void> {
    await Promise.resolve(this.#process.stdin.end()).catch(() => undefined)
    await this.#process.exited
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() as string
    yield* lines
  }
}

export const isPythonMissing = isSkipped('the verifier in Python', await whyNoPython())

export class Judges {
  readonly #python = new Python()

  async ask(cases: readonly Case[]): Promise<Outcomes[]> {
    const inPython = this.#python.ask(cases)
    const own: Outcome[] = []
    for (const one of cases) own.push(await inTypeScript(one))
    const others = await inPython
    return own.map((outcome, i) => [outcome, others[i] as Outcome])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#python.close()
  }
}

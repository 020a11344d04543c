// The same verifier three times: in Bun, in Node as it is built for others, and in Go as someone else wrote it. In Node the
// small verifier of lookups is asked as well, wherever it has a say. Each is
// asked about a case and says what it makes of it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { browserModule, build, MODULES } from '../../scripts/build.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import * as changes from '../../src/proof/changes.ts'
import * as growth from '../../src/proof/growth.ts'
import * as derivation from '../../src/proof/price/derivation.ts'
import * as verify from '../../src/proof/verify-lists.ts'
import { buildGoVerifier } from '../support/go-verifier.ts'
import { judge, type Vector } from '../support/vector.ts'
import { copyOf } from './lie-world.ts'

/** A vector without what is expected of it. */
export type Case = Record<string, unknown> & { kind: Vector['kind'] }
/** As a text, so that any two can be compared. */
export type Outcome = string

/** Which item of a list it was is not compared. */
const outcomeText = (outcome: object): Outcome => canonical({ ...copyOf(outcome), at: 0 })

/** A fault is an outcome too: the others must not have it, and nobody may have it alone. */
async function inBun(one: Case): Promise<Outcome> {
  try {
    return outcomeText(await judge({ ...verify, ...growth, ...changes, ...derivation }, one as unknown as Vector))
  } catch (error) {
    return outcomeText({ fault: String(error) })
  }
}

const NODE = `
${MODULES.map((name, i) => `import * as part${i} from './${name}.js'`).join('\n')}
import { judge } from './judge.js'
const verifier = { ${MODULES.map((_, i) => `...part${i}`).join(', ')} }
const lookups = { ...verifier, ...part${MODULES.indexOf('verify')} }
async function inBoth(one) {
  const outcome = await judge(verifier, one)
  if (one.kind === 'body' && !one.asked?.question) return outcome
  const small = await judge(lookups, one)
  // It says nothing of what lists have.
  const told = ({ entries, refused, page, ...rest }) => JSON.stringify(rest)
  return told(small) === told(outcome) ? outcome : { fault: 'the verifier of lookups says ' + JSON.stringify(small) }
}
let rest = ''
for await (const chunk of process.stdin.setEncoding('utf8')) {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const outcome = await inBoth(JSON.parse(line)).catch((error) => ({ fault: String(error) }))
    process.stdout.write(JSON.stringify(outcome) + '\\n')
  }
}`

/** A process that answers each line with one. */
class Child {
  readonly #process: Bun.Subprocess<'pipe', 'pipe', 'inherit'>
  readonly #lines: AsyncIterator<string>

  constructor(command: string[], cwd: string) {
    this.#process = Bun.spawn(command, { cwd, stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
    this.#lines = linesOf(this.#process.stdout)
  }

  async ask(lines: readonly string[]): Promise<Outcome[]> {
    const { stdin } = this.#process
    const written = (async () => {
      for (const line of lines) {
        stdin.write(`${line}\n`)
        await stdin.flush()
      }
    })()
    const outcomes: Outcome[] = []
    while (outcomes.length < lines.length) {
      const { value, done } = await this.#lines.next()
      if (done) throw new Error('a judge has gone away')
      outcomes.push(outcomeText(JSON.parse(value)))
    }
    await written
    return outcomes
  }

  async close(): Promise<void> {
    this.#process.stdin.end()
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

export const JUDGES = ['Bun', 'Node', 'Go'] as const

/** What each of the judges says, in their order. */
export type Outcomes = [Outcome, Outcome, Outcome]

export class Judges {
  private constructor(
    readonly folder: string,
    readonly node: Child,
    readonly go: Child,
  ) {}

  static async start(): Promise<Judges> {
    const folder = mkdtempSync(join(tmpdir(), 'judges-'))
    await build(folder)
    writeFileSync(join(folder, 'judge.js'), await browserModule(join(import.meta.dir, '../support/vector.ts')))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'run.js'), NODE)
    const go = await buildGoVerifier(folder)
    return new Judges(folder, new Child(['node', 'run.js'], folder), new Child([go, 'judge'], folder))
  }

  async ask(cases: readonly Case[]): Promise<Outcomes[]> {
    const lines = cases.map((one) => JSON.stringify(one))
    const [node, go] = [this.node.ask(lines), this.go.ask(lines)]
    const bun: Outcome[] = []
    for (const one of cases) bun.push(await inBun(one))
    const [inNode, inGo] = [await node, await go]
    return bun.map((outcome, i) => [outcome, inNode[i] as Outcome, inGo[i] as Outcome])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.node.close(), this.go.close()])
    rmSync(this.folder, { recursive: true })
  }
}

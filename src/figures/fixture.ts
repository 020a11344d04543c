// Builders for the tests of this folder. Cases are invented.

import { join } from 'node:path'
import { type Engine, testStore } from '../../test/support/engines.ts'
import { CheckpointLock } from '../integrity/checkpoint-lock.ts'
import { Log } from '../integrity/log.ts'
import { generateLogKey, parseLogKey } from '../integrity/log-key.ts'
import { noWitnesses } from '../integrity/publication.ts'
import type { Operation } from '../operation.ts'
import { utf8 } from '../proof/bytes.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from '../proof/note/policy.ts'
import type { NoteSigner } from '../proof/note/signed-note.ts'
import { FiguresBody } from './answers.ts'
import { publishedFigures } from './facts.ts'
import { importOutcomes } from './ledger/ledger.ts'
import { COLUMNS, WITH_PERSONS } from './ledger/outcome.ts'
import { figuresOperations } from './operations.ts'
import type { OutcomeCell } from './rule/tally.ts'
import { beginFigures } from './state.ts'
import { systemDice } from './window/dice.ts'

export const HEADER = COLUMNS.join(',')
export const PEPPER = new Uint8Array(32).fill(7)
export const NPI = '1234567893'
export const OTHER_NPI = '1999999992'
export const START = Date.parse('2026-11-03T00:00:00Z')

let lastCase = 0
const nextCaseRef = (): string => `c0ffee00-0000-4000-8000-${String(++lastCase).padStart(12, '0')}`

/** One line of an outcomes file: a settlement of $1,000 unless the test says otherwise. */
export const aCase = (given: Partial<Record<(typeof COLUMNS)[number], string>> = {}): string => {
  const usual: Record<(typeof COLUMNS)[number], string> = {
    case_ref: nextCaseRef(),
    outcome_year: '2026',
    state: 'CA',
    npi: '',
    closed: '1',
    settled: '1',
    recurring: '0',
    certified_mail: '0',
    recovered: '1000.00',
  }
  return COLUMNS.map((column) => given[column] ?? usual[column]).join(',')
}

export const cases = (n: number, given: Parameters<typeof aCase>[0] = {}): string[] =>
  Array.from({ length: n }, () => aCase(given))

/** A hundred settlements that every rule lets through: half won, half recurring, half by certified mail. */
export const aSoundLedger = (given: Parameters<typeof aCase>[0] = {}): string[] => [
  ...cases(50, { recurring: '1', certified_mail: '1', recovered: '400', ...given }),
  ...cases(50, given),
]

/** Streams the bytes of a text in small pieces, which break lines and characters apart. */
export async function* streamOf(text: string, chunk = 37): AsyncGenerator<Uint8Array> {
  const bytes = utf8(text)
  for (let start = 0; start < bytes.length; start += chunk) yield bytes.slice(start, start + chunk)
}

export const fileOf = (lines: readonly string[]): AsyncGenerator<Uint8Array> =>
  streamOf(`${[HEADER, ...lines].join('\n')}\n`)

export const aCell = (given: Partial<OutcomeCell> = {}): OutcomeCell => ({
  closed: 1,
  settled: 1,
  recurring: 0,
  certified_mail: 0,
  recovered_50: 20,
  cases: 1,
  ...given,
})

/** A store with an empty ledger and a new figures log of one state, on a clock that the test moves. */
export async function openFigures(engine?: Engine) {
  const store = await testStore(engine)
  const { db, folder } = store
  const signer = parseLogKey(generateLogKey('registry.test/log/figures')) as NoteSigner
  const log = new Log({
    name: 'figures',
    keys: () => ({ signers: [signer], retired: [] }),
    lock: new CheckpointLock(join(folder, 'lock')),
  })
  const clock = { at: START }
  const parts = { db, log, now: () => clock.at, cosign: noWitnesses, dice: systemDice() }
  await db.transaction((tx) => log.create(tx, clock.at))
  await beginFigures(parts, clock.at)
  const operations = figuresOperations({ ...parts, published: publishedFigures(parts) })
  /** Runs an operation as every surface does: parsed input, checked output. */
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
    const op = operations.find((found) => found.name === name) as Operation
    return op.output.parse(await op.run(op.input.parse(input), {})) as Record<string, unknown>
  }
  return {
    ...parts,
    parts,
    /** For releases under rule 1. */
    exact: { ...parts, exact: true },
    clock,
    operations,
    policy: parsePolicy(formatPolicy([signer])) as TrustPolicy,
    call,
    /** The answer about the figures without its proof. */
    async shown(): Promise<Omit<FiguresBody, 'proof'>> {
      const { proof: _, ...body } = FiguresBody.parse(await call('get_figures'))
      return body
    },
    import: (lines: readonly string[], data_class: 'published' | 'sample' = 'published') =>
      importOutcomes(db, fileOf(lines), { now: parts.now, data_class }),
    /** Imports lines with the token of a person for each line. */
    importPersons: (lines: readonly string[], tokens: readonly string[]) =>
      importOutcomes(
        db,
        streamOf(`${[WITH_PERSONS.join(','), ...lines.map((line, i) => `${line},${tokens[i]}`)].join('\n')}\n`),
        { now: parts.now, pepper: PEPPER },
      ),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

/** Returns the error of a promise that rejects. Fails the test if it does not reject. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('expected a refusal')
}

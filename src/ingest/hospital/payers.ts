import { unreadable } from '../../files/unreadable.ts'
import { toHex } from '../../proof/bytes.ts'
import { sha256 } from '../../proof/sha256.ts'
import { KIND_WORDS, PAYER_ENTRIES, type PayerEntry, type PlanKind } from '../../tables/payers.ts'
import { hasWords, MOST_CHARACTERS, type PayerName, payerName } from './payer-name.ts'

/** The one for Blue Cross without a licensee: the name of the plan may say which one it is. */
const UNNAMED_LICENSEE = 'bcbs'
const LICENSEES = /^(bcbs-|anthem$|premera$|regence$|florida-blue$|blue-shield-|highmark$)/
/** Plans are named after the public programs in whose place they are: such a word in the name of a plan says nothing of the payer. */
const PROGRAMS = ['medicare', 'medicaid']
/** What an id of an unknown payer begins with. Digits of its digest follow. */
export const UNKNOWN = 'other-'
const DIGEST_DIGITS = 8
/** Real files name a few hundred payers and plans. */
const MOST_PAIRS = 20_000

/**
 * The payers of a file, by numbers. A name becomes an id, `aetna/commercial`: the payer by the table, and the kind of plan if the names
 * say it. What no entry knows is named after the digest of its name, the same in every file.
 */
export class PayerBook {
  readonly #ids: string[] = []
  readonly #numbers = new Map<string, number>()
  readonly #pairs = new Map<string, number>()
  /** How many rates were read. */
  rates = 0

  /** The number of a payer and plan, as cells have them. */
  numberOf(payer: string, plan: string): number {
    const pair = `${payer.slice(0, MOST_CHARACTERS)}\u0000${plan.slice(0, MOST_CHARACTERS)}`
    const known = this.#pairs.get(pair)
    if (known !== undefined) return known
    if (this.#pairs.size === MOST_PAIRS) throw unreadable('the file has too many different payers and plans')
    const number = this.numberOfId(payerIdOf(payer, plan))
    this.#pairs.set(pair, number)
    return number
  }

  numberOfId(id: string): number {
    const number = this.#numbers.get(id) ?? this.#ids.length
    if (number === this.#ids.length) this.#ids.push(id)
    this.#numbers.set(id, number)
    return number
  }

  idOf(number: number): string {
    return this.#ids[number] as string
  }

  isUnknown(number: number): boolean {
    return this.idOf(number).startsWith(UNKNOWN)
  }
}

/** The id of a payer with its kind of plan. */
export function payerIdOf(payer: string, plan: string): string {
  const [name, planName] = [payerName(payer), payerName(plan)]
  const entry = entryOf(name, planName)
  const kind = kindIn(planName) ?? kindIn(name) ?? entry?.kind ?? 'unstated'
  return `${entry?.payer ?? unknownId(name)}/${kind}`
}

function entryOf(name: PayerName, plan: PayerName): PayerEntry | undefined {
  const found = (text: PayerName): PayerEntry | undefined =>
    PAYER_ENTRIES.find(({ words }) => words.some((each) => hasWords(text, each)))
  const inPlan = found(plan)
  const named = found(name)
  if (named?.payer === UNNAMED_LICENSEE && inPlan && LICENSEES.test(inPlan.payer)) return inPlan
  return named ?? (inPlan && PROGRAMS.includes(inPlan.payer) ? undefined : inPlan)
}

const kindIn = (name: PayerName): PlanKind | undefined =>
  KIND_WORDS.find(({ words }) => words.some((each) => hasWords(name, each)))?.kind

const unknownId = ({ bytes }: PayerName): string => `${UNKNOWN}${toHex(sha256(bytes)).slice(0, DIGEST_DIGITS)}`

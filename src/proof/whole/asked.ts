// The question that an address of the service asks, for the check of an answer by its address.

import { RELEASE_STATES } from '../catalogue/releases.ts'
import { isObject, type Members } from '../shape.ts'
import type { Inquiry, StatedBill } from '../verify-lists.ts'

/** The row that a permalink names. */
export interface Permalink {
  release_id: string
  index: number
}
/** The answer that is expected: one to a question, or a row by its permalink, a list of changes, or a checkpoint by itself. */
export type ExpectedAnswer = Inquiry & { checkpoint?: true; permalink?: Permalink; changes?: true }

type Query = { [part: string]: string | undefined }

const PLACES: readonly [RegExp, (query: Query, day: string, path: readonly string[]) => ExpectedAnswer][] = [
  [/\/reference$/, (query, as_of) => ({ question: { cpt: '', ...query, as_of } })],
  [/\/reference\/sheet$/, (query, as_of) => ({ sheet: { cpt: '', ...query, as_of } })],
  [/\/reference\/compare$/, ({ region = '', ...query }, as_of) => ({ compare: { cpt: '', ...query, region, as_of } })],
  [/\/reference\/history$/, ({ cpt = '', ...query }) => ({ history: { ...query, cpt, offset: offsetOf(query) } })],
  [/\/api\/registry$/, ({ offset: _, after: _a, ...query }, as_of) => ({ page: { ...query, as_of } })],
  [/\/api\/coverage$/, (query, as_of) => ({ coverage: { ...query, as_of, offset: offsetOf(query) } })],
  [
    /\/api\/releases$/,
    ({ state, ...query }) => ({ releases: { ...query, ...stateIn(state), offset: offsetOf(query) } }),
  ],
  [/\/api\/figures$/, () => ({ figures: true })],
  [/\/api\/figure-changes$/, () => ({ anyQuestion: true, changes: true })],
  [/\/log\/[a-z]+\/checkpoint$/, () => ({ anyQuestion: true, checkpoint: true })],
  [
    /\/rows\/([^/]+)\/([0-9]+)$/,
    (_, _day, [release_id = '', index]) => ({ anyQuestion: true, permalink: { release_id, index: Number(index) } }),
  ],
]
const offsetOf = ({ offset }: Query): number => Number(offset ?? 0)
const stateIn = (text: string | undefined) => {
  const state = RELEASE_STATES.find((each) => each === text)
  return state === undefined ? {} : { state }
}

/**
 * Reads an address by its path. `asOf` goes before the day in the address; `today` is for an address without a day.
 * Undefined for an address whose answers have no proofs, and for one that the service refuses: with a parameter that is given
 * twice, or with a wrong percent sign.
 */
export function askedAt(address: string, today: string, asOf?: string): ExpectedAnswer | undefined {
  const url = URL.parse(address, 'http://localhost')
  const pathname = decoded(url?.pathname ?? '')
  const given = [...(url?.searchParams ?? [])]
  if (pathname === undefined || new Set(given.map(([name]) => name)).size < given.length) return undefined
  const { limit: _, proof: _p, as_of, ...query } = Object.fromEntries(given.filter(([, value]) => value !== ''))
  for (const [pattern, asked] of PLACES) {
    const [whole, ...path] = pattern.exec(pathname) ?? []
    if (whole !== undefined) return asked(query, asOf ?? as_of ?? today, path)
  }
  return undefined
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** The lines of a bill as questions. A line without a day, or with an empty one, is about the day of the request. */
export function billAsked(lines: readonly unknown[], day: string): Bill {
  const questions = lines.map((line) => {
    const sent = isObject(line) ? line : {}
    return { ...sent, as_of: sent['as_of'] || day } as Bill['questions'][number]
  })
  return { questions }
}
type Bill = Extract<Inquiry, { questions: unknown }>

/** The bill of a check as a question. A bill without a day is about the day of the request. */
export const checkAsked = (bill: Members, day: string): { bill: StatedBill } => ({
  bill: { ...bill, day: bill['day'] || day } as StatedBill,
})

interface RowBody {
  proof?: { releases?: { release?: { release_id?: unknown } }[] }
  row?: { release?: number; index?: unknown }
}

/** Whether the row of a body that was verified is the one that a permalink names. */
export function standsAt(body: unknown, { release_id, index }: Permalink): boolean {
  const { proof, row } = (body ?? {}) as RowBody
  return row?.index === index && proof?.releases?.[row?.release ?? 0]?.release?.release_id === release_id
}

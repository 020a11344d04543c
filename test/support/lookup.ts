import { dayOf } from '../../src/calendar.ts'
import type { Proof, RowPointer, ShownRow } from '../../src/proof/envelope.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import { chartsFor } from '../../src/proof/price/charts.ts'
import type { Prolonged } from '../../src/proof/price/prolonged.ts'
import type { AnyRow, PlaceRow, PricedRow, Row } from '../../src/proof/price/row.ts'
import { type Inquiry, verifyBody } from '../../src/proof/verify-lists.ts'
import { aPrice, aRelease } from './builders.ts'
import type { TestApp } from './harness.ts'

/** The proof with a leaf for a row that the body showed: a liar hides it so, and the tree is whole. */
export function hiding(proof: Proof, { proof: pointer, ...row }: ShownRow): Proof {
  const releases = (proof.releases ?? []).map((each, i) => {
    if (i !== pointer.release) return each
    const leaves = [...(each.rows?.leaves ?? []), [pointer.index, row as AnyRow] as [number, AnyRow]]
    return { ...each, rows: { ...each.rows, leaves: leaves.sort(([a], [b]) => a - b) } }
  })
  return { ...proof, releases }
}

/** A question; the day is today if it is left out. */
export type AskedOf = Partial<Question> & { cpt: string }

/** The body of a lookup: a price, or a refusal, which alone has a status. */
export type Answer = PricedRow & {
  status?: number
  detail: string
  agent_hint: string
  row: RowPointer & ShownRow<Row>
  place: ShownRow<PlaceRow>
  charts: { chart: string; held: { from: string; to: string }[] }[]
  last_known: ShownRow<PricedRow>
  prolonged?: Prolonged
  modifiers_ignored?: string[]
  adjustment?: { modifier: string; rule: string; factor: string; amount: string }
  proof: Proof
  about: {
    related: { basis: string; setting: string | null; class: string | null; modifier: string | null; href: string }[]
    choices: { region: string; href: string }[]
    available: { modifiers: string[]; settings: string[]; bases: string[]; regions: string[] }
  }
}

/** The code of a refusal; undefined of a price, whose code is the one that was asked about. */
export const refusalOf = ({ status, code }: Pick<Answer, 'status' | 'code'>): string | undefined =>
  status === undefined ? undefined : code

export const pathOf = (asked: AskedOf, path = '/reference'): string =>
  `${path}?${new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== undefined) as [string, string][])}`

export const questionOf = (app: TestApp, asked: AskedOf): Question => ({ as_of: dayOf(app.clock.now), ...asked })

/** The body, after it has been checked beside the question. */
export async function ask(app: TestApp, asked: AskedOf): Promise<Answer> {
  const text = await (await app.request(pathOf(asked))).text()
  await mustBeProved(app, text, { question: questionOf(app, asked) }, pathOf(asked))
  return JSON.parse(text) as Answer
}

/** The code of a refusal, or the amount of a price, after the body has been checked. */
export async function told(app: TestApp, asked: AskedOf): Promise<string | undefined> {
  const { price, ...body } = await ask(app, asked)
  return refusalOf(body) ?? ('amount' in price ? price.amount : `${price.low}-${price.high}`)
}

/** Throws with the reason unless the body is proved. */
export async function mustBeProved(app: TestApp, text: string, asked: Inquiry, what = 'the body') {
  const verdict = await verifyBody(text, app.policy, asked)
  if (!verdict.ok) throw new Error(`${what} is not proved: ${verdict.reason} at ${verdict.at}: ${text.slice(0, 300)}`)
  return verdict
}

const OTHERS = {
  'cms-pfs': () => aPrice({ code: '00001' }),
  'cms-clfs': () => aPrice({ code: '00002', basis: 'medicare_clfs' }),
  'cms-asp': () => aPrice({ code: '00003', basis: 'medicare_asp' }),
  'cms-dmepos': () => aPrice({ code: '00004', basis: 'medicare_dmepos', region: 'US-AK', setting: 'non_rural' }),
}

/** Holds the schedules that may answer beside those of a test: else a miss says that they are not held. */
export async function holdTheRest(app: TestApp, ...charts: readonly string[]): Promise<void> {
  for (const chart of chartsFor({ cpt: '99213', basis: undefined, setting: undefined }))
    if (!charts.includes(chart)) await app.publish(aRelease({ chart, rows: [OTHERS[chart as keyof typeof OTHERS]()] }))
}

/** The questions that the hint of a refusal leads to: one part changed, and nothing else. */
export function ledTo({ setting, npi, ...rest }: AskedOf, hint: string): AskedOf[] {
  const kept = setting === undefined || hint.includes('without setting') ? rest : { ...rest, setting }
  const isOfHospital = npi !== undefined && !hint.includes('without npi')
  const bases = [...hint.matchAll(/basis=(\w+)/g)].map(([, basis = '']) => basis)
  if (bases.length > 0) return bases.map((basis) => ({ ...kept, ...(isOfHospital ? { npi } : {}), basis }))
  return npi === undefined || isOfHospital ? [] : [kept]
}

import { dayOf } from '../../src/calendar.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import { chartsFor } from '../../src/proof/price/charts.ts'
import type { CitedRow } from '../../src/proof/price/proofs.ts'
import type { AnyRow, PlaceRow, PricedRow } from '../../src/proof/price/row.ts'
import { type Inquiry, verifyBody } from '../../src/proof/verify-lists.ts'
import { aPrice, aRelease } from './builders.ts'
import type { TestApp } from './harness.ts'

/** A question; the day is today if it is left out. */
export type AskedOf = Partial<Question> & { cpt: string }

/** The body of a lookup: a price, or a refusal with a code. */
export type Answer = CitedRow<PricedRow> & {
  code?: string
  detail: string
  agent_hint: string
  row: CitedRow<AnyRow>
  because: { rows: object[]; periods: object[]; providers: object[]; releases: object[] }
  absence: { key_prefix: string }[]
  place: CitedRow<PlaceRow>
  charts: { chart: string; held: { from: string; to: string }[] }[]
  choices: { region: string; href: string }[]
  available: { modifiers: string[]; settings: string[]; bases: string[]; regions: string[] }
  last_known: CitedRow<PricedRow>
  related: { basis: string; setting: string | null; class: string | null; modifier: string | null; href: string }[]
  modifiers_ignored?: string[]
  adjustment?: { modifier: string; rule: string; factor: string; amount: string }
}

export const pathOf = (asked: AskedOf, path = '/reference'): string =>
  `${path}?${new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== undefined) as [string, string][])}`

export const questionOf = (app: TestApp, asked: AskedOf): Question => ({ as_of: dayOf(app.clock.now), ...asked })

/** The body, after it has been checked beside the question. */
export async function ask(app: TestApp, asked: AskedOf): Promise<Answer> {
  const text = await (await app.request(pathOf(asked))).text()
  await mustBeProved(app, text, { question: questionOf(app, asked) }, pathOf(asked))
  return JSON.parse(text) as Answer
}

/** The code of a refusal that was checked, or the amount of a price. */
export async function told(app: TestApp, asked: AskedOf): Promise<string | undefined> {
  const { code, price } = await ask(app, asked)
  return code ?? ('amount' in price ? price.amount : `${price.low}-${price.high}`)
}

/** Throws with the reason unless the body is proved. */
export async function mustBeProved(app: TestApp, text: string, asked: Inquiry, what = 'the body') {
  const verdict = await verifyBody(text, app.policy, asked)
  if (!verdict.ok) throw new Error(`${what} is not proved: ${verdict.reason} at ${verdict.at}: ${text.slice(0, 300)}`)
  return verdict
}

const OTHERS = {
  'cms-pfs': () => aPrice({ cpt: '00001' }),
  'cms-clfs': () => aPrice({ cpt: '00002', basis: 'medicare_clfs' }),
  'cms-asp': () => aPrice({ cpt: '00003', basis: 'medicare_asp' }),
  'cms-dmepos': () => aPrice({ cpt: '00004', basis: 'medicare_dmepos', region: 'US-AK', setting: 'non_rural' }),
}

/** Holds the schedules that may answer beside those of a test: else a miss says that they are not held. */
export async function holdTheRest(app: TestApp, ...charts: readonly string[]): Promise<void> {
  for (const chart of chartsFor(undefined, undefined))
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

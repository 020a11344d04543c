import type { TestApp } from '../harness.ts'
import { ask, refusalOf } from '../lookup.ts'
import { BASES, type Basis, type ChargeKey, type Combination, type Statement } from './combinations.ts'

// Answers that a person who asks over HTTP should get, from the plain reading of the file alone.

const CLASSES = ['facility', '', 'professional']

/** The class is no part of a question: the hospital's own charge is answered before a doctor's. */
function firstPrice(read: ReadonlyMap<ChargeKey, Combination>, key: ChargeKey, basis: Basis): Statement | undefined {
  const [cpt = '', modifier = '', setting = ''] = key.split('|')
  for (const where of setting === '' ? ['outpatient', '', 'inpatient'] : [setting, ''])
    for (const whose of CLASSES) {
      const statement = read.get([cpt, modifier, where, whose].join('|'))?.bases[basis]
      if (statement?.low !== undefined) return statement
    }
  return undefined
}

/** Asks for combinations spread over the file, checks every proof, and returns what was not told as it is stated. */
export async function mistold(
  app: TestApp,
  read: ReadonlyMap<ChargeKey, Combination>,
  { npi, as_of, count }: { npi: string; as_of: string; count: number },
): Promise<string[]> {
  const all = [...read.keys()].flatMap((key) => BASES.map((basis) => [key, basis] as const))
  const step = Math.max(1, all.length / count)
  const wrong: string[] = []
  for (let at = 0; at < all.length; at += step) {
    const [key, basis] = all[Math.floor(at)] as readonly [ChargeKey, Basis]
    const [cpt = '', modifier = '', setting = ''] = key.split('|')
    const question = { cpt, npi, as_of, basis, ...(modifier && { modifier }), ...(setting && { setting }) }
    const answer = await ask(app, question)
    const { price, modifiers_ignored: ignored = [], modifier: own } = answer
    const refused = refusalOf(answer)
    // Modifiers that change no payment are left out, and the answer says so, where the file has no price with them.
    const stated = firstPrice(read, key, basis)
    const plain = [cpt, own ?? '', setting, ''].join('|')
    const statement = stated === undefined && ignored.length > 0 ? firstPrice(read, plain, basis) : stated
    const told = refused ?? ('amount' in price ? price.amount : `${price.low}..${price.high}`)
    const { low, high } = statement ?? {}
    const amount = low === high ? low : `${low}..${high}`
    // An amount that is not stated is an absence, or is not in the file; a price it must not be.
    if (statement ? told !== amount : refused === undefined)
      wrong.push(`${key}|${basis}: stated ${amount}, told ${told}`)
  }
  return wrong
}

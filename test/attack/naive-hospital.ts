// What a hospital's own file should answer.

import type { FixtureCharge } from '../../src/ingest/hospital/fixture.ts'
import { type Asked, classesOf, inForce, NEUTRAL, type Published, type Said } from './naive-model.ts'
import { money } from './naive-schedule.ts'

const BASES = ['hospital_cash', 'hospital_gross', 'hospital_negotiated_low', 'hospital_negotiated_high']

const modifierOf = (charge: FixtureCharge): string => (charge.modifiers ?? '').split('|').sort().join('-')
/** What is stated for both counts for either. */
const isFor = ({ setting }: FixtureCharge, where: string | null): boolean =>
  setting === 'both' ? where === 'outpatient' || where === 'inpatient' : (setting ?? null) === where
const classOf = ({ billing }: FixtureCharge): string | null => (billing && billing !== 'both' ? billing : null)

/** In hundredths of a cent: more than four decimals are rounded to the cent. */
function units(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  if (fraction.length <= 4) return BigInt(whole + fraction.padEnd(4, '0'))
  return ((BigInt(whole + fraction.slice(0, 3)) + 5n) / 10n) * 100n
}
const inOrder = (values: readonly bigint[]): bigint[] => [...values].sort((a, b) => (a < b ? -1 : 1))
const least = (values: readonly bigint[]): bigint => inOrder(values)[0] ?? 0n
const greatest = (values: readonly bigint[]): bigint => inOrder(values).at(-1) ?? 0n

/** One amount, or the ends of several. */
function amountOf(charges: readonly FixtureCharge[], basis: string): string | undefined {
  const name =
    ({ hospital_cash: 'cash', hospital_gross: 'gross', hospital_negotiated_low: 'low' } as const)[basis] ?? 'high'
  const stated = charges.flatMap((charge) => charge[name] ?? []).map(units)
  // Charges that do not state the lowest, or the highest, have that of their rates.
  const rates = charges.flatMap((charge) => (charge[name] === undefined ? (charge.rates ?? []) : [])).map(units)
  if (name === 'low' && rates.length > 0) stated.push(least(rates))
  if (name === 'high' && rates.length > 0) stated.push(greatest(rates))
  if (stated.length === 0) return undefined
  const [low, high] = [money(least(stated), 4), money(greatest(stated), 4)]
  return low === high ? low : `${low}..${high}`
}

/** A line without any amount is a negotiated charge, of which it is said that there is no price. */
const NEGOTIATED = 'hospital_negotiated_low'
const isWithoutAmounts = (charge: FixtureCharge): boolean =>
  BASES.every((basis) => amountOf([charge], basis) === undefined)

/** Left and right in one line is both sides. */
const withSides = (modifiers: readonly string[]): readonly string[] =>
  modifiers.includes('LT') && modifiers.includes('RT')
    ? [...new Set(['50', ...modifiers.filter((each) => !/^[LR]T$/.test(each))])].sort()
    : modifiers

/** Every list without so many of its members that are neutral, those without the first ones first. */
function without(list: readonly string[], neutral: readonly string[], many: number): (readonly string[])[] {
  if (many === 0) return [list]
  return neutral.flatMap((each, at) =>
    without(
      list.filter((one) => one !== each),
      neutral.slice(at + 1),
      many - 1,
    ),
  )
}

/** As on the bill, and with both sides as one; then both with one less of the neutral ones each time. */
function wantedOf(modifiers: readonly string[]): (readonly string[])[] {
  const neutral = withSides(modifiers).filter((each) => NEUTRAL.includes(each))
  return [...neutral, ''].flatMap((_, many) =>
    [modifiers, withSides(modifiers)].flatMap((list) => without(list, neutral, many)),
  )
}

export function chargeAnswer(
  editions: readonly Published[],
  asked: Asked & { npi: string },
  modifiers: readonly string[],
): Said {
  const { npi, cpt, basis, setting } = asked
  if (basis && !basis.startsWith('hospital_')) return { outcome: 'malformed' }
  const files = editions.flatMap((each) => (each.chart === 'hospital-mrf' && each.fate === 'published' ? [each] : []))
  const named = files.find(({ data }) => data.npis.includes(npi))?.data
  const owner = [...(named?.npis ?? [])].sort()[0]
  if (owner === undefined) return { outcome: 'unknown_provider' }
  const own = editions.filter((each) => each.chart === 'hospital-mrf' && [...each.data.npis].sort()[0] === owner)
  const edition = inForce(own, asked.as_of)
  if (edition?.chart !== 'hospital-mrf') return { outcome: 'no_edition_for_day', charts: [`hospital-mrf:${owner}`] }
  const isNamed = edition.data.npis.includes(npi)
  const charges = edition.data.charges.filter(({ code }) => isNamed && code === cpt)
  for (const wanted of wantedOf(modifiers)) {
    let absent: Said | undefined
    for (const each of basis ? [basis] : BASES)
      for (const where of setting ? [setting, null] : ['outpatient', null, 'inpatient'])
        for (const inClass of classesOf(asked)) {
          const fitting = charges.filter(
            (charge) => modifierOf(charge) === wanted.join('-') && isFor(charge, where) && classOf(charge) === inClass,
          )
          const amount = amountOf(fitting, each)
          const place = { region: 'national', npi, class: inClass, modifier: wanted.join('-') || null }
          const found = { release: edition.release, basis: each, cpt, setting: where, ...place }
          if (amount === undefined && each === NEGOTIATED && fitting.some(isWithoutAmounts))
            absent ??= { outcome: 'absent', ...found, reason: 'no_price_stated' }
          if (amount === undefined) continue
          const ignored = withSides(modifiers).filter((one) => NEUTRAL.includes(one) && !wanted.includes(one))
          return { outcome: 'price', ...found, amount, ignored, left: [], adjusted: null }
        }
    if (absent) return absent
  }
  const isOther = modifiers.length > 0 || charges.every((charge) => modifierOf(charge) !== '')
  return { outcome: charges.length > 0 && isOther ? 'modifier_not_priced' : 'not_on_schedule' }
}

// Lookups: for every outcome an honest body, with its question and with another one. What the answer says stands here
// by hand; the registry of the vectors must come to the same.

import type { Fault } from '../../src/proof/fault.ts'
import type { Question } from '../../src/proof/lookup/question.ts'
import type { Price } from '../../src/proof/price/row.ts'
import { ask, type Body, bad, good } from './body.ts'
import { NPI, world } from './registry.ts'

type Asked = Partial<Question>
/** Questions are written as in an address; the code is 99213 and the day one in July unless said otherwise. */
type Case = [name: string, question: string, says: string, other: string, reason: Fault]

const [OTHER, UNPROVED] = ['answers_another_question', 'choice_not_proved'] as const

/** `npi=A` is the hospital `A`. */
export const parsed = (text: string): Asked => {
  const { npi = '', ...question } = Object.fromEntries(new URLSearchParams(text)) as Asked
  return text.includes('npi=') ? { ...question, npi: NPI[npi as keyof typeof NPI] ?? npi } : question
}

const CASES: Case[] = [
  ['a fee', '', '95.19', 'cpt=99214', UNPROVED],
  ['a fee in a facility', 'setting=facility', '65.80', '', UNPROVED],
  ['a fee in a locality', 'region=US-IL-16', '98.00', 'region=US-IL-15', UNPROVED],
  ['a fee for a ZIP code', 'region=60611', '98.00', 'region=60612', UNPROVED],
  ['a fee for a ZIP code with its last digits', 'region=60611-1234', '98.00', 'region=US-IL-15', UNPROVED],
  ['a fee for a ZIP code, spelled out', 'region=zip-60611', '98.00', 'region=35004', UNPROVED],
  ['a fee for the first part of a ZIP code', 'region=60701-0001', '98.00', 'region=60701-1000', UNPROVED],
  ['a fee for the second part of a ZIP code', 'region=60701-9998', '97.00', 'region=60701', UNPROVED],
  ['a ZIP code in parts that are one place', 'region=60827-0001', '97.00', 'region=60701-1500', UNPROVED],
  ['a ZIP code whose last digits decide', 'region=60701', 'region_ambiguous', 'region=60611', UNPROVED],
  ['last digits that no part holds', 'region=60701-9999', 'region_ambiguous', 'region=60701-9998', UNPROVED],
  ['a ZIP code that is not in the table', 'region=99999', 'unknown_zip', 'region=60611', UNPROVED],
  ['a state with one locality', 'region=AL', '90.00', 'region=IL', UNPROVED],
  ['a state with two localities', 'region=US-IL', 'region_ambiguous', 'region=AL', UNPROVED],
  ['a locality without a fee', 'region=US-TX-99', 'region_not_covered', '', OTHER],
  ['the fee of an earlier edition', 'as_of=2026-05-15', '94.00', '', UNPROVED],
  ['the first day of an edition', 'as_of=2026-07-01', '95.19', 'as_of=2026-06-30', UNPROVED],
  ['the last day of an edition that was cut short', 'as_of=2026-06-30', '94.00', 'as_of=2026-07-01', UNPROVED],
  ['the last day of an edition', 'as_of=2026-09-30', '95.19', 'as_of=2026-10-01', UNPROVED],
  ['a day after all editions', 'as_of=2026-10-05', 'no_edition_for_day', '', UNPROVED],
  ['a day before all editions', 'as_of=2026-03-31', 'no_edition_for_day', 'as_of=2026-04-01', UNPROVED],
  ['a ZIP code on a day without its table', 'region=60611&as_of=2026-05-15', 'no_edition_for_day', '', UNPROVED],
  ['a modifier that changes nothing', 'modifier=25', '95.19 without 25', '', OTHER],
  ['a modifier in small letters', 'modifier=xe-rt', '95.19 without RT,XE', 'modifier=XE', OTHER],
  ['both sides', 'modifier=50', '95.19 as 142.79', '', OTHER],
  ['both sides by their names', 'modifier=RT-LT', '95.19 as 142.79', 'modifier=RT', OTHER],
  ['both sides twice', 'modifier=LT-50-RT', '95.19 as 142.79', 'modifier=LT', OTHER],
  ['both sides by their names, and what changes nothing', 'modifier=LT-RT-59', '95.19 without 59 as 142.79', '', OTHER],
  ['two surgeons', 'modifier=62', '95.19 as 59.49', 'modifier=50', OTHER],
  ['an assistant', 'modifier=80', '95.19 as 15.23', 'modifier=82', OTHER],
  ['an assistant who is no physician', 'modifier=AS', '95.19 as 12.95', 'modifier=80', OTHER],
  ['both sides, and what changes nothing', 'modifier=59-50', '95.19 without 59 as 142.79', 'modifier=50', OTHER],
  ['both sides of one that has none', 'cpt=27447&modifier=50', 'modifier_not_allowed', 'cpt=27447', OTHER],
  ['a modifier with a row of its own', 'cpt=70450&modifier=26', '40.00', 'cpt=70450', UNPROVED],
  ['a row of its own, and an assistant', 'cpt=70450&modifier=80-26', '40.00 as 6.40', 'cpt=70450&modifier=26', OTHER],
  ['a modifier without a price', 'modifier=22', 'modifier_not_priced', '', OTHER],
  ['two modifiers that each change the amount', 'modifier=50-62', 'modifier_not_priced', 'modifier=50', OTHER],
  ['a fee under its cap', 'cpt=70450', '91.85', 'cpt=70450&modifier=TC', UNPROVED],
  ['a facility where the office is not applicable', 'cpt=99285', '170.00', 'cpt=99285&setting=non_facility', UNPROVED],
  [
    'an office that is not applicable',
    'cpt=99285&setting=non_facility',
    'absent_not_applicable_in_setting',
    'cpt=99285',
    UNPROVED,
  ],
  ['a bundled service', 'cpt=99070', 'absent_bundled', 'cpt=99071', UNPROVED],
  [
    'a bundled service in a locality',
    'cpt=99070&region=US-IL-16&setting=facility',
    'absent_bundled',
    'cpt=80053',
    UNPROVED,
  ],
  ['a fee that begins later', 'cpt=99214', 'not_on_schedule', 'cpt=99214&as_of=2026-08-01', OTHER],
  ['a fee on the day it begins', 'cpt=99214&as_of=2026-08-01', '130.00', 'cpt=99214&as_of=2026-07-31', UNPROVED],
  ['a laboratory test', 'cpt=80053', '10.56', 'cpt=36415', UNPROVED],
  ['a laboratory test for any place', 'cpt=80053&region=60611', '10.56', 'cpt=80053&region=60612', UNPROVED],
  ['a laboratory test by its schedule', 'cpt=80053&basis=medicare_clfs&region=00000', '10.56', 'cpt=80053', UNPROVED],
  ['a laboratory test for outpatients', 'cpt=80053&setting=outpatient', '10.56', 'cpt=80053&setting=asc', UNPROVED],
  ['a laboratory test priced by the carrier', 'cpt=87999', 'absent_carrier_priced', 'cpt=87998', UNPROVED],
  ['a drug in tenths of a cent', 'cpt=j0585', '6.497', 'cpt=J3490', UNPROVED],
  ['a drug without a limit', 'cpt=J3490', 'absent_no_price_stated', 'cpt=J0585', UNPROVED],
  ['rent in a state', 'cpt=E0601&modifier=RR&region=IL', '91.36', 'cpt=E0601&modifier=RR&region=AL', UNPROVED],
  [
    'rent for a ZIP code, as a doctor bills it',
    'cpt=E0601&modifier=RR&region=60611&setting=facility',
    '91.36',
    'cpt=E0601&modifier=RR&region=35004',
    UNPROVED,
  ],
  [
    'rent in the country',
    'cpt=E0601&modifier=RR&region=IL&setting=rural',
    '105.12',
    'cpt=E0601&modifier=RR&region=IL',
    UNPROVED,
  ],
  [
    'equipment that is rented only',
    'cpt=E0601&region=IL',
    'modifier_not_priced',
    'cpt=E0601&region=IL&modifier=RR',
    OTHER,
  ],
  ['equipment, and no place was asked', 'cpt=E0601', 'region_ambiguous', 'cpt=E0601&region=AL', OTHER],
  ['an outpatient rate', 'cpt=71046&setting=outpatient', '92.43', 'cpt=71046', UNPROVED],
  ['an outpatient rate, rounded', 'cpt=66984&basis=medicare_opps', '2251.12', 'cpt=66984&basis=medicare_asc', UNPROVED],
  ['packaged for outpatients', 'cpt=99072&setting=outpatient', 'absent_bundled', 'cpt=99072&setting=asc', UNPROVED],
  ['a surgery center', 'cpt=66984&setting=asc', '1146.45', 'cpt=66984&setting=outpatient', UNPROVED],
  [
    'packaged for a surgery center',
    'cpt=99072&setting=asc',
    'absent_bundled',
    'cpt=99072&setting=outpatient',
    UNPROVED,
  ],
  [
    'the factor of an anesthesia',
    'cpt=00100&basis=medicare_anesthesia&region=60611',
    '22.05',
    'cpt=00100&region=60611',
    UNPROVED,
  ],
  ['the fee of a qualifying participant', 'basis=medicare_pfs_qpp', '95.67', '', UNPROVED],
  [
    'a basis with a setting that it does not have',
    'basis=medicare_opps&setting=facility',
    'not_on_schedule',
    'basis=medicare_asc',
    UNPROVED,
  ],
  ['a code on no schedule', 'cpt=12345', 'not_on_schedule', '', UNPROVED],
  ['a code with spaces around it', 'cpt=%20%2099213%20', '95.19', 'cpt=99212', UNPROVED],
  [
    'what is left empty has its default',
    'region=&npi=&modifier=&setting=&basis=',
    '95.19',
    'basis=medicare_clfs',
    UNPROVED,
  ],

  ['what a hospital takes in cash', 'npi=A', '145.20', 'npi=A&basis=hospital_gross', UNPROVED],
  ['a hospital, wherever one asks from', 'npi=A&region=60611', '145.20', '', UNPROVED],
  ['what a hospital charges', 'npi=A&basis=hospital_gross', '300.00', 'npi=A', UNPROVED],
  [
    'the least that a hospital agreed on',
    'npi=A&basis=hospital_negotiated_low',
    '99.50',
    'npi=A&basis=hospital_negotiated_high',
    UNPROVED,
  ],
  ['the most that a hospital agreed on', 'npi=A&basis=hospital_negotiated_high', '210.00', 'npi=A', UNPROVED],
  ['a range of a hospital', 'npi=A&cpt=99215', '80.00 to 140.50', 'npi=A&cpt=99214', UNPROVED],
  ['a listed modifier that Medicare ignores', 'npi=A&cpt=97110&modifier=GO', '75.00', 'npi=A&cpt=97110', OTHER],
  ['a listed code with modifiers only', 'npi=A&cpt=97110', 'modifier_not_priced', 'npi=A&cpt=97110&modifier=GO', OTHER],
  ['a modifier that a hospital ignores', 'npi=A&modifier=25', '145.20 without 25', 'npi=A', OTHER],
  ['a modifier that a hospital does not have', 'npi=A&modifier=22', 'modifier_not_priced', 'npi=A', OTHER],
  ['a listed line that contradicts itself', 'npi=A&cpt=99283', 'absent_withheld_conflict', 'npi=A&cpt=99284', OTHER],
  ['a code that a hospital does not list', 'npi=A&cpt=99214', 'not_on_schedule', 'npi=B&cpt=99214', UNPROVED],
  ['a setting in which a hospital has no price', 'npi=A&setting=inpatient', 'not_on_schedule', 'npi=A', OTHER],
  ['another hospital', 'npi=B', '155.00', 'npi=A', UNPROVED],
  ['a hospital that moved', 'npi=MOVED', '222.00', 'npi=B', UNPROVED],
  ['a hospital that no file names', 'npi=UNKNOWN', 'unknown_provider', 'npi=A', UNPROVED],
  ['a hospital on a day before its file', 'npi=A&as_of=2026-05-01', 'no_edition_for_day', 'npi=A', UNPROVED],
  [
    'a hospital whose file lasts longer than the schedules',
    'npi=A&as_of=2026-10-05',
    '145.20',
    'npi=B&as_of=2026-10-05',
    UNPROVED,
  ],
]

/** What a body says, in short. */
function said(body: Record<string, unknown>): string {
  if (typeof body['code'] === 'string') return body['code']
  const price = body['price'] as Price
  const ignored = body['modifiers_ignored'] as string[] | undefined
  const adjustment = body['adjustment'] as { amount: string } | undefined
  return [
    'amount' in price ? price.amount : `${price.low} to ${price.high}`,
    ...(ignored ? [`without ${ignored}`] : []),
    ...(adjustment ? [`as ${adjustment.amount}`] : []),
  ].join(' ')
}

/** The honest body of a question. */
export async function honest(question: Asked, of = world): Promise<Record<string, unknown>> {
  return (await of.answer(ask(question).question)).body
}

/** The honest body of a question, which says what stands here by hand. */
export async function saying(name: string, text: string, says: string, of = world): Promise<Body> {
  const question = parsed(text)
  const body = await honest(question, of)
  if (said(body) !== says) throw new Error(`${name}: the body says ${said(body)}`)
  return good(name, body, { rows: WITH_ROW.test(says) ? 1 : 0 }, { asked: ask(question) })
}

const WITH_ROW = /^(absent_|modifier_not_allowed$|[0-9])/

export const lookups: Body[] = (
  await Promise.all(
    CASES.map(async ([name, question, says, other, reason]) => {
      const honestly = await saying(name, question, says)
      return [honestly, bad(`${name}, for another question`, honestly.body, reason, { asked: ask(parsed(other)) })]
    }),
  )
).flat()

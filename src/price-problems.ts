import type { Entry } from './problem-entry.ts'

const STATED =
  'The schedule states that there is no price; the member `row` is that statement with its proof. Do not invent a price.'
const NOT_SHOWN =
  'The service does not show the price in the source; the member `row` says why, with its proof. Do not invent a price.'

/** Why a schedule states no price, in words that a patient understands. */
const absent = (title: string, meaning: string, hint = STATED): Entry => ({ kind: 'not_found', title, meaning, hint })

/** The refusals of lookups. */
export const PRICE_PROBLEMS = {
  absent_bundled: absent(
    'The schedule pays this code as part of another service and states no price of its own',
    'Medicare treats this item as included in another service on the bill. A separate charge for it has no Medicare price to compare with: ask which service it belongs to.',
  ),
  absent_conditionally_packaged: absent(
    'The outpatient schedule pays this code separately only under conditions, and states no rate',
    'Medicare usually includes this item in the payment for another hospital service of the same day. Ask which service it was billed with.',
  ),
  absent_carrier_priced: absent(
    'Medicare contractors price this code; there is no national price',
    'There is no published amount: the regional Medicare contractor sets it. The contractor for your area can tell you the amount.',
  ),
  absent_paid_elsewhere: absent(
    'This schedule does not pay this code; another one does or may',
    'This list does not cover the item, but another Medicare list may. The answer also shows which lists have it.',
  ),
  absent_not_covered: absent(
    'This schedule says that Medicare does not pay for this code under it',
    'This Medicare list says that it does not pay for this service. Another Medicare list may, if one is shown beside this. Other insurers may too; their price is not known here.',
  ),
  absent_not_valid: absent(
    'The code is not valid for this schedule',
    'Medicare does not accept this code here; another code is used for the same service. Ask the provider which code applies.',
  ),
  absent_inpatient_only: absent(
    'Medicare pays this code only for inpatients',
    'Medicare pays for this service only during a hospital stay, so there is no outpatient price.',
  ),
  absent_anesthesia: absent(
    'Anesthesia is priced by base units and time, not by this schedule',
    'The price depends on how long the anesthesia took. Ask for the base units, the minutes and the factor per unit: the lookup with basis=medicare_anesthesia has the factor.',
    'If `available.bases` has medicare_anesthesia, ask with it, without a modifier, for the factor per unit; the amount also needs the base units and the minutes. Do not invent a price.',
  ),
  absent_not_applicable_in_setting: absent(
    'The publisher marks this code as not performed in this setting',
    'Medicare has no price for this service in this kind of place, because it is rarely or never done there. Ask about the other setting.',
  ),
  absent_no_price_stated: absent(
    'The schedule lists this code without a price',
    'The code is on the list, and the publisher left the price empty or zero. Zero does not mean that it is free.',
  ),
  absent_unreadable: absent(
    'The source has a line for this code that cannot be read',
    'The published file has this code, but the amount beside it is damaged or impossible. The answer names the file, the line and the rule.',
    NOT_SHOWN,
  ),
  absent_withheld_conflict: absent(
    'The source states different prices for the same key, so none is served',
    'The published file contradicts itself about this price, so none is given. The answer names the lines.',
    NOT_SHOWN,
  ),
  not_on_schedule: {
    kind: 'not_found',
    title: 'None of the charts that were searched has a row for this question',
    hint: 'The member `available` lists what there is for the code. Check code, region, modifier and setting; do not invent a price.',
  },
  no_edition_for_day: {
    kind: 'not_found',
    title: 'The registry has no edition for that day of a chart that the answer needs',
    hint: 'Ask for a day in a period of `charts`, or ask the operator to load the edition. `last_known`, if it is there, is what it was before. Never use a price of another period.',
  },
  modifier_not_priced: {
    kind: 'not_found',
    title: 'The code has prices, but not with the modifiers that were asked for, or not without one',
    hint: 'The member `available` lists the modifiers of this code, if it has any. Ask with one of those, or, if there are none, without a modifier, and say so beside the amount.',
  },
  modifier_not_allowed: {
    kind: 'not_found',
    title: 'The schedule has no adjusted amount for this code with this modifier',
    hint: 'Ask without the modifier, and do not adjust the amount.',
  },
  unknown_provider: {
    kind: 'not_found',
    title: 'No published file names this provider',
    hint: 'Ask without `npi` for the Medicare reference price; do not present that as the hospital\u2019s price.',
  },
  row_not_found: {
    kind: 'not_found',
    title: 'The release has no row with this index',
    hint: 'Take the permalink from the member `proof.href` of an answer.',
  },
  unknown_zip: {
    kind: 'not_found',
    title: 'The table of ZIP codes does not have this ZIP code',
    hint: 'Check the ZIP code, or ask with a Medicare locality as `US-XX-LL`, a state as `US-XX`, or `national`.',
  },
  region_ambiguous: {
    kind: 'not_found',
    title: 'The question fits several places',
    hint: 'Ask again with the ZIP code of the place, or with a region from the member `choices`.',
  },
  region_not_covered: {
    kind: 'not_found',
    title: 'The edition in force has no price for this region',
    hint: 'Take a region from the member `available` or from /api/coverage, and say which one you took; do not present its price as this region\u2019s.',
  },
} as const satisfies Record<string, Entry>

/** What to send for a parameter whose value has another form, in the words of those who ask. */
export const PARAMETER_HINTS: Readonly<Record<string, string | undefined>> = {
  as_of: 'Send the date of service as 2026-07-15, or leave it out for today.',
  modifier: 'Send 26, or 26-59 for several; leave it out if the bill has none.',
  setting:
    'Send non_facility for an office or a home, facility for the doctor\u2019s fee in a hospital, outpatient for what the hospital itself is paid, asc for a surgery center; or leave it out.',
  basis:
    'Leave it out for the usual price. hospital_cash and hospital_gross are prices of one hospital and need its npi.',
  units: 'Send a whole number without quotes, as 4.',
  billed: 'Send dollars and cents in quotes, as "300.00": no sign, no comma, two decimals.',
}

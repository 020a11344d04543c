// Corners of the rule, each with what is said, by hand, and with a lie that a careless rule would come to.

import { chartOf, NPI } from './registry.ts'

/**
 * A lie is a code; or a code, a chart and the begin of a key, for a refusal with its row; or `price`, a chart and the
 * begin of a key; or `no_edition_for_day` and the charts.
 */
export type Case = [name: string, question: string, says: string, lie: string]

const SEPTEMBER = 'as_of=2026-09-15'
const AUGUST = 'as_of=2026-08-15'
const A = chartOf(NPI.A)

export const ORDER: Case[] = [
  [
    'an unpriced modifier before a telling absence',
    'cpt=88101&modifier=22',
    'modifier_not_priced',
    'absent_bundled cms-pfs 88101|',
  ],
  ['a price after a telling absence', 'cpt=88101', '10.56', 'absent_bundled cms-pfs 88101|'],
  [
    'a telling absence before a region without a fee',
    'cpt=88102&region=US-TX-99',
    'absent_carrier_priced',
    'region_not_covered',
  ],
  [
    'a region without a fee before a schedule not held',
    `cpt=88103&region=US-TX-99&${SEPTEMBER}`,
    'region_not_covered',
    'no_edition_for_day cms-dmepos',
  ],
  [
    'a region without a fee before a weak absence',
    'cpt=88106&region=US-TX-99',
    'region_not_covered',
    'absent_no_price_stated cms-asp 88106|',
  ],
  [
    'a telling absence before a schedule not held',
    `cpt=88109&${SEPTEMBER}`,
    'absent_bundled',
    'no_edition_for_day cms-dmepos',
  ],
  [
    'a schedule not held before what is not valid',
    `cpt=88104&${SEPTEMBER}`,
    'no_edition_for_day',
    'absent_not_valid cms-pfs 88104|',
  ],
  [
    'a schedule not held before what is paid elsewhere',
    `cpt=88107&${SEPTEMBER}`,
    'no_edition_for_day',
    'absent_paid_elsewhere cms-pfs 88107|',
  ],
  [
    'a schedule not held before no stated price',
    `cpt=88108&${SEPTEMBER}`,
    'no_edition_for_day',
    'absent_no_price_stated cms-pfs 88108|',
  ],
  ['what is not valid, and all schedules are held', 'cpt=88104', 'absent_not_valid', 'not_on_schedule'],
  ['what is paid elsewhere, and nowhere else listed', 'cpt=88107', 'absent_paid_elsewhere', 'not_on_schedule'],
  ['a telling absence after a weak one', 'cpt=88105', 'absent_carrier_priced', 'absent_not_valid cms-pfs 88105|'],
  ['the first of two weak absences', 'cpt=88110', 'absent_not_valid', 'absent_no_price_stated cms-asp 88110|'],
  ['the first of two telling absences', 'cpt=88111', 'absent_not_covered', 'absent_carrier_priced cms-clfs 88111|'],
  [
    'a stated absence without the modifier that was asked',
    'cpt=88109&modifier=22',
    'absent_bundled',
    'modifier_not_priced',
  ],
  [
    'an unpriced modifier, where the ZIP code is split',
    'cpt=99213&modifier=22&region=60702',
    'modifier_not_priced',
    'region_ambiguous',
  ],
  ['the localities of another modifier', 'cpt=88145&modifier=QW&region=IL', '24.91', 'region_ambiguous'],
  ['a modifier in several localities', 'cpt=88145&modifier=26&region=IL', 'region_ambiguous', 'modifier_not_priced'],
  ['a modifier, where no place was asked', 'cpt=E0602&modifier=22', 'region_ambiguous', 'modifier_not_priced'],
  [
    'a modifier with a fee for the country only',
    'cpt=88141&modifier=26&region=US-IL-16',
    'region_not_covered',
    'modifier_not_priced',
  ],
  ['other modifiers, for the country only', 'cpt=88141&region=US-IL-16', 'modifier_not_priced', 'not_on_schedule'],
  [
    'a statement with another modifier only, from a locality',
    'cpt=88142&region=US-IL-16',
    'modifier_not_priced',
    'not_on_schedule',
  ],
  ['a modifier for a range', 'cpt=88140&modifier=50', 'modifier_not_allowed', 'price cms-pfs 88140|'],
]

export const SETTINGS: Case[] = [
  [
    'a status that nobody asks for, as every setting is stated',
    'cpt=88124&region=US-IL-16',
    'absent_not_applicable_in_setting',
    'absent_bundled cms-pfs 88124|national|',
  ],
  [
    'a status where one setting is missing',
    'cpt=88125&region=US-IL-16',
    'absent_bundled',
    'absent_not_applicable_in_setting cms-pfs 88125|US-IL-16|',
  ],
  [
    'a fee of the country in a setting that is stated for the place',
    'cpt=88126&region=US-IL-16',
    'absent_not_applicable_in_setting',
    'region_not_covered',
  ],
  [
    'a fee of the place before the status of the country',
    'cpt=88127&region=US-IL-16',
    '77.00',
    'absent_bundled cms-pfs 88127|national|',
  ],
  ['an absence of a later setting', 'cpt=88120', 'absent_not_applicable_in_setting', 'not_on_schedule'],
  [
    'an absence of a later setting, for a locality',
    'cpt=88120&region=US-IL-16',
    'absent_not_applicable_in_setting',
    'not_on_schedule',
  ],
  [
    'a line that cannot be read, after a setting that is not applicable',
    'cpt=88122',
    'absent_unreadable',
    'absent_not_applicable_in_setting cms-pfs 88122|national|||medicare_pfs|non_facility',
  ],
  [
    'a line that cannot be read, before a fee in another setting',
    'cpt=88144',
    'absent_unreadable',
    'price cms-pfs 88144|national|||medicare_pfs|facility',
  ],
  [
    'a status, for a setting that the chart does not have',
    'cpt=88101&basis=medicare_pfs&setting=outpatient',
    'absent_bundled',
    'not_on_schedule',
  ],
  [
    'one factor for every anesthesia code',
    'cpt=00810&basis=medicare_anesthesia&region=US-IL-16',
    '22.00',
    'not_on_schedule',
  ],
  [
    'a region without a fee in a later setting',
    'cpt=88123&region=US-IL-16',
    'region_not_covered',
    'absent_not_applicable_in_setting cms-pfs 88123|US-IL-16|',
  ],
  [
    'a chart without settings has no status, for a state',
    'cpt=01999&basis=medicare_anesthesia&region=IL',
    'region_ambiguous',
    'absent_unreadable cms-anesthesia 00000|national|',
  ],
  [
    'a chart without settings has no status, for a state with one locality',
    'cpt=01999&basis=medicare_anesthesia&region=AL',
    '20.00',
    'absent_unreadable cms-anesthesia 00000|national|',
  ],
  [
    'the national line of a chart without settings',
    'cpt=01999&basis=medicare_anesthesia&region=US-TX-99',
    'absent_unreadable',
    'region_not_covered',
  ],
  ['the country, where another amount is not stated', 'cpt=E0602&region=IL&setting=rural', '91.36', 'not_on_schedule'],
  [
    'the country, where another amount is stated',
    'cpt=E0604&region=IL&setting=rural',
    '105.12',
    'price cms-dmepos E0604|US-IL|||medicare_dmepos|non_rural',
  ],
  [
    'the country, where the line cannot be read',
    'cpt=E0605&region=IL&setting=rural',
    'absent_unreadable',
    'price cms-dmepos E0605|US-IL|||medicare_dmepos|non_rural',
  ],
  [
    'the town, where only the country has an amount',
    'cpt=E0606&region=IL&setting=non_rural',
    'not_on_schedule',
    'price cms-dmepos E0606|',
  ],
  ['no setting, where only the country has an amount', 'cpt=E0606&region=IL', '70.00', 'not_on_schedule'],
  [
    'a setting that equipment does not have',
    'cpt=E0604&region=IL&setting=super_rural&basis=medicare_dmepos',
    'not_on_schedule',
    'price cms-dmepos E0604|US-IL|||medicare_dmepos|rural',
  ],
]

export const PLACES: Case[] = [
  ['the state of an address, beyond its locality', 'cpt=E0607&region=20814', '60.00', 'price cms-dmepos E0607|US-DC'],
  ['the state of a split ZIP code', 'cpt=E0607&region=20815', 'region_ambiguous', 'price cms-dmepos E0607|US-MD'],
  ['a ZIP code in two states', 'cpt=E0607&region=20816', 'region_ambiguous', 'price cms-dmepos E0607|US-MD'],
  ['digits of a ZIP code in two states', 'cpt=E0607&region=20816-5000', '61.00', 'price cms-dmepos E0607|US-MD'],
  ['digits of its other state', 'cpt=E0607&region=20816-4999', '60.00', 'price cms-dmepos E0607|US-DC'],
  ['a split ZIP code in one state', 'cpt=E0607&region=20817', '60.00', 'region_ambiguous'],
  ['digits of a ZIP code that is not split', 'cpt=E0607&region=20818-0001', '60.00', 'price cms-dmepos E0607|US-DC'],
  [
    'equipment at a rural ZIP code',
    'cpt=E0604&region=60709',
    '105.12',
    'price cms-dmepos E0604|US-IL|||medicare_dmepos|non_rural',
  ],
  [
    'equipment at a rural ZIP code, as a doctor bills it',
    'cpt=E0604&region=60709&setting=facility',
    '105.12',
    'price cms-dmepos E0604|US-IL|||medicare_dmepos|non_rural',
  ],
  [
    'equipment at a rural ZIP code, asked for as not rural',
    'cpt=E0604&region=60709&setting=non_rural',
    '91.36',
    'price cms-dmepos E0604|US-IL|||medicare_dmepos|rural',
  ],
  ['equipment without a rural price at a rural ZIP code', 'cpt=E0602&region=60709', '91.36', 'not_on_schedule'],
  [
    'equipment at a ZIP code that is not rural',
    'cpt=E0604&region=60710',
    '91.36',
    'price cms-dmepos E0604|US-IL|||medicare_dmepos|rural',
  ],
  ['a fee at a rural ZIP code', 'region=60709', '98.00', 'region_ambiguous'],
  [
    'equipment in a former bidding area',
    'cpt=E0604&region=60712',
    '44.00',
    'price cms-dmepos E0604|US-IL|||medicare_dmepos|non_rural',
  ],
  [
    'equipment in a former bidding area, asked for as rural',
    'cpt=E0604&region=60712&setting=rural',
    '105.12',
    'price cms-dmepos E0604|CBA-0A1B2C3D',
  ],
  [
    'equipment in a former bidding area, as a doctor bills it',
    'cpt=E0604&region=60712&setting=non_facility',
    '44.00',
    'price cms-dmepos E0604|US-IL|||medicare_dmepos|non_rural',
  ],
  [
    'equipment in a former bidding area that is listed as rural',
    'cpt=E0604&region=60714',
    '44.00',
    'price cms-dmepos E0604|US-IL|||medicare_dmepos|rural',
  ],
  ['equipment without a price in its bidding area', 'cpt=E0602&region=60712', '91.36', 'not_on_schedule'],
  [
    'equipment whose line in its bidding area cannot be read',
    'cpt=E0605&region=60712',
    'absent_unreadable',
    'price cms-dmepos E0605|US-IL|||medicare_dmepos|non_rural',
  ],
  ['equipment outside all bidding areas', 'cpt=E0604&region=60713', '91.36', 'price cms-dmepos E0604|CBA-0A1B2C3D'],
  ['equipment in a bidding area of two states', 'cpt=E0604&region=20819', '44.00', 'region_ambiguous'],
  ['equipment of the states there', 'cpt=E0607&region=20819', 'region_ambiguous', 'price cms-dmepos E0607|US-MD'],
  ['a bidding area by its name', 'cpt=E0604&region=cba-0a1B2c3d', '44.00', 'region_ambiguous'],
  ['another bidding area', 'cpt=E0604&region=CBA-0A1B2C3E', 'region_ambiguous', 'price cms-dmepos E0604|CBA-0A1B2C3D'],
  [
    'equipment for a bidding area only',
    'cpt=E0608&region=60713',
    'not_on_schedule',
    'price cms-dmepos E0608|CBA-0A1B2C3D',
  ],
  ['a fee in a former bidding area', 'region=60712', '98.00', 'region_ambiguous'],
  ['a fee for a former bidding area', 'region=CBA-0A1B2C3D', 'region_not_covered', 'price cms-pfs 99213|US-IL-16'],
  ['a state that equipment has no amount for', 'cpt=E0607&region=GU', 'region_not_covered', 'not_on_schedule'],
  ['an island of the Pacific', 'cpt=88143&region=GU', '95.19', 'region_not_covered'],
  ['a divided state with one locality', 'cpt=88143&region=IL', 'region_ambiguous', 'price cms-pfs 88143|US-IL-16'],
  ['a fee for other places only', 'cpt=88143&region=US-TX-99', 'region_not_covered', 'not_on_schedule'],
  ['a fee for places only', 'cpt=88143', 'region_ambiguous', 'not_on_schedule'],
  ['digits that two parts hold', 'region=60702-2000', '97.00', 'price cms-pfs 99213|US-IL-16'],
  ['digits before the second part', 'region=60702-0999', '98.00', 'price cms-pfs 99213|US-IL-15'],
  ['digits after all parts', 'region=60702-9000', 'region_ambiguous', 'price cms-pfs 99213|US-IL-15'],
  ['digits before all parts', 'region=60702-0000', 'region_ambiguous', 'price cms-pfs 99213|US-IL-16'],
  ['digits of a part without a place', 'region=60703-2000', 'region_ambiguous', 'price cms-pfs 99213|US-IL-15'],
  ['digits after a part without a place', 'region=60703-5001', '97.00', 'region_ambiguous'],
  [
    'digits of a part that ends before it begins',
    'region=60704-9500',
    'region_ambiguous',
    'price cms-pfs 99213|US-IL-16',
  ],
  ['a ZIP code that begins later', 'region=60705', 'unknown_zip', 'price cms-pfs 99213|US-IL-16'],
  ['a ZIP code on a day on which it is there', `region=60705&${AUGUST}`, '98.00', 'unknown_zip'],
  ['a part of a ZIP code that begins later', 'region=60706-0001', 'unknown_zip', 'price cms-pfs 99213|US-IL-15'],
  ['a part of a ZIP code that is one place', `region=60706-0001&${AUGUST}`, '98.00', 'price cms-pfs 99213|US-IL-15'],
  ['digits of a ZIP code without parts', 'region=60707-0001', 'region_ambiguous', 'price cms-pfs 99213|US-IL-16'],
  ['digits of a part that begins later', 'region=60708-0001', 'region_ambiguous', 'price cms-pfs 99213|US-IL-15'],
  ['digits of a part that has begun', `region=60708-0001&${AUGUST}`, '98.00', 'price cms-pfs 99213|US-IL-15'],
  ['digits of a split ZIP code in one state', 'region=60711-0001', '97.00', 'region_ambiguous'],
  ['a part without its ZIP code', 'region=99999-0000', 'unknown_zip', 'region_ambiguous'],
]

export const HOSPITALS: Case[] = [
  [
    'a setting of a hospital, then none',
    'npi=A&setting=inpatient',
    '50.00',
    `price ${A} 99213|national|${NPI.A}||hospital_gross|inpatient`,
  ],
  [
    'a setting that no hospital has, then none',
    'npi=A&setting=asc',
    '50.00',
    `price ${A} 99213|national|${NPI.A}||hospital_cash|outpatient`,
  ],
  ['no setting of a hospital is asked', 'npi=A', '60.00', `price ${A} 99213|national|${NPI.A}||hospital_cash||`],
  [
    'a basis and a setting of a hospital',
    'npi=A&setting=inpatient&basis=hospital_gross',
    '500.00',
    `price ${A} 99213|national|${NPI.A}||hospital_cash||`,
  ],
  [
    'a basis that a hospital has in another setting',
    'npi=A&setting=outpatient&basis=hospital_gross',
    'not_on_schedule',
    'modifier_not_priced',
  ],
  ['another setting of a hospital', 'npi=A&cpt=99214&setting=inpatient', 'not_on_schedule', 'modifier_not_priced'],
  [
    'another setting of a hospital, and a modifier that changes nothing',
    'npi=A&cpt=99214&setting=inpatient&modifier=25',
    'modifier_not_priced',
    'not_on_schedule',
  ],
  ['another modifier that changes nothing', 'npi=A&cpt=99215&modifier=25', 'modifier_not_priced', `price ${A} 99215|`],
  [
    'an absence with the modifier that was asked',
    'npi=A&cpt=99216&modifier=25',
    'absent_unreadable',
    `price ${A} 99216|national|${NPI.A}||`,
  ],
  ['a listed modifier before none', 'npi=A&cpt=99217&modifier=25', '70.00', `price ${A} 99217|national|${NPI.A}||`],
  [
    'two modifiers that are not listed together',
    'npi=A&cpt=99217&modifier=59-25',
    '80.00 without 25,59',
    `price ${A} 99217|national|${NPI.A}|25|`,
  ],
  ['a price of another basis after an absence', 'npi=A&cpt=99218', '300.00', `absent_unreadable ${A} 99218|`],
]

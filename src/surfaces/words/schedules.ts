// The words of each schedule: what its amounts are called, what they are and are not, and the notes beside them. Sentences,
// pages and sums of bills read them here, so that a new schedule has one entry.

import type { Proof } from '../../proof/envelope.ts'
import { decidedBy } from '../../proof/lookup/modifiers.ts'
import { isBiddingArea } from '../../proof/lookup/region.ts'
import type { AnyRow, Basis, PricedRow } from '../../proof/price/row.ts'
import type { Members } from '../../proof/shape.ts'
import { ROW_MODIFIERS } from '../../tables/row-modifiers.ts'

/** A remark, and when it is made. */
export interface Note<Subject> {
  when: (subject: Subject) => boolean
  text: string | ((subject: Subject) => string)
}
export const textOf = <Subject>({ text }: Note<Subject>, subject: Subject): string =>
  typeof text === 'string' ? text : text(subject)
export const notesOf = <Subject>(notes: readonly Note<Subject>[] = [], subject: Subject): string[] =>
  notes.filter(({ when }) => when(subject)).map((note) => textOf(note, subject))

/** The facts about a ZIP code that decide about the price of equipment. A member is left out where the list of CMS was not at hand. */
export interface ZipPlace {
  rural?: boolean
  /** The former competitive bidding area there; null for none. */
  bidding_area?: string | null
}

type Indicators = PricedRow['indicators']

/** An amount, and what is known around it. */
export interface AmountContext {
  /** A short answer has no indicators. */
  row: Pick<PricedRow, 'setting' | 'region' | 'modifier' | 'price'> & { indicators?: Indicators | undefined }
  question: Members
  place?: ZipPlace | undefined
  proof?: Partial<Proof> | undefined
  /** A page says some of it in its table, or in what the amount is and is not. */
  on: 'sentence' | 'page'
}
type AmountNote = Note<AmountContext>

/** The lines of a bill that one schedule has priced. */
type BillRows = readonly (Pick<PricedRow, 'setting' | 'region' | 'price'> & { units: number })[]
type SumNote = Note<BillRows>

/** A row of its own for one part of a service. */
export interface Component {
  is: string
  lacks: string
}

/** The names of an amount, in a table and in a sentence: '$95.19 is …'. */
export interface BasisWords {
  /** The one whose price it is: it stands before the amount. */
  whose: string
  short: string
  is: string
}

export interface ScheduleWords {
  bases: { readonly [basis in Basis]?: BasisWords }
  /** At the end of a sentence. */
  caveat: string
  /** Beside the amount on a page. */
  is: string
  isNot: string
  /** Remarks on places where another amount applies. */
  place?: readonly AmountNote[]
  /** Remarks on how the amount is paid, and to whom. */
  payment?: readonly AmountNote[]
  /** Whether these notes depend on members that only a whole answer has. */
  needsEvidence?: (question: Members) => boolean
  /** With a modifier that changes the amount. */
  adjusted?: readonly Note<{ modifier: string; indicators: Indicators | undefined }>[]
  /** Below the sum of a bill. */
  sum?: readonly SumNote[]
  /** By the modifier of the row. */
  components?: { readonly [modifier: string]: Component }
}

const always = (): boolean => true
const inSentence = ({ on }: AmountContext): boolean => on === 'sentence'
const isSeveral = (rows: BillRows): boolean => rows.length > 1 || rows.some(({ units }) => units > 1)

const MEDICARE = {
  caveat: 'It includes any part that a Medicare patient pays. It is a reference, not what a patient owes.',
  is: 'The amount that Medicare’s published schedule allows for this service, at this place, on this day. It includes the part that a Medicare patient pays.',
  isNot:
    'What a patient owes, what a private insurer pays, an offer, or advice. The doctor’s and the hospital’s part of one visit are separate amounts.',
}

/** Source: Medicare Claims Processing Manual, chapter 23, addendum (MPFSDB record layout, PC/TC INDICATOR 1 and 6). */
const PARTS = {
  professional: {
    is: 'professional part',
    lacks: 'The technical part of the service, such as the equipment, is not in it.',
  },
  technical: { is: 'technical part', lacks: 'The professional part of the service, such as the report, is not in it.' },
}
const COMPONENTS: Readonly<Record<string, Component>> = Object.fromEntries(
  [...ROW_MODIFIERS.values()].flatMap(({ modifier, part }) => (part ? [[modifier, PARTS[part]]] : [])),
)
const DOCUMENTS = 'Medicare pays it only with documents of medical necessity.'
const isOfAssistant = (modifier: string): boolean => decidedBy(modifier) === 'assistant'
const isOfCoSurgeon = (modifier: string): boolean => decidedBy(modifier) === 'co_surgeon'

const PHYSICIAN = {
  ...MEDICARE,
  bases: {
    medicare_pfs: { whose: 'Doctor', short: 'Medicare, doctor', is: 'the Medicare physician fee schedule amount' },
    medicare_pfs_qpp: {
      whose: 'Doctor',
      short: 'Medicare, doctor (qualifying participant)',
      is: 'the Medicare physician fee schedule amount for qualifying participants',
    },
  },
  components: COMPONENTS,
  payment: [
    ...Object.entries(COMPONENTS).map(
      ([modifier, { lacks }]): AmountNote => ({
        when: (context) => inSentence(context) && context.row.modifier === modifier,
        text: lacks,
      }),
    ),
    {
      when: (context) => inSentence(context) && context.row.setting === 'facility',
      text: 'It is the doctor’s part; the hospital or center is paid separately.',
    },
  ],
  // Source: the same addendum (ASST SURG and CO-SURG).
  adjusted: [
    {
      when: ({ modifier, indicators }) => !indicators && (isOfAssistant(modifier) || isOfCoSurgeon(modifier)),
      text: `For many codes ${DOCUMENTS}`,
    },
    {
      when: ({ modifier, indicators }) => isOfAssistant(modifier) && indicators?.['assistant'] === '0',
      text: DOCUMENTS,
    },
    {
      when: ({ modifier, indicators }) => isOfCoSurgeon(modifier) && indicators?.['co_surgeon'] === '1',
      text: DOCUMENTS,
    },
    {
      when: ({ modifier, indicators }) => isOfCoSurgeon(modifier) && indicators?.['co_surgeon'] === '2',
      text: 'Without documents Medicare pays it only if the two surgeons are of different specialties.',
    },
  ],
  sum: [
    {
      when: (rows) => rows.some(({ setting }) => setting === 'facility'),
      text: 'Facility fees of the physician schedule are the doctor’s part; the hospital is paid separately.',
    },
    {
      when: isSeveral,
      text: 'Of several procedures or units on one day Medicare pays some at a lower rate, which is not in the sum.',
    },
  ],
} satisfies ScheduleWords

/** The rows that a proof has beside the answer. */
const leavesIn = (proof: AmountContext['proof']): AnyRow[] =>
  (proof?.releases ?? []).flatMap(({ rows }) => (rows?.leaves ?? []).map(([, row]) => row))

/** Whether the question is about a hospital's bill for somebody who does not stay. */
const isOutpatient = ({ setting, kind, revenue_code }: Members): boolean =>
  setting === 'outpatient' || kind === 'hospital' || Boolean(!kind && revenue_code)

/** Whether the outpatient schedule packages the code with others: its status indicator is Q4, or one of Q1 to Q3. */
const isPackagedByOutpatient = ({ question, proof }: AmountContext): boolean =>
  isOutpatient(question) &&
  leavesIn(proof).some((row) => {
    const { basis, code, reason } = row as { basis?: string; code?: string; reason?: string }
    return basis === 'medicare_opps' && code === question['cpt'] && reason === 'conditionally_packaged'
  })

const LABORATORY = {
  ...MEDICARE,
  bases: { medicare_clfs: { whose: 'Laboratory', short: 'Medicare, laboratory', is: 'the Medicare laboratory fee' } },
  payment: [
    {
      when: (context) => inSentence(context) && isPackagedByOutpatient(context),
      text: 'The outpatient schedule packages it with other services on the same claim: only where it stands alone is the hospital paid for it separately.',
    },
  ],
  needsEvidence: isOutpatient,
} satisfies ScheduleWords

const NATIONAL_RATE =
  'The rate that Medicare’s published schedule has for this service in the whole country, on this day, before it is adjusted to the wages of a place. It includes the part that a Medicare patient pays.'
const TO_FACILITY: AmountNote = {
  when: inSentence,
  text: 'It is what the hospital or center is paid; doctors are paid separately.',
}
const FOR_ONE_UNIT = 'It is for one unit of the code: its description says how much that is.'
const BEFORE_WAGES = 'It is the rate of the whole country, of which Medicare adjusts a part to the wages of the place.'
/** Drugs, biologicals and skin substitutes, by their indicators on both lists. */
const PAID_BY_UNIT = ['G', 'K', 'K2', 'S1', 'S2', 'S3']

const statusOf = ({ row }: AmountContext): string => row.indicators?.['status_indicator'] ?? ''
const OUTPATIENT = {
  ...MEDICARE,
  is: NATIONAL_RATE,
  bases: {
    medicare_opps: {
      whose: 'Hospital',
      short: 'Medicare, hospital outpatient',
      is: 'the Medicare hospital outpatient rate',
    },
  },
  payment: [
    TO_FACILITY,
    // Status indicators J1, J2 and Q1 to Q4. A short answer does not show them.
    {
      when: always,
      text: 'For many visits Medicare pays a hospital one amount for all services: it may include others on the bill, or be included in one of them.',
    },
    { when: (context) => PAID_BY_UNIT.includes(statusOf(context)), text: FOR_ONE_UNIT },
    // 42 CFR 419.43, and the list of status indicators in the final rules of the schedule.
    { when: (context) => /^(J[12]|P|Q[1-4]|[RSTUV])$/.test(statusOf(context)), text: BEFORE_WAGES },
  ],
  needsEvidence: always,
  sum: [
    {
      when: always,
      text: 'Outpatient rates are the hospital’s part, before Medicare adjusts them to the wages of the place; for many visits it pays one amount for all services, so that not all lines add up.',
    },
  ],
} satisfies ScheduleWords

const paymentOf = ({ row }: AmountContext): string => row.indicators?.['payment_indicator'] ?? ''
const SURGERY_CENTER = {
  ...MEDICARE,
  is: NATIONAL_RATE,
  bases: {
    medicare_asc: {
      whose: 'Surgery center',
      short: 'Medicare, surgery center',
      is: 'the Medicare surgery center rate',
    },
  },
  payment: [
    TO_FACILITY,
    { when: (context) => PAID_BY_UNIT.includes(paymentOf(context)), text: FOR_ONE_UNIT },
    // 42 CFR 416.172.
    { when: (context) => /^([ADGPRZ][0-9]|J8)$/.test(paymentOf(context)), text: BEFORE_WAGES },
  ],
  needsEvidence: always,
  sum: [
    {
      when: always,
      text: 'Surgery center rates are the center’s part, before Medicare adjusts them to the wages of the place.',
    },
    // 42 CFR 416.172.
    {
      when: isSeveral,
      text: 'Of several procedures on one day a center is paid the highest in full, and half of most others, which is not in the sum.',
    },
  ],
} satisfies ScheduleWords

const DRUGS = {
  ...MEDICARE,
  bases: { medicare_asp: { whose: 'Drug', short: 'Medicare, drug', is: 'the Medicare drug payment limit' } },
} satisfies ScheduleWords

/** Whether an amount holds in rural areas: CMS leaves the rural amount empty where the other one holds there too. */
export const holdsInRural = (place: { rural?: boolean | undefined } | undefined, setting: unknown): boolean =>
  setting === 'rural' || (place?.rural === true && setting !== 'non_rural')

/** Whether it is the fee of a whole state: outside rural areas, and of no former bidding area. */
const isStateFee = ({ setting, region }: Pick<PricedRow, 'setting' | 'region'>): boolean =>
  setting === 'non_rural' && !isBiddingArea(region)

const UNLISTED =
  'In former competitive bidding areas it may be another amount, and whether this ZIP code is in one is not known.'
/** Which of several fees for equipment applies at a ZIP code. Only lists of CMS say whether it is rural by the rule of this schedule. */
export const FEE_AT_ZIP: readonly Note<ZipPlace>[] = [
  {
    when: ({ bidding_area }) => Boolean(bidding_area),
    text: ({ bidding_area }) =>
      `This ZIP code lies in the former bidding area ${bidding_area}: its fee applies there, and the non_rural fee of the state where it has none.`,
  },
  {
    when: ({ bidding_area, rural }) => !bidding_area && rural === true,
    text: 'CMS lists this ZIP code as rural: there the rural fee applies, or the other one where it stands alone.',
  },
  {
    when: ({ bidding_area, rural }) => !bidding_area && rural === false,
    text: 'CMS does not list this ZIP code as rural: there the non_rural fee applies.',
  },
  { when: ({ bidding_area, rural }) => bidding_area === undefined && !rural, text: UNLISTED },
]

/** Whether the fee was asked for by a setting that is not that of the ZIP code. A page shows it beside a rural fee. */
function isOfOtherSetting({ question, place, row, on }: AmountContext): boolean {
  const isRuralAsked = question['setting'] === 'rural' && place?.rural === false
  if (on === 'page') return isRuralAsked && row.setting === 'rural'
  return isRuralAsked || (question['setting'] === 'non_rural' && place?.rural === true)
}
const isStateFeeTold = (context: AmountContext): boolean => inSentence(context) && isStateFee(context.row)
const isRented = ({ row: { modifier, price } }: AmountContext): boolean =>
  price.per === 'MONTH' && (modifier ?? '').split('-').some((each) => ROW_MODIFIERS.get(each)?.per === 'MONTH')
const isCategory = ({ row }: AmountContext, category: string | undefined): boolean =>
  row.indicators?.['category'] === category

const EQUIPMENT = {
  ...MEDICARE,
  bases: {
    medicare_dmepos: { whose: 'Equipment supplier', short: 'Medicare, equipment', is: 'the Medicare equipment fee' },
  },
  place: [
    ...FEE_AT_ZIP.map(
      (note): AmountNote => ({
        when: (context) => isOfOtherSetting(context) && note.when(context.place ?? {}),
        text: ({ place = {} }) => textOf(note, place),
      }),
    ),
    {
      when: ({ row, question, place, on }) =>
        on === 'sentence' && row.setting === 'rural' && question['setting'] !== 'rural' && place?.rural !== true,
      text: 'CMS states it for rural areas alone: outside of them there is no amount.',
    },
    {
      when: (context) => isStateFeeTold(context) && holdsInRural(context.place, context.question['setting']),
      text: 'CMS states no other amount for rural areas.',
    },
    {
      when: (context) =>
        isStateFeeTold(context) &&
        !holdsInRural(context.place, context.question['setting']) &&
        context.question['setting'] !== 'non_rural' &&
        context.place?.rural !== false,
      text: 'In rural areas it may be another amount: ask with setting=rural.',
    },
    {
      when: ({ row, place }) => isStateFee(row) && place === undefined,
      text: 'In former competitive bidding areas it may be another amount: give the ZIP code.',
    },
    {
      when: ({ row, place }) => isStateFee(row) && place !== undefined && place.bidding_area === undefined,
      text: UNLISTED,
    },
    {
      when: ({ row, place }) => isStateFee(row) && Boolean(place?.bidding_area),
      text: 'No amount of its own was loaded for the former competitive bidding area there.',
    },
  ],
  // 42 CFR 414.229; the category CR of the schedule. A short answer does not show the category.
  payment: [
    {
      when: (context) => isRented(context) && isCategory(context, undefined),
      text: 'If it is a capped rental, and not oxygen, a ventilator or an inexpensive item, it is the fee of the first three months; then three quarters of it are paid (two fifths for a power wheelchair), up to the 13th.',
    },
    {
      when: (context) => isRented(context) && isCategory(context, 'CR'),
      text: 'It is a capped rental: the fee of the first three months; then three quarters of it are paid (two fifths for a power wheelchair), up to the 13th.',
    },
  ],
  sum: [
    {
      when: (rows) => rows.some(isStateFee),
      text: 'Equipment may have another amount in rural areas and former bidding areas: a lookup of the line alone says which applies.',
    },
    {
      when: (rows) => rows.some(({ price, units }) => price.per === 'MONTH' && units > 3),
      text: 'Capped rentals cost less from the fourth month on, which is not in the sum.',
    },
  ],
} satisfies ScheduleWords

const INPATIENT = {
  caveat:
    'It is the federal base rate at a wage index of 1.0000, operating and capital, for a hospital that reported quality data and uses electronic records: before the wages of the place and before teaching, low-income, outlier, quality, transfer and other adjustments of the hospital. It is not what Medicare paid for a given stay: teaching and safety-net hospitals are paid more.',
  is: 'The federal base rate for this group of stays, by the federal year of the day of discharge: the weight of the group times Medicare’s standardized operating amount and capital rate, at a wage index of 1.0000.',
  isNot:
    'The Medicare price of a stay, what a patient owes, what a private insurer pays, an offer, or advice. The wages of the place, and the adjustments of teaching, low-income, outlier, quality and transfer cases, are not in it. Doctors bill separately.',
  bases: {
    medicare_ipps: { whose: 'Hospital', short: 'Medicare, stay (base rate)', is: 'the federal base rate for the stay' },
  },
} satisfies ScheduleWords

const ANESTHESIA = {
  caveat: 'It is multiplied by base units and time: it is not the price of a service.',
  payment: [
    {
      when: inSentence,
      text: 'The fee is (base units of the code + minutes / 15, to one tenth) x this factor: the base units and the minutes are still missing.',
    },
  ],
  is: 'The factor for one unit of anesthesia. Medicare multiplies it by the base units of the code and the units of time.',
  isNot: 'The price of a service, what a patient owes, what a private insurer pays, an offer, or advice.',
  bases: {
    medicare_anesthesia: {
      whose: 'Anesthesia',
      short: 'Medicare, anesthesia factor',
      is: 'the Medicare anesthesia factor',
    },
  },
} satisfies ScheduleWords

const HOSPITAL = {
  caveat: 'It is what the hospital published, not a quote.',
  is: 'What the hospital itself published as this kind of charge, in the file that the law requires of it.',
  isNot:
    'A quote for your visit, what your insurer pays, or what you owe. Doctors who work in the hospital may bill separately.',
  bases: {
    hospital_cash: { whose: 'Hospital', short: 'Hospital, cash price', is: 'the cash price that the hospital lists' },
    hospital_gross: {
      whose: 'Hospital',
      short: 'Hospital, gross charge',
      is: 'the gross charge that the hospital lists',
    },
    hospital_negotiated_low: {
      whose: 'Hospital',
      short: 'Hospital, lowest negotiated',
      is: 'the lowest negotiated charge that the hospital lists',
    },
    hospital_negotiated_high: {
      whose: 'Hospital',
      short: 'Hospital, highest negotiated',
      is: 'the highest negotiated charge that the hospital lists',
    },
    hospital_payer: {
      whose: 'Hospital',
      short: 'Hospital, one payer\u2019s own rate',
      is: 'the payer\u2019s own rate at this hospital, as the hospital lists it',
    },
    hospital_allowed_median: {
      whose: 'Hospital',
      short: 'Hospital, median that one payer allowed',
      is: 'the middle of what the payer allowed at this hospital in the past',
    },
    hospital_allowed_10th: {
      whose: 'Hospital',
      short: 'Hospital, tenth percentile that one payer allowed',
      is: 'what the payer allowed at this hospital in the past, at the tenth percentile',
    },
    hospital_allowed_90th: {
      whose: 'Hospital',
      short: 'Hospital, ninetieth percentile that one payer allowed',
      is: 'what the payer allowed at this hospital in the past, at the ninetieth percentile',
    },
    hospital_allowed_estimate: {
      whose: 'Hospital',
      short: 'Hospital, estimate of what one payer allows',
      is: 'the hospital\u2019s estimate of what the payer allows',
    },
  },
} satisfies ScheduleWords

/** In the order in which a bill tells what is not in its sum. */
export const SCHEDULES: readonly ScheduleWords[] = [
  PHYSICIAN,
  LABORATORY,
  OUTPATIENT,
  SURGERY_CENTER,
  DRUGS,
  EQUIPMENT,
  INPATIENT,
  ANESTHESIA,
  HOSPITAL,
]
export const BASIS_WORDS: { readonly [basis in Basis]: BasisWords } = {
  ...PHYSICIAN.bases,
  ...LABORATORY.bases,
  ...OUTPATIENT.bases,
  ...SURGERY_CENTER.bases,
  ...DRUGS.bases,
  ...EQUIPMENT.bases,
  ...INPATIENT.bases,
  ...ANESTHESIA.bases,
  ...HOSPITAL.bases,
}
export const wordsOf = (basis: Basis): ScheduleWords => SCHEDULES.find(({ bases }) => basis in bases) as ScheduleWords
export const needsEvidence = (basis: Basis, question: Members): boolean =>
  wordsOf(basis)?.needsEvidence?.(question) === true

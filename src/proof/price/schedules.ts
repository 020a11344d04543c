// The schedules of Medicare and the charges of hospitals: where they speak, and what their rows can have.

import { words } from '../shape.ts'

export const SETTINGS = [
  'non_facility',
  'facility',
  'outpatient',
  'inpatient',
  'asc',
  'rural',
  'non_rural',
  'super_rural',
] as const
export type Setting = (typeof SETTINGS)[number]

/** Facts of one basis: a schedule, or a kind of hospital charge. */
export interface ScheduleFacts {
  /** The closed names of the columns that a biller needs beside the price. */
  indicators: readonly string[]
  /** The methods by which its prices and absences come about. */
  methods: readonly string[]
  /** The settings of its prices, in the order in which they are tried; null if it has none. */
  settings: readonly (Setting | null)[]
  /** Whether a row holds for the whole country, for a Medicare locality, or for a state. */
  speaks: 'national' | 'locality' | 'state'
  /** The codes that one row stands for, under the code `as`: a factor is the same for all of them. */
  standIn?: { for: RegExp; as: string }
}

/** Any line may be refused by a rule. */
const methods = (names: string): readonly string[] => words(`${names} row-rule`).map((name) => `${name}/1`)

/** The conversion factor is the same for every anesthesia code. */
export const ANESTHESIA_CODES = { for: /^0[01]\d{3}$/, as: '00000' }

const PHYSICIAN: ScheduleFacts = {
  indicators: words('status global_days multiple_procedure bilateral assistant co_surgeon pc_tc'),
  methods: methods('pfs-formula cms-status pfs-na'),
  settings: ['non_facility', 'facility'],
  speaks: 'locality',
}
const CHARGE: ScheduleFacts = {
  indicators: words('compared_release compared_amount'),
  methods: methods('verbatim rounded range least-rate greatest-rate'),
  settings: [null],
  speaks: 'national',
}

/** By basis: `medicare_pfs_qpp` is the basis of the chart `cms-pfs-qpp`, and so on. */
export const SCHEDULES = {
  medicare_pfs: PHYSICIAN,
  medicare_pfs_qpp: PHYSICIAN,
  medicare_clfs: {
    indicators: ['indicator'],
    methods: methods('verbatim clfs-indicator no-amount'),
    settings: [null],
    speaks: 'national',
  },
  medicare_opps: {
    indicators: ['status_indicator'],
    methods: methods('verbatim rounded opps-status'),
    settings: ['outpatient'],
    speaks: 'national',
  },
  medicare_asc: {
    indicators: ['payment_indicator', 'multiple_procedure'],
    methods: methods('verbatim asc-indicator'),
    settings: ['asc'],
    speaks: 'national',
  },
  medicare_asp: {
    indicators: ['coinsurance'],
    methods: methods('verbatim no-amount'),
    settings: [null],
    speaks: 'national',
  },
  medicare_dmepos: {
    indicators: ['jurisdiction', 'category', 'ceiling', 'floor'],
    methods: methods('verbatim dmepos-blank'),
    settings: ['non_rural', 'rural'],
    speaks: 'state',
  },
  medicare_anesthesia: {
    indicators: [],
    methods: methods('verbatim rounded'),
    settings: [null],
    speaks: 'locality',
    standIn: ANESTHESIA_CODES,
  },
} satisfies { [basis: `medicare_${string}`]: ScheduleFacts }

/** The charges in the file of a hospital, by basis. */
export const HOSPITAL_CHARGES = {
  hospital_cash: CHARGE,
  hospital_gross: CHARGE,
  // A line without any amount is a negotiated charge: a percentage or a formula.
  hospital_negotiated_low: { ...CHARGE, methods: [...CHARGE.methods, 'no-amount/1'] },
  hospital_negotiated_high: CHARGE,
} satisfies { [basis: `hospital_${string}`]: ScheduleFacts }

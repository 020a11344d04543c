// What is known of each schedule and of the charges of hospitals: where they speak, and what their rows may have.

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

export interface ScheduleFacts {
  /** Closed names of the columns that a biller needs beside the price. */
  indicators: readonly string[]
  /** How its prices and absences may have come about. Any line may be refused by a rule. */
  methods: readonly string[]
  /** The settings of its prices, in the order in which they are tried; null where it knows none. */
  settings: readonly (Setting | null)[]
  /** Whether a row holds for the whole country, for a Medicare locality, or for a state. */
  speaks: 'national' | 'locality' | 'state'
  /** The codes that one row stands for, under the code `as`: a factor is the same for all of them. */
  standIn?: { for: RegExp; as: string }
}

const schedule = (
  indicators: string,
  methods: string,
  settings: ScheduleFacts['settings'] = [null],
  speaks: ScheduleFacts['speaks'] = 'national',
  method = 'verbatim',
): ScheduleFacts => ({
  indicators: words(indicators),
  methods: words(`row-rule ${method} ${methods}`).map((name) => `${name}/1`),
  settings,
  speaks,
})

/** The conversion factor is the same for every anesthesia code. */
export const ANESTHESIA_CODES = { for: /^0[01]\d{3}$/, as: '00000' }

const PHYSICIAN = schedule(
  'status global_days multiple_procedure bilateral assistant co_surgeon pc_tc',
  'cms-status pfs-na',
  ['non_facility', 'facility'],
  'locality',
  'pfs-formula',
)
const COMPARED = 'compared_release compared_amount'
const CHARGES = 'rounded range least-rate greatest-rate'
const CHARGE = schedule(COMPARED, CHARGES)

/** By what stands after `medicare_`. */
export const SCHEDULES = {
  pfs: PHYSICIAN,
  pfs_qpp: PHYSICIAN,
  clfs: schedule('indicator', 'clfs-indicator no-amount'),
  opps: schedule('status_indicator', 'rounded opps-status', ['outpatient']),
  asc: schedule('payment_indicator multiple_procedure', 'asc-indicator', ['asc']),
  asp: schedule('coinsurance', 'no-amount'),
  dmepos: schedule('jurisdiction category ceiling floor', 'dmepos-blank', ['non_rural', 'rural'], 'state'),
  anesthesia: { ...schedule('', 'rounded', [null], 'locality'), standIn: ANESTHESIA_CODES },
}
/** By what stands after `hospital_`. */
export const HOSPITALS = {
  cash: CHARGE,
  gross: CHARGE,
  // A line without any amount is a negotiated charge: a percentage or a formula.
  negotiated_low: schedule(COMPARED, `${CHARGES} no-amount`),
  negotiated_high: CHARGE,
}

/** The same table with other names and what goes with them. */
export const renamed = <T, R>(
  table: Record<string, T>,
  entry: (entry: [string, T]) => [string, R],
): Record<string, R> => Object.fromEntries(Object.entries(table).map(entry))

/**
 * The Medicare localities of each contractor: its number, the state that the localities are named after, and their
 * numbers. From the GPCI files of 2025 and 2026 (Addendum E of the physician schedule's final rules), which agree.
 * A locality can cross a state line: DC 01 has suburbs in Maryland and Virginia, and Hawaii 01 has Guam.
 */
const CONTRACTORS: readonly (readonly [contractor: string, state: string, localities: string])[] = [
  ['02102', 'AK', '01'],
  ['10112', 'AL', '00'],
  ['07102', 'AR', '13'],
  ['03102', 'AZ', '00'],
  ['01112', 'CA', '05 09 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 75'],
  ['01182', 'CA', '17 18 71 72 73 74'],
  ['04112', 'CO', '01'],
  ['13102', 'CT', '00'],
  ['12202', 'DC', '01'],
  ['12102', 'DE', '01'],
  ['09102', 'FL', '03 04 99'],
  ['10212', 'GA', '01 99'],
  ['01212', 'HI', '01'],
  ['05102', 'IA', '00'],
  ['02202', 'ID', '00'],
  ['06102', 'IL', '12 15 16 99'],
  ['08102', 'IN', '00'],
  ['05202', 'KS', '00'],
  ['15102', 'KY', '00'],
  ['07202', 'LA', '01 99'],
  ['14212', 'MA', '01 99'],
  ['12302', 'MD', '01 99'],
  ['14112', 'ME', '03 99'],
  ['08202', 'MI', '01 99'],
  ['06202', 'MN', '00'],
  ['05302', 'MO', '01 02 99'],
  ['07302', 'MS', '00'],
  ['03202', 'MT', '01'],
  ['11502', 'NC', '00'],
  ['03302', 'ND', '01'],
  ['05402', 'NE', '00'],
  ['14312', 'NH', '40'],
  ['12402', 'NJ', '01 99'],
  ['04212', 'NM', '05'],
  ['01312', 'NV', '00'],
  ['13202', 'NY', '01 02 03'],
  ['13282', 'NY', '99'],
  ['13292', 'NY', '04'],
  ['15202', 'OH', '00'],
  ['04312', 'OK', '00'],
  ['02302', 'OR', '01 99'],
  ['12502', 'PA', '01 99'],
  ['09202', 'PR', '20'],
  ['14412', 'RI', '01'],
  ['11202', 'SC', '01'],
  ['03402', 'SD', '02'],
  ['10312', 'TN', '35'],
  ['04412', 'TX', '09 11 15 18 20 28 31 99'],
  ['03502', 'UT', '09'],
  ['11302', 'VA', '00'],
  ['09202', 'VI', '50'],
  ['14512', 'VT', '50'],
  ['02402', 'WA', '02 99'],
  ['06302', 'WI', '00'],
  ['11402', 'WV', '16'],
  ['03602', 'WY', '21'],
]

const REGIONS: ReadonlyMap<string, string> = new Map(
  CONTRACTORS.flatMap(([contractor, state, localities]) =>
    localities.split(' ').map((locality) => [`${contractor} ${locality}`, `US-${state}-${locality}`] as const),
  ),
)

/** All of them, as `US-IL-16`. */
export const LOCALITIES: readonly string[] = [...REGIONS.values()].sort()

const STATES = new Set(CONTRACTORS.map(([, state]) => state))
/** Whether localities are named after a state. */
export const isLocalityState = (state: string): boolean => STATES.has(state)

/** The islands of the Pacific lie in the locality of Hawaii, and have ZIP codes of their own. */
const PACIFIC = new Set(['AS', 'FM', 'GU', 'MH', 'MP', 'PW'])
/** Whether a ZIP code can lie in a state or territory. */
export const isPostalState = (state: string): boolean => STATES.has(state) || PACIFIC.has(state)

/** The region of a locality as files name it, by the numbers of the contractor and of the locality. */
export const regionOf = (contractor: string, locality: string): string | undefined =>
  REGIONS.get(`${contractor} ${locality}`)

// Questions about the invented files: codes with and without modifiers, places in every spelling, days in and outside of
// the periods.

import fc from 'fast-check'
import type { Asked } from './naive-model.ts'
import { CODES, FILLER, NPIS, ZIPS } from './naive-world.ts'

/** One of these in so many of a hundred questions. */
const among = (percent: number, ...words: string[]): fc.Arbitrary<string | undefined> =>
  fc.oneof(
    { weight: 100 - percent, arbitrary: fc.constant(undefined) },
    { weight: percent, arbitrary: fc.constantFrom(...words) },
  )

const question: fc.Arbitrary<Asked> = fc
  .record({
    cpt: fc.constantFrom(...CODES, ...CODES, FILLER, 'G7777'),
    as_of: fc.constantFrom(
      ...[
        '2026-01-01',
        '2026-02-14',
        '2026-02-15',
        '2026-02-20',
        '2026-03-10',
        '2026-03-20',
        '2026-03-31',
        '2026-04-01',
      ],
      ...[
        '2026-03-05',
        '2026-02-28',
        '2026-04-10',
        '2026-04-15',
        '2026-05-20',
        '2026-07-10',
        '2026-10-01',
        '2027-02-20',
      ],
      '2025-12-31',
    ),
    region: among(
      70,
      ...[
        'national',
        'NATIONAL',
        'US-IL',
        'IL',
        'il',
        'US-IL-16',
        'us-il-16',
        'US-IL-99',
        'AL',
        'US-AL-00',
        'CA',
        'IL',
      ],
      ...['US-CA-05', 'AK', 'GU', 'US-TX-11', ...ZIPS, `ZIP-${ZIPS[2]}`, ...ZIPS.map((zip) => `${zip}-0001`), 'AL'],
      ...['60611-1234', 'zip-60007-9999', '12345', 'US-AL-00', 'US-IL-15', 'US-CA-18', 'US-IL-12'],
    ),
    modifier: among(
      45,
      ...[
        '26',
        'TC',
        '53',
        'tc',
        'QW',
        'RR',
        'NU',
        'KH-RR',
        '25',
        '59',
        'RT',
        '25-26',
        '25-59',
        'LT-RT',
        '59-RT',
        'TC-25',
        '50',
        '62',
        '80',
        'AS',
      ],
      ...['50-RT', '26-50', '50-62', '51', '22', '66', '91', 'JZ', '26', 'TC', '25', '50'],
      ...['26-51', '52', '52-59', 'FX', 'FX-TC', '26-FX', 'PN', 'PO', 'QK', '54', '55-RT', 'KJ-RR', '52-FX'],
    ),
    setting: among(
      35,
      ...['non_facility', 'facility', 'outpatient', 'asc', 'rural', 'non_rural', 'facility', 'outpatient', 'asc'],
      ...['inpatient', 'super_rural'],
    ),
    basis: among(
      35,
      ...['medicare_pfs', 'medicare_pfs_qpp', 'medicare_clfs', 'medicare_opps', 'medicare_asc', 'medicare_asp'],
      ...['medicare_pfs', 'medicare_dmepos', 'medicare_dmepos', 'hospital_gross'],
    ),
    kind: among(12, 'hospital', 'professional', 'surgery_center', 'equipment'),
    revenue_code: among(8, '0450', '450', '0981', '960', '0270'),
    place_of_service: among(8, '11', '12', '21', '24'),
  })
  .map((asked) => given(asked))
/** With a hospital there is another basis to ask for, and another setting. */
const atHospital: fc.Arbitrary<Asked> = fc
  .tuple(
    question,
    fc.record({
      npi: fc.constantFrom(...NPIS, ...NPIS.slice(0, 2)),
      setting: among(40, 'outpatient', 'inpatient', 'facility', 'asc'),
      basis: among(
        40,
        'hospital_cash',
        'hospital_gross',
        'hospital_negotiated_low',
        'hospital_negotiated_high',
        'medicare_pfs',
      ),
    }),
  )
  .map(([asked, hospital]) => given({ ...asked, ...hospital }))
const given = (asked: object): Asked =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as unknown as Asked
export const questions = fc.array(fc.oneof({ weight: 6, arbitrary: question }, { weight: 1, arbitrary: atHospital }), {
  minLength: 20,
  maxLength: 20,
  size: 'max',
})

// One invented file with what hospitals write now and then: each line has a code of its own.

import { npiNumber } from './release.ts'

const COLUMNS = [
  ...['description', 'code|1', 'code|1|type', 'code|2', 'code|2|type', 'modifiers', 'setting', 'billing_class'],
  ...[
    'drug_unit_of_measurement',
    'drug_type_of_measurement',
    'standard_charge|gross',
    'standard_charge|discounted_cash',
  ],
  ...['payer_name', 'plan_name', 'standard_charge|negotiated_dollar', 'standard_charge|min', 'standard_charge|max'],
] as const
type Line = Partial<Record<(typeof COLUMNS)[number], string>>
const [GROSS, RATE, LEAST, MOST, MODIFIERS, UNIT, MEASURE] = [
  ...['standard_charge|gross', 'standard_charge|negotiated_dollar', 'standard_charge|min', 'standard_charge|max'],
  ...['modifiers', 'drug_unit_of_measurement', 'drug_type_of_measurement'],
] as const

const each = (column: string, values: readonly string[]): Line[] =>
  values.map((value) => ({ [GROSS]: '20', [column]: value }))

/** Lines that belong together have the same code. */
const ODDITIES: Line[] = [
  ...each('setting', ['', 'OP', 'Inpatient|Outpatient', ' Outpatient ', 'BOTH', 'N/A']),
  ...each('billing_class', ['', 'Both', 'PROFESSIONAL', 'Physician', ' facility']),
  ...each(MODIFIERS, ['RT,LT', 'RT LT', 'RT-LT', '26;TC', 'rt', '[RT]', "'26", '26.0', '5', '0360', '360|RT', 'RT|RT']),
  ...each(MODIFIERS, ['90TC', 'GOSP', 'None', 'N/A', 'A1|A2|A3|A4|A5', '26/TC', 'TC&26', '--', 'Q', '-L | ON', '981']),
  ...each(GROSS, ['N/A', 'null', '-', '12']),
  ...each(GROSS, [
    '1234.5 ',
    '1,234',
    '(5.00)',
    '$ 12',
    '12.3.4',
    '1.234,50',
    '12-15',
    '50%',
    '1e3',
    '00012.50',
    '5.',
    '.5',
  ]),
  ...each(GROSS, [
    '1 234.50',
    '12.50\u00a0',
    '12,34',
    '-7',
    '0.001',
    '0.00001',
    '0.005',
    '1000000000',
    '999999.99',
    '99999.99',
  ]),
  ...each(GROSS, [
    '12345678.12345',
    '$1,234.56',
    'NaN',
    '0x10',
    '$',
    '$0.00',
    '0',
    'TBD',
    '1,234,567.891',
    '140.20951',
  ]),
  ...each(UNIT, ['1.0', '0.5', '10', '0', 'x', '5.55555555']).map((line) => ({ ...line, [MEASURE]: 'ml' })),
  ...each(UNIT, ['1', '']).flatMap((line) => ['XX', ''].map((type) => ({ ...line, [MEASURE]: type }))),
  ...each('code|1', [
    '12U',
    '7t',
    '444F',
    '18M',
    '="99219"',
    "'99220",
    '99216.0',
    '99217\u00a0',
    'g0101',
    '00100',
    '9923O',
  ]),
  ...each('code|1', ['99213-25', '99215TC', 'G01O1', '1140', '12345678']),
  ...each('code|1|type', ['CPT\u00ae', 'HCPCS/CPT', 'cpt ', 'CPT-4', 'LOCAL', '']),
  ...['0981', '971', '0450'].map((code) => ({ billing_class: '', [GROSS]: '5', 'code|2': code, 'code|2|type': 'RC' })),
  { [GROSS]: '5', 'code|2': 'G0302', 'code|2|type': 'HCPCS' },
  { [RATE]: '5', [LEAST]: '6', [MOST]: '9' },
  { [RATE]: '15', [LEAST]: '6', [MOST]: '9' },
  { [RATE]: '7', [LEAST]: '9', [MOST]: '6' },
  { [RATE]: '7', [LEAST]: 'x', [MOST]: '9' },
  { [RATE]: 'x', [LEAST]: '3', [MOST]: '9' },
  { [RATE]: 'x' },
  {},
]
const PAIRS: [Line, Line][] = [
  [{ [RATE]: '7', [LEAST]: '6' }, { [RATE]: '4' }],
  [{ [GROSS]: '0' }, { [GROSS]: '12' }],
  [{ [GROSS]: '50' }, { [GROSS]: '5', setting: 'both' }],
  [{ [GROSS]: '50' }, { [GROSS]: '5', setting: 'OP' }],
  [{ [GROSS]: '50' }, { [GROSS]: '5', [MODIFIERS]: 'Q' }],
  [{ [GROSS]: '50' }, { [GROSS]: '5', billing_class: 'professional' }],
  [
    { [GROSS]: '50', [UNIT]: '1', [MEASURE]: 'ML' },
    { [GROSS]: '5', [UNIT]: '10', [MEASURE]: 'ML' },
  ],
  [{ [GROSS]: '51.765' }, { [GROSS]: '214.11' }],
  [{ [GROSS]: '0.0464' }, { [GROSS]: '14690.59' }],
]

const quoted = (cell: string): string => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

export function oddFile(): string {
  const head = ['hospital_name', 'last_updated_on', 'version', 'location_name', 'hospital_address', 'license_number|MD']
  const general = [...head, 'type_2_npi', 'To the best of its knowledge and belief', 'attester_name']
  const values = ['X', '2026-04-01', '3.0.0', 'X', 'X', '1', npiNumber(999_999), 'true', 'X']
  const sound: Line[] = Array.from({ length: 200 }, () => ({ [GROSS]: '10', [RATE]: '8', [LEAST]: '8', [MOST]: '9' }))
  const groups = [...sound, ...ODDITIES].map((line) => [line]).concat(PAIRS)
  const lines = groups.flatMap((group, i) =>
    group.map((line) => {
      const given = {
        'code|1': `G${1000 + i}`,
        'code|1|type': 'CPT',
        setting: 'outpatient',
        billing_class: 'facility',
        ...line,
      }
      return COLUMNS.map((column) => quoted((given as Line)[column] ?? '')).join(',')
    }),
  )
  return [general.join(','), values.join(','), COLUMNS.join(','), ...lines, ''].join('\n')
}

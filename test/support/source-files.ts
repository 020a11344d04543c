import { joined, zip } from '../../src/files/zip-fixture.ts'
import { utf8 } from '../../src/proof/bytes.ts'

// A file in every layout that is loaded. Codes and amounts are invented, and `words` stands wherever a publisher
// writes text: in a place that no one reads, or, in the lines that must be refused, in one that is read.

/** The text for a place, which may have room for only so many characters. */
export type Words = (place: string, width?: number) => string

const code = (i: number): string => `G${String(1 + i).padStart(4, '0')}`
const amount = (i: number): string => `${10 + (i % 900)}.25`
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
/** No reader of text takes a NUL; JSON can carry one. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""').replaceAll('\0', '')}"`
const cell = (text: string): string => (/^[ -~]*$/.test(text) && !/["',]/.test(text) ? text : quoted(text))
const csv = (rows: readonly (readonly string[])[], end = '\r\n'): string =>
  rows.map((cells) => cells.map(cell).join(',') + end).join('')

/** A row for each column with words in it, where a code, an amount or a day should be. */
const spoiled = (place: string, words: Words, row: readonly string[], columns: readonly number[]): string[][] =>
  columns.map((at) => row.with(at, words(`${place}, column ${at + 1}`)))

// The physician schedule.

const TITLE = '2026 National Physician Fee Schedule Relative Value File October Release'
const PHYSICIAN =
  'HCPCS,MOD,DESCRIPTION,STATUS/CODE,NOT USED/FOR/MEDICARE/PAYMENT,WORK/RVU,NON-FAC/PE RVU,NON-FAC/NA/INDICATOR,FACILITY/PE RVU,FACILITY/NA/INDICATOR,MP/RVU,GLOB/DAYS,ENDO/BASE,CONV/FACTOR,NON-FACILITY/PE USED/FOR OPPS/PAYMENT/AMOUNT,FACILITY/PE USED/FOR OPPS/PAYMENT/AMOUNT,MP USED/FOR OPPS/PAYMENT/AMOUNT'
    .split(',')
    .map((column) => column.split('/'))

export function relativeValues(words: Words, rows: number): string {
  const line = (i: number): string[] => [
    ...[code(i), i % 7 === 0 ? '26' : '', words('PPRRVU description'), 'A', words('PPRRVU unused cell'), '0.45'],
    ...['0.70', '', '0.28', i % 5 === 0 ? 'NA' : '', '0.05', words('PPRRVU days'), words('PPRRVU base'), '33.4009'],
    ...['0.00', '0.00', '0.00', words('PPRRVU more')],
  ]
  return csv([
    [words('PPRRVU corner', 60), '', TITLE, words('PPRRVU title', 60)],
    ['', words('PPRRVU notice', 200)],
    ...[5, 4, 3, 2, 1].map((up) => [...PHYSICIAN.map((name) => name.at(-up) ?? ''), words('PPRRVU header', 60)]),
    ...upTo(rows).map(line),
    ...spoiled('PPRRVU', words, line(rows), [0, 1, 3, 5, 6, 8, 10, 13, 14, 15, 16]),
  ])
}

/** First and last character of each cell, counted from 1. */
const PLACES: [number, number, (i: number, words: Words) => string][] = [
  [1, 7, (i) => `${code(i)}  `],
  [8, 57, (_, words) => words('PPRRVU text description', 50).padEnd(50)],
  [58, 65, () => 'A   0.45'],
  [67, 74, () => '  0.70  '],
  [76, 83, () => '  0.28NA'],
  [85, 89, () => ' 0.05'],
  [91, 131, (_, words) => words('PPRRVU text filler', 40).padEnd(41)],
  [133, 140, () => '33.4009 '],
  [152, 171, () => '  0.00   0.00   0.00'],
]

export function relativeValuesText(words: Words, rows: number): string {
  const line = (i: number): string => {
    const text = Array.from({ length: 171 }, () => ' ')
    for (const [from, to, value] of PLACES) text.splice(from - 1, to - from + 1, ...[...value(i, words)])
    return text.join('')
  }
  return [
    `HDR ${words('PPRRVU text notice', 150)}`,
    ...upTo(rows).map(line),
    words('PPRRVU text line', 171).padEnd(171),
    `TRL ${words('PPRRVU text trailer', 150)}`,
    '\u001a',
  ].join('\r\n')
}

const INDICES: [string, string, string][] = [
  ['02102', 'AK', '01'],
  ['10112', 'AL', '00'],
  ['01182', 'CA', '18'],
]

export const indices = (words: Words, notes: number): string =>
  csv([
    [words('GPCI title'), '', ''],
    [
      ...['Medicare Administrative Contractor (MAC)', 'State', 'Locality Number', 'Locality Name'],
      ...['2026 PW GPCI (without 1.0 Floor)', '2026 PW GPCI (with 1.0 Floor)', '2026 PE GPCI', '2026 MP GPCI'],
      words('GPCI header'),
    ],
    ...INDICES.map((place) => [...place, words('GPCI name'), '0.988', '1.000', '0.875', '0.566', words('GPCI more')]),
    ...upTo(notes).map(() => [words('GPCI footnote'), words('GPCI footnote'), '']),
  ])

export const indicesText = (words: Words, notes: number): string =>
  [
    words('GPCI text title', 100),
    `${'Medicare Admi State  Locality    Locality Name'.padEnd(118)}2026 PW GPCI2026 PE GPCI2026 MP GPCI`,
    ...INDICES.map(
      ([mac, state, number]) =>
        `${`${mac}           ${state}      ${number}   ${words('GPCI text name', 60)}`.padEnd(121)}1.000       0.875       0.566`,
    ),
    ...upTo(notes).map(() => words('GPCI text footnote', 200)),
  ].join('\r\n')

export function outpatientCap(words: Words, rows: number): string {
  const line = (i: number): string[] => [code(i), '', 'A', '02102', '01', '33.00', '44.00', words('OPPSCAP more')]
  const head = ['HCPCS', 'MOD', 'PROCSTAT', 'CARRIER', 'LOCALITY', 'FACILITY PRICE', 'NON-FACILTY PRICE']
  return csv([
    [...head, words('OPPSCAP header')],
    ...upTo(rows).map(line),
    ...spoiled('OPPSCAP', words, line(rows), [0, 1, 2, 3, 4, 5, 6]),
  ])
}

export const zipCodes = (words: Words, rows: number): string =>
  upTo(rows)
    .map((i) => `AK${99000 + i}0210201 Z9   ${i % 3 === 0 ? 1 : 0} A${words('ZIP5 filler', 40).padEnd(52)}20264`)
    .join('\r\n')

/** The last four digits of the ZIP codes that they decide. */
export const zipExtensions = (words: Words, rows: number): string =>
  upTo(rows)
    .flatMap((i) => (i % 3 === 0 ? [`AK${99000 + i}0210201`, `AL${99000 + i}1011200`] : []))
    .map((place, i) => `${place} Z9   1${1000 + (i % 2)}${words('ZIP9 filler', 40).padEnd(50)}20264`)
    .join('\r\n')

export const zipTable = (words: Words, rows: number): string[][] => [
  ['STATE', 'ZIP CODE', 'CARRIER', 'LOCALITY', 'RURAL IND', 'LAB CB LOCALITY', 'PLUS 4 FLAG', 'YEAR/QTR'],
  ...upTo(rows).map((i) => [
    ...['AK', String(99000 + i), '02102', '01', words('ZIP5 rural'), words('ZIP5 laboratory'), '0', '20264'],
    words('ZIP5 more'),
  ]),
]

// Tables: the laboratory and the outpatient schedule, as text and as workbooks.

const LABORATORY = ['YEAR', 'HCPCS', 'MOD', 'EFF_DATE', 'INDICATOR', 'RATE', 'SHORTDESC', 'LONGDESC']

export function laboratory(words: Words, rows: number): string[][] {
  const line = (i: number): string[] => [
    ...['2026', code(i), i % 9 === 0 ? 'QW' : '', '20260101', i % 11 === 0 ? 'L' : 'N', amount(i)],
    ...[words('CLFS short description'), words('CLFS description'), words('CLFS more')],
  ]
  return [
    [words('CLFS title', 100), words('CLFS notice', 200)],
    [...LABORATORY, words('CLFS header', 60)],
    ...upTo(rows).map(line),
    ...spoiled('CLFS', words, line(rows), [0, 1, 2, 3, 4, 5]),
  ]
}

export function addendum(words: Words, rows: number): string[][] {
  const line = (i: number): string[] => [
    ...[code(i), words('OPPS description'), i % 11 === 0 ? 'N' : 'J2', words('OPPS class'), words('OPPS weight')],
    ...[i % 11 === 0 ? '' : amount(i), words('OPPS note')],
  ]
  return [
    [words('OPPS title', 100), words('OPPS notice', 200)],
    ['HCPCS Code', 'Short Descriptor', 'SI', 'APC', 'Relative Weight', 'Payment Rate', words('OPPS header', 60)],
    ...upTo(rows).map(line),
    ...spoiled('OPPS', words, line(rows), [0, 2, 5]),
  ]
}

// Drugs, surgery centers, equipment and anesthesia.

export function drugLimits(words: Words, rows: number): string[][] {
  const line = (i: number): string[] => [
    ...[code(i), words('ASP description'), i % 4 === 0 ? words('ASP dosage') : '10 MG', `${amount(i)}7`, '20.000'],
    ...[words('ASP AWP'), words('ASP vaccine'), words('ASP blood'), words('ASP limit'), words('ASP factor')],
    ...[i % 5 === 0 ? 'HIV PrEP drug' : words('ASP notes'), words('ASP more')],
  ]
  return [
    [words('ASP title', 100)],
    ['Effective October 1, 2026 through December 31, 2026', words('ASP beside the period', 60)],
    [words('ASP notice', 200)],
    [
      ...['HCPCS Code', 'Short Description', 'HCPCS Code Dosage', 'Payment Limit', 'Co-insurance Percentage'],
      ...['Vaccine AWP%', 'Vaccine Limit', 'Blood AWP%', 'Blood limit', 'Clotting Factor', 'Notes'],
      words('ASP header', 60),
    ],
    ...upTo(rows).map(line),
    ...spoiled('ASP', words, line(rows), [0, 3, 4]),
  ]
}

export function surgeryCenter(words: Words, rows: number, isBB: boolean): string[][] {
  const line = (i: number): string[] => [
    ...[code(i + (isBB ? 5_000 : 0)), words('ASC mark'), words('ASC description'), isBB ? words('ASC expiry') : 'Y'],
    ...[i % 11 === 0 ? 'N1' : 'G2', words('ASC weight'), i % 11 === 0 ? '' : `$1,${100 + (i % 900)}.25 `],
    words('ASC copayment'),
  ]
  return [
    [words('ASC title', 100), words('ASC notice', 200)],
    [
      ...['HCPCS Code', '', 'Short Descriptor', isBB ? 'Expiration' : 'Subject to Multiple Procedure Discounting'],
      ...['October 2026 Payment Indicator', 'October 2026  Payment Weight  ', 'October 2026 Payment Rate '],
      words('ASC header', 60),
    ],
    ...upTo(rows).map(line),
    ...spoiled('ASC', words, line(rows), [0, 4, 6]),
    [words('ASC footnote', 200), '', '', '', '', '', ''],
  ]
}

const STATES =
  'AL AR AZ CA CO CT DC DE FL GA IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY AK HI PR VI'.split(
    ' ',
  )

export function equipment(words: Words, rows: number): string[][] {
  const line = (i: number): string[] => [
    ...[code(i), i % 3 === 0 ? 'RR' : '', i % 6 === 0 ? 'KH' : '', i % 2 === 0 ? 'D' : words('DMEPOS jurisdiction')],
    ...[words('DMEPOS category'), i % 2 === 0 ? '90.50' : words('DMEPOS ceiling'), '10.25'],
    ...STATES.flatMap((_, at) => (i % 7 === 0 ? ['0', '0'] : [amount(i + at), at % 2 === 0 ? '0' : amount(i)])),
    words('DMEPOS description'),
  ]
  return [
    [words('DMEPOS title', 100)],
    ['October 2026 Fee Schedule', words('DMEPOS notice', 60)],
    [
      ...['HCPCS', 'Mod', 'Mod2', 'JURIS', 'CATG', 'Ceiling', 'Floor'],
      ...STATES.flatMap((state) => [`${state} (NR)`, `${state} (R)`]),
      ...['Description', words('DMEPOS header', 60)],
    ],
    ...upTo(rows).map(line),
    ...spoiled('DMEPOS', words, line(rows), [0, 1, 7]),
  ]
}

export const anesthesia = (words: Words, notes: number): string[][] => [
  [words('ANES title', 60)],
  [
    ...['Contractor', 'Locality', 'Locality Name', 'Qualifying APM National Anes CF of 20.599835'],
    ...['Non-Qualifying APM National Anes CF (with 2.5% increase)  of 20.49754', words('ANES header', 60)],
  ],
  ...INDICES.map(([mac, , number], i) => [
    ...[`${mac} `, `${number} `, words('ANES name'), words('ANES other factor'), `2${i}.25 `, words('ANES more')],
  ]),
  [`${INDICES[0]?.[0]} `, words('ANES locality'), '', '', words('ANES factor')],
  ...upTo(notes).map(() => [words('ANES footnote'), '', words('ANES footnote'), '', '']),
]

/** Table 5 of the inpatient rule: groups of stays and their weights. */
export function stays(words: Words, rows: number): string[][] {
  const line = (i: number): string[] => [
    ...[String(1 + i).padStart(3, '0'), 'Yes', 'No', words('Table 5 category'), words('Table 5 type')],
    ...[words('Table 5 group'), '9.0000', '1.2345', '2.5', '3.0', words('Table 5 more')],
  ]
  return [
    [words('Table 5 title', 60), 'FY 2027 Final Rule'],
    [
      ...['MS-DRG ', 'FY 2027 Final Post-Acute DRG', 'FY 2027 Final Special Pay DRG', 'MDC', 'TYPE', 'MS-DRG Title'],
      ...['Weights - Before Cap', 'Weights - 10% Cap Applied ', 'Geometric mean LOS', 'Arithmetic mean LOS'],
      words('Table 5 header', 60),
    ],
    ...upTo(rows).map(line),
    ['998', 'No', 'No', '', '', words('Table 5 group'), '.', '.', '.', ''],
    ...spoiled('Table 5', words, line(rows), [0, 1, 2, 7, 8, 9]),
  ]
}

/** Tables 1A to 1E of the inpatient rule: the amounts that weights multiply. */
export const standardAmounts = (words: Words): string[][] => {
  const table = (name: string, labor: string, nonlabor: string): string[][] => [
    [`TABLE ${name}. ${words(`Table ${name} title`, 60)}`],
    ['Hospital Submitted Quality Data and is a Meaningful EHR User (Update = 2.6 Percent)', '', words('Table 1 class')],
    ['Labor-related', 'Nonlabor-related', 'Labor-related', 'Nonlabor-related'],
    [labor, nonlabor, words('Table 1 amount'), words('Table 1 amount')],
  ]
  return [
    ['FY 2027 FINAL RULE- Tables 1A-1E', words('Table 1 corner')],
    ...table('1A', '$4,400.50 ', '$2,100.50 '),
    ...table('1B', '$4,030.62 ', '$2,470.38 '),
    ['TABLE 1D. - CAPITAL STANDARD FEDERAL PAYMENT RATE'],
    ['', 'Rate', words('Table 1D header')],
    ['National', '$500.10 ', words('Table 1D more')],
    [words('Table 1 footnote', 200)],
  ]
}

/** The layout of those who have made a CSV of CMS's workbook. */
export const conversion = (words: Words, rows: number): string[][] => [
  ['HCPCSCode', 'ShortDescriptor', 'StatusIndicator', 'PaymentRate', 'Changed?', 'Source'],
  ...upTo(rows).map((i) => [
    ...[code(i), words('conversion description'), 'J2', `$${amount(i)} `],
    ...[words('conversion change'), words('conversion source')],
  ]),
]

// The tables of bill edits.

/** `claims` as the heading of the values has them: Practitioner Services. */
export function limits(words: Words, rows: number, claims: string): string[][] {
  const line = (i: number): string[] => [
    ...[code(i), String(i % 5), `${1 + (i % 3)} ${words('MUE adjudication', 30)}`, words('MUE rationale')],
  ]
  return [
    [`${words('MUE notice')}\n${words('MUE notice, second line', 200)}`, '', '', ''],
    ['HCPCS/\nCPT Code', `${claims} MUE Values`, 'MUE Adjudication Indicator', 'MUE Rationale', words('MUE header')],
    ...upTo(rows).map(line),
    ...spoiled('MUE', words, line(rows), [0, 1, 2]),
  ]
}

/** Each code is a pair with the two behind it; the first pair has ended, the second was withdrawn at once, and is in force again. */
export function pairs(words: Words, rows: number): string[][] {
  const lines = (i: number): string[][] => [
    [code(i), code(i + 1), '*', '19960101', '20260930', '0', words('PTP rationale')],
    [code(i), code(i + 2), '', '20250401', '20250401', '9', 'Misuse of Column Two code with Column One code'],
    [code(i), code(i + 2), '', '20260401', '*', '1', words('PTP rationale')],
  ]
  const [line = []] = lines(rows)
  return [
    [words('PTP notice', 200), '', '', '', '', '', ''],
    ['Column1/Column2 Edits', '', '', '', '', '', words('PTP title')],
    ['Column 1', 'Column 2', '*=in existence', 'Effective', 'Deletion', 'Modifier', 'PTP Edit Rationale'],
    ['', '', 'prior to 1996', 'Date', 'Date', '0=not allowed', words('PTP header')],
    ['', '', '', '', '*=no data', '1=allowed', ''],
    ['', '', '', '', '', '9=not applicable', ''],
    ...upTo(rows).flatMap(lines),
    ...spoiled('PTP', words, line, [0, 1, 3, 4, 5]),
  ]
}

export function addOns(words: Words, rows: number): string[][] {
  const line = (i: number): string[] => [
    ...[String(1 + (i % 3)), code(i), words('AOC day', 10), i % 3 === 1 ? 'CCCCC' : code(i + 1), words('AOC day', 10)],
    ...['2020001', i % 4 === 0 ? '2026090' : '', words('AOC note')],
  ]
  return [
    [words('AOC notice', 200), ...Array.from({ length: 7 }, () => '')],
    [
      ...['AOC_Edit_Type', 'Add-On_Code', 'AOC_DelDT', 'Primary_Code', 'Primary_Code_DelDT'],
      ...['AOC_Edit_EffDT', 'AOC_Edit_DelDT', 'Special_Instruction_Notes', words('AOC header')],
    ],
    ...upTo(rows).map(line),
    ...spoiled('AOC', words, line(rows), [0, 1, 3, 5, 6]),
  ]
}

export const asCsv = (rows: readonly (readonly string[])[]): Uint8Array => utf8(csv(rows, '\n'))
/** Cells that are parted by one character are never quoted: they cannot hold it, nor the end of a line. */
export const asDelimited = (rows: readonly (readonly string[])[], delimiter: string): Uint8Array =>
  utf8(rows.map((cells) => cells.map((text) => text.replaceAll(/[~\t|\r\n\0]/g, ' ')).join(delimiter)).join('\r\n'))

const xml = (text: string): string =>
  text
    .replaceAll('\0', '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
const SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook with every second text among the shared ones, and words in each of its other parts. */
export function asWorkbook(rows: readonly (readonly string[])[], words: Words): Uint8Array {
  const shared: string[] = []
  const text = (value: string, i: number): string =>
    i % 2 === 0
      ? `<c t="inlineStr"><is><t>${xml(value)}</t></is></c>`
      : `<c t="s"><v>${shared.push(`<si><t>${xml(value)}</t><rPh><t>${xml(words('xlsx reading'))}</t></rPh></si>`) - 1}</v></c>`
  const number = (value: string): string => `<c><f>${xml(words('xlsx formula'))}</f><v>${value}</v></c>`
  const data = rows.map((cells, i) => {
    const made = cells.map((value, at) => (/^[0-9]+\.[0-9]+$/.test(value) ? number(value) : text(value, at)))
    return `<row r="${i + 1}" x="${xml(words('xlsx attribute', 60))}">${made.join('')}</row>`
  })
  const hidden = `<sheet name="${xml(words('xlsx hidden sheet', 60))}" state="hidden" r:id="rId9"/>`
  const sheet = `<sheet name="${xml(words('xlsx sheet', 60))}" r:id="rId1"/>`
  const defined = `<definedNames><definedName name="x">${xml(words('xlsx name'))}</definedName></definedNames>`
  return zip([
    { name: '[Content_Types].xml', data: `<Types><!-- ${words('xlsx comment in XML', 60)} --></Types>` },
    { name: 'docProps/core.xml', data: `<p><creator>${xml(words('xlsx author'))}</creator></p>` },
    {
      name: 'xl/workbook.xml',
      data: `<workbook xmlns:r="${OFFICE}"><sheets>${hidden}${sheet}</sheets>${defined}</workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: `<Relationships><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    },
    {
      name: 'xl/worksheets/sheet1.xml',
      data: `<worksheet ${SPACE}><sheetData>${data.join('')}</sheetData></worksheet>`,
    },
    { name: 'xl/sharedStrings.xml', data: `<sst ${SPACE}>${shared.join('')}</sst>` },
    { name: 'xl/comments1.xml', data: `<comments><t>${xml(words('xlsx comment'))}</t></comments>` },
  ])
}

// Hospital files.

const NPI = '1234567893'

/** The list of an operator: each name has a sign outside of the alphabet of names. */
export function hospitalPlaces(words: Words, rows: number): string {
  const line = (i: number): string[] => [NPI, String(99000 + i), 'AK', `<${words('list, name')}`, words('list, more')]
  return csv([
    ['NPI', 'ZIP', 'State', 'Name', words('list header')],
    ...upTo(rows).map(line),
    ...spoiled('list', words, line(rows), [0, 1, 2]),
  ])
}

const general = (words: Words): string[][] => [
  [
    ...['hospital_name', 'last_updated_on', 'version', 'location_name', 'hospital_address', 'license_number|MD'],
    ...['type_2_npi', words('hospital attestation as a header'), 'attester_name', words('hospital header')],
  ],
  [
    ...[words('hospital name'), '2026-09-01', words('hospital version'), words('hospital location')],
    ...[words('hospital address'), words('hospital license'), NPI, words('attestation'), words('attester'), 'TRUE'],
  ],
]
const COMMON = ['description', 'code|1', 'code|1|type', 'setting', 'modifiers', 'standard_charge|gross']
const common = (i: number, words: Words): string[] => [
  ...[words('hospital description'), code(i), 'CPT', 'outpatient', i % 6 === 0 ? 'TC' : '', amount(i)],
]

export function tall(words: Words, rows: number): string {
  const more = ['payer_name', 'plan_name', 'standard_charge|negotiated_dollar', 'standard_charge|methodology']
  const line = (i: number): string[] => [
    ...[...common(i, words), words('payer'), words('plan'), amount(i + 3), words('methodology')],
    ...[words('hospital note'), words('column of the hospital')],
  ]
  return csv([
    ...general(words),
    [...COMMON, ...more, 'additional_generic_notes', words('column header of the hospital')],
    ...upTo(rows).map(line),
    ...spoiled('hospital tall', words, line(rows), [1, 2, 3, 4, 5, 8]),
  ])
}

export function wide(words: Words, rows: number, payers: number): string {
  const names = upTo(payers).map(() => `${words('payer in a header')}|${words('plan in a header')}`)
  const columns = names.flatMap((name) => [
    `standard_charge|${name}|negotiated_dollar`,
    `additional_payer_notes|${name}`,
  ])
  const line = (i: number): string[] => [
    ...common(i, words),
    ...names.flatMap((_, at) => [at % 40 === 0 ? amount(i + at) : '', at % 40 === 0 ? words('payer note') : '']),
  ]
  return csv([
    ...general(words),
    [...COMMON, ...columns],
    ...upTo(rows).map(line),
    ...spoiled('hospital wide', words, line(rows), [1, 2, 3, 4, 5, 6]),
  ])
}

export function hospitalJson(words: Words, rows: number): string {
  const extra = (): object => ({
    [words('JSON name', 60)]: { [words('JSON inner name')]: [words('JSON inner value')] },
  })
  const charge = (i: number, spoil: object = {}): object => ({
    ...{ setting: 'outpatient', gross_charge: Number(amount(i)), additional_generic_notes: words('JSON note') },
    payers_information: [
      {
        ...{ payer_name: words('JSON payer'), plan_name: words('JSON plan'), methodology: words('JSON methodology') },
        ...{ standard_charge_dollar: Number(amount(i + 3)), additional_payer_notes: words('JSON payer note') },
        ...extra(),
      },
    ],
    ...extra(),
    ...spoil,
  })
  const item = (cpt: string, charges: object[]): object => ({
    ...{ description: words('JSON description'), code_information: [{ code: cpt, type: 'CPT', ...extra() }] },
    ...{ standard_charges: charges, ...extra() },
  })
  const spoils = ['setting', 'gross_charge', 'modifier_code', 'minimum'].map((name) => ({
    [name]: words(`JSON ${name}`),
  }))
  return JSON.stringify({
    ...{
      hospital_name: words('JSON hospital'),
      location_name: [words('JSON location')],
      version: words('JSON version'),
    },
    ...extra(),
    standard_charge_information: [
      ...upTo(rows).map((i) => item(code(i), [charge(i)])),
      ...spoils.map((spoil) => item(code(rows), [charge(rows, spoil)])),
      item(words('JSON code'), [charge(rows)]),
      words('JSON in place of an item'),
    ],
    ...{ attestation: { attestation: words('JSON attestation'), attester_name: words('JSON attester') } },
    ...{ last_updated_on: '2026-09-01', type_2_npi: [NPI], ...extra() },
  })
}

/** A gzip header may carry the name of the file and a comment (RFC 1952). */
export function withGzipNames(packed: Uint8Array, words: Words): Uint8Array {
  const head = packed.slice(0, 10)
  head[3] = 0x18
  const text = (place: string): Uint8Array => utf8(`${words(place, 200).replaceAll('\0', '')}\0`)
  return joined([head, text('gzip name'), text('gzip comment'), packed.subarray(10)])
}

// The files of an invented edition, in the layouts that are loaded.

import { tallCsv } from '../../src/ingest/hospital/fixture.ts'
import { utf8 } from '../../src/proof/bytes.ts'
import { asCsv } from '../support/source-files.ts'
import {
  AREAS,
  type Edition,
  EQUIPMENT_STATES,
  type EquipmentLine,
  LOCALITIES,
  type Physician,
  type PhysicianLine,
  type TableLine,
  type Zips,
} from './naive-world.ts'

const decimal = (value: number, places: number): string => (value / 10 ** places).toFixed(places)

const PHYSICIAN_HEAD = [
  ...['HCPCS', 'MOD', 'STATUS CODE', 'WORK RVU', 'NON-FAC PE RVU', 'NON-FAC NA INDICATOR', 'FACILITY PE RVU'],
  ...['FACILITY NA INDICATOR', 'MP RVU', 'NON-FACILITY TOTAL', 'FACILITY TOTAL', 'PCTC IND', 'GLOB DAYS', 'MULT PROC'],
  ...['BILAT SURG', 'ASST SURG', 'CO-SURG', 'CONV FACTOR'],
  ...['NON-FACILITY PE USED FOR OPPS PAYMENT AMOUNT', 'FACILITY PE USED FOR OPPS PAYMENT AMOUNT'],
  'MP USED FOR OPPS PAYMENT AMOUNT',
]
function physicianCells(line: PhysicianLine, factor: number, work = decimal(line.work, 2)): string[] {
  const { practice, na: marked, cap } = line
  return [
    ...[line.cpt, line.modifier, line.status, work, decimal(practice.non_facility, 2), marked.non_facility ? 'NA' : ''],
    ...[decimal(practice.facility, 2), marked.facility ? 'NA' : '', decimal(line.malpractice, 2), '', ''],
    ...['0', 'XXX', '0', line.bilateral, line.assistant, line.co_surgeon, decimal(factor, 4)],
    ...[cap.non_facility, cap.facility, cap.malpractice].map((value) => decimal(value, 2)),
  ]
}
function physicianFiles({ lines, places, factor }: Physician, title: string): Uint8Array[] {
  const values = lines.flatMap((line) => {
    if (line.fault === 'unreadable') return [physicianCells(line, factor, 'x')]
    const cells = physicianCells(line, factor)
    return line.fault === 'contradicted' ? [cells, physicianCells(line, factor, decimal(line.work + 1, 2))] : [cells]
  })
  const head = ['Medicare Administrative Contractor (MAC)', 'State', 'Locality Number', 'Locality Name']
  const indices = places.map(({ region, indices: [work, practice, malpractice] }) => {
    const [, state = '', number = ''] = region.split('-')
    return [LOCALITIES[region] ?? '', state, number, 'X', ...[work, practice, malpractice].map((n) => decimal(n, 3))]
  })
  return [
    asCsv([[title], PHYSICIAN_HEAD, ...values]),
    asCsv([[title], [...head, '2026 PW GPCI (with 1.0 Floor)', '2026 PE GPCI', '2026 MP GPCI'], ...indices]),
  ]
}

const HEADS = {
  'cms-clfs': ['YEAR', 'HCPCS', 'MOD', 'INDICATOR', 'RATE'],
  'cms-asp': ['HCPCS Code', 'Short Description', 'HCPCS Code Dosage', 'Payment Limit'],
  'cms-opps': ['HCPCS Code', 'SI', 'Payment Rate'],
  'cms-asc': [
    ...['HCPCS Code', 'Short Descriptor', 'Subject to Multiple Procedure Discounting'],
    ...['Payment Indicator', 'Payment Weight', 'Payment Rate'],
  ],
} as const
function tableFile(chart: keyof typeof HEADS, lines: readonly TableLine[], title: string): Uint8Array {
  const cells = ({ cpt, modifier, mark }: TableLine, amount: string): string[] =>
    ({
      'cms-clfs': ['2026', cpt, modifier, mark, amount],
      'cms-asp': [cpt, 'X', '10 MG', amount],
      'cms-opps': [cpt, mark, amount],
      'cms-asc': [cpt, 'X', 'N', mark, '', amount],
    })[chart]
  const rows = lines.flatMap((line) => {
    const amount = line.amount === null ? '' : decimal(line.amount, 3)
    if (line.fault === 'unreadable') return [cells(line, 'x')]
    return line.fault === 'contradicted' ? [cells(line, amount), cells(line, '77777.77')] : [cells(line, amount)]
  })
  return asCsv([[title], [...HEADS[chart]], ...rows])
}

function equipmentFile(lines: readonly EquipmentLine[], title: string): Uint8Array {
  const head = ['HCPCS', 'Mod', 'Mod2', 'JURIS', 'CATG', 'Ceiling', 'Floor']
  const rows = lines.map(({ cpt, modifiers: [one = '', two = ''], amounts }: EquipmentLine) => [
    ...[cpt, one, two, 'D', 'IN', '0', '0'],
    ...EQUIPMENT_STATES.flatMap((state) => (amounts[state] ?? [0, 0]).map((amount) => decimal(amount, 2))),
  ])
  return asCsv([[title], [...head, ...EQUIPMENT_STATES.flatMap((state) => [`${state} (NR)`, `${state} (R)`])], ...rows])
}

/** The file of former bidding areas, which is not always there. */
function areaFiles(lines: readonly EquipmentLine[]): Uint8Array[] {
  const rows = lines.flatMap(({ cpt, modifiers: [one = '', two = ''], inAreas }) =>
    Object.keys(inAreas).length > 0
      ? [[cpt, one, two, '', 'IN', ...AREAS.map((area) => decimal(inAreas[area] ?? 0, 2)), 'X']]
      : [],
  )
  const head = ['HCPCS', 'Mod', 'Mod2', 'Mod3', 'CATG', ...AREAS, 'Description']
  return rows.length > 0 ? [asCsv([['AREAS'], head, ...rows])] : []
}

function zipFiles({ zips: all, withParts, rural, areas }: Zips, number: number): { name: string; bytes: Uint8Array }[] {
  const start = (zip: string, region: string, state: string): string =>
    `${state}${zip}${LOCALITIES[region]}${region.slice(6)}      `
  const five = all.map(({ zip, region, state, parts }) => `${start(zip, region, state)}${parts ? 1 : 0} A${number}`)
  const nine = all.flatMap(({ zip, parts }) =>
    (parts ?? []).map((part) => `${start(zip, part.region, part.state)}1${part.four}`),
  )
  const list = (rural ?? []).map((zip) => `IL,${zip},`)
  const inAreas = Object.entries(areas ?? {}).map(([zip, area]) => `IL,${zip},"${area.toUpperCase()}","${area} (all)",`)
  const files: [string, string[]][] = [
    ['ZIP5.txt', five],
    ['ZIP9.txt', withParts ? nine : []],
    ['DME Rural ZIP Code.csv', list.length > 0 ? ['STATE,DMEPOS RURAL ZIP CODE,YEAR/QTR', ...list] : []],
    [
      'Former CBA ZIP Code File.csv',
      inAreas.length > 0 ? ['CBA State,CBA ZIP Code,CBA Name Short,CBA Name,Year/Qtr', ...inAreas] : [],
    ],
  ]
  return files.flatMap(([name, lines]) =>
    lines.length > 0 ? [{ name, bytes: utf8(`${lines.join('\r\n')}\r\n`) }] : [],
  )
}

/** The files of an edition: their names and bytes. A number in each makes them differ from all others. */
export function filesOf(edition: Edition, number: number): { name: string; bytes: Uint8Array }[] {
  const title = `INVENTED ${number}`
  switch (edition.chart) {
    case 'cms-pfs':
    case 'cms-pfs-qpp':
      return named(['RVU.csv', 'GPCI.csv'], physicianFiles(edition.data, title))
    case 'cms-dmepos':
      return named(['table.csv', 'areas.csv'], [equipmentFile(edition.data, title), ...areaFiles(edition.data)])
    case 'zip-locality':
      return zipFiles(edition.data, number)
    case 'hospital-mrf':
      return named(['charges.csv'], [utf8(hospitalFile(edition, title))])
    default:
      return named(['table.csv'], [tableFile(edition.chart, edition.data, title)])
  }
}
const named = (names: readonly string[], files: readonly Uint8Array[]): { name: string; bytes: Uint8Array }[] =>
  files.map((bytes, i) => ({ name: names[i] ?? '', bytes }))

function hospitalFile({ from, data }: Extract<Edition, { chart: 'hospital-mrf' }>, words: string): string {
  return tallCsv(data.charges, { last_updated_on: from, npi: data.npis.join('|'), words })
}

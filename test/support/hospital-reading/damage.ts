import { tornCsv } from './torn-csv.ts'

// Real files, written as other hospitals would write them. Temporary files only: none of this is kept.

export interface Damage {
  name: string
  /** Damage that leaves the statements of a file as they were. */
  isHarmless: boolean
  /** The file as bytes, from the cells of its records: the first three are its head. */
  write: (records: string[][]) => Uint8Array
}

const quoted = (cell: string): string => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
const csv = (records: readonly (readonly string[])[], end = '\n'): string =>
  records.map((cells) => cells.map(quoted).join(',') + end).join('')
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const nameOf = (cell: string): string =>
  cell
    .trim()
    .toLowerCase()
    .replaceAll(/\s*\|\s*/g, '|')

/** Every record but the head, with the cells of some columns changed. Every `each`th record is. */
function changed(
  records: readonly string[][],
  columns: RegExp,
  change: (cell: string, at: number) => string,
  each = 1,
): string[][] {
  const head = (records[2] ?? []).map(nameOf)
  const chosen = head.map((name) => columns.test(name))
  return records.map((cells, i) =>
    i < 3 || i % each > 0 ? cells : cells.map((cell, at) => (chosen[at] && cell !== '' ? change(cell, i) : cell)),
  )
}

const MONEY = /^standard_charge\|(.*\|)?(gross|discounted_cash|min|max|negotiated_dollar)$/
const isNumber = (cell: string): boolean => /^[0-9]+(\.[0-9]+)?$/.test(cell)
const groups = (cell: string): string => {
  const [whole = '', fraction] = cell.split('.')
  const grouped = whole.replaceAll(/[0-9](?=([0-9]{3})+$)/g, '$&,')
  return `$${grouped}${fraction === undefined ? '' : `.${fraction}`}`
}

export const DAMAGES: Damage[] = [
  {
    name: 'CRLF line ends and a byte order mark',
    isHarmless: true,
    write: (records) => utf8(`\uFEFF${csv(records, '\r\n')}`),
  },
  {
    name: 'Windows-1252 with a curly apostrophe in every description',
    isHarmless: true,
    write: (records) =>
      Buffer.from(
        csv(changed(records, /^description$/, (cell) => `${cell.replaceAll(/[^ -~]/g, '')} \u0092s`)),
        'latin1',
      ),
  },
  {
    name: 'the columns in reverse',
    isHarmless: true,
    write: (records) => {
      const width = records[2]?.length ?? 0
      const turned = records
        .slice(2)
        .map((cells) => Array.from({ length: width }, (_, i) => cells[width - 1 - i] ?? ''))
      return utf8(csv([...records.slice(0, 2), ...turned]))
    },
  },
  {
    name: 'columns of the hospital\u2019s own among the others',
    isHarmless: true,
    write: (records) =>
      utf8(
        csv(
          records.map((cells, i) =>
            i < 2 ? cells : [i === 2 ? 'internal_gross' : '77.77', ...cells, i === 2 ? 'min' : '1'],
          ),
        ),
      ),
  },
  {
    name: 'blank lines, and lines of commas',
    isHarmless: true,
    write: (records) =>
      utf8(records.map((cells, i) => csv([cells]) + (i > 2 && i % 5 === 0 ? '\n,,,,\n' : '')).join('')),
  },
  {
    name: 'three spare commas on every line',
    isHarmless: true,
    write: (records) => utf8(csv(records.map((cells) => [...cells, '', '', '']))),
  },
  {
    name: 'dollar signs and thousands in groups',
    isHarmless: true,
    write: (records) => utf8(csv(changed(records, MONEY, (cell) => (isNumber(cell) ? groups(cell) : cell)))),
  },
  {
    name: 'lower-case codes, capitals elsewhere, spaces around the pipes of the head',
    isHarmless: true,
    write: (records) => {
      const lower = changed(records, /^code\|[0-9]+$/, (cell) => ` ${cell.toLowerCase()} `)
      const capitals = changed(lower, /^(setting|billing_class)$/, (cell) => ` ${cell.toUpperCase()}`)
      const head = (capitals[2] ?? []).map((cell) => cell.replaceAll('|', ' | ').replace(/^standard/, 'Standard'))
      return utf8(csv([...capitals.slice(0, 2), head, ...capitals.slice(3)]))
    },
  },
  {
    name: 'inch marks in quotes that are not doubled',
    isHarmless: true,
    write: (records) =>
      utf8(
        records
          .map((cells, i) =>
            i < 3 ? csv([cells]) : `"${(cells[0] ?? '').replaceAll('"', '')} 4"x4" pad",${csv([cells.slice(1)])}`,
          )
          .join(''),
      ),
  },
  {
    name: 'zeros lost by a spreadsheet',
    isHarmless: true,
    write: (records) =>
      utf8(csv(changed(records, /^code\|[0-9]+$/, (cell) => cell.replace(/^0+(?=[0-9]{1,3}[TUFM]$)/, '')))),
  },
  {
    name: 'paragraphs in the notes',
    isHarmless: true,
    write: (records) =>
      utf8(csv(changed(records, /^description$/, (cell) => `${cell}\n\nsecond, "quoted" paragraph`, 7))),
  },
  {
    name: 'a quote that is never closed in every twentieth description',
    isHarmless: false,
    write: (records) =>
      utf8(
        records
          .map((cells, i) =>
            i > 2 && i % 20 === 0 ? `"${(cells[0] ?? '').replaceAll('"', '')},${csv([cells.slice(1)])}` : csv([cells]),
          )
          .join(''),
      ),
  },
  {
    name: 'thousands in groups without quotes, now and then',
    isHarmless: false,
    write: (records) =>
      utf8(
        records
          .map((cells, i) =>
            i > 2 && i % 30 === 0 ? csv([cells]).replace(/(?<=,)[0-9](?=[0-9]{3}\.)/, '$&,') : csv([cells]),
          )
          .join(''),
      ),
  },
  {
    name: 'every other setting both',
    isHarmless: false,
    write: (records) => utf8(csv(changed(records, /^setting$/, () => 'both', 2))),
  },
  {
    name: 'three decimals, and more',
    isHarmless: false,
    write: (records) =>
      utf8(
        csv(
          changed(records, MONEY, (cell, i) =>
            isNumber(cell)
              ? `${cell}${cell.includes('.') ? '' : '.00'}${['5', '49', '00004999999', '9999999999'][i % 4]}`
              : cell,
          ),
        ),
      ),
  },
  {
    name: 'no least and no greatest rate',
    isHarmless: false,
    write: (records) => utf8(csv(changed(records, /^standard_charge\|(min|max)$/, () => ''))),
  },
  {
    name: 'words and nines where amounts should be, now and then',
    isHarmless: false,
    write: (records) =>
      utf8(
        csv(
          changed(records, MONEY, (cell, i) => ['N/A', '999999999', 'see contract', '-5', '0', cell][i % 6] ?? '', 50),
        ),
      ),
  },
]

/** The records of a CSV that can be read. */
export const recordsOf = (text: string): string[][] => [...tornCsv(text)].flatMap(({ cells }) => (cells ? [cells] : []))

type Json = Record<string, unknown>
interface Item extends Json {
  standard_charges: Json[]
}
export interface HospitalJson extends Json {
  standard_charge_information: Item[]
}

/** Damages JSON likewise, as text. */
export const JSON_DAMAGES: { name: string; isHarmless: boolean; write: (file: HospitalJson) => string }[] = [
  {
    name: 'exponents',
    isHarmless: true,
    write: (file) =>
      JSON.stringify(file).replaceAll(
        /"(gross_charge|discounted_cash|minimum|maximum|standard_charge_dollar)":([0-9.]+)/g,
        (_, name, number) => `"${name}":${Number(number).toExponential()}`,
      ),
  },
  {
    name: 'a byte order mark and white space',
    isHarmless: true,
    write: (file) => `\uFEFF\r\n${JSON.stringify(file, null, '\t')}`,
  },
  {
    name: 'nulls and empty lists',
    isHarmless: true,
    write: (file) =>
      withCharges(file, (charge) => ({
        modifier_code: null,
        payers_information: [],
        additional_generic_notes: null,
        ...charge,
      })),
  },
  {
    name: 'items without charges, and charges without payers',
    isHarmless: true,
    write: (file) => {
      const items = file.standard_charge_information
      const empty = { ...items[0], code_information: [{ code: '470', type: 'LOCAL' }], standard_charges: [] }
      return withCharges({ ...file, standard_charge_information: [empty, ...items] }, (charge) => ({
        payers_information: null,
        ...charge,
      }))
    },
  },
  {
    name: 'amounts as texts',
    isHarmless: true,
    write: (file) =>
      JSON.stringify(file).replaceAll(/"(gross_charge|discounted_cash|minimum|maximum)":([0-9.]+)/g, '"$1":"$2"'),
  },
  {
    name: 'noise of binary fractions',
    isHarmless: false,
    write: (file) => {
      const noisy = (value: unknown): unknown => (typeof value === 'number' ? value + 1e-11 * value : value)
      return withCharges(file, (charge) => ({
        ...charge,
        ...('gross_charge' in charge && { gross_charge: noisy(charge['gross_charge']) }),
      }))
    },
  },
  {
    name: 'settings both, lower-case codes, no least and greatest',
    isHarmless: false,
    write: (file) =>
      withCharges(file, ({ minimum: _, maximum: __, ...charge }) => ({ ...charge, setting: 'BOTH' })).replaceAll(
        /"code":"([A-Z][0-9]{4})"/g,
        (_, code) => `"code":"${code.toLowerCase()}"`,
      ),
  },
]

function withCharges(file: HospitalJson, change: (charge: Json) => Json): string {
  const items = file.standard_charge_information
  const standard_charge_information = items.map((item) => ({
    ...item,
    standard_charges: item.standard_charges.map(change),
  }))
  return JSON.stringify({ ...file, standard_charge_information })
}

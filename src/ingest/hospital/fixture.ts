// Hospital files for tests: our own, codes and numbers only, the same prices in every layout of the CMS template.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joined } from '../../files/zip-fixture.ts'
import { Problem } from '../../problem.ts'
import { utf8 } from '../../proof/bytes.ts'
import type { Row } from '../../proof/price/row.ts'
import type { Findings } from '../../registry/release/rules.ts'
import { type HospitalOptions, openHospitalFile } from './file.ts'

export interface FixtureCharge {
  code: string
  type?: string
  setting?: string
  modifiers?: string
  billing?: string
  /** A code of type RC beside the other. */
  revenue?: string
  unit?: string
  unitType?: string
  gross?: string
  cash?: string
  low?: string
  high?: string
  /** Negotiated dollars, one for each payer. */
  rates?: readonly string[]
}

export interface FixtureHead {
  last_updated_on?: string
  npi?: string
  version?: string
  /** Stands in every column of text. */
  words?: string
}

export const PAYERS = 3
/** A payer of the table, unless a test has hostile words wherever a hospital writes text. */
const payerNamed = (words: string): string => (words === blank.words ? 'Aetna' : words)
const blank = { last_updated_on: '2026-04-01', npi: '1234567893', version: '3.0.0', words: 'words' }
const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
const line = (cells: readonly string[]): string => cells.map(quoted).join(',')

const generalLines = ({ last_updated_on, npi, version, words }: typeof blank): string[] =>
  version.startsWith('3')
    ? [
        line(['hospital_name', 'last_updated_on', 'version', 'location_name', 'type_2_npi', 'attester_name']),
        line([words, last_updated_on, version, words, npi, words]),
      ]
    : [
        line(['hospital_name', 'last_updated_on', 'version', 'hospital_location']),
        line([words, last_updated_on, version, words]),
      ]

const COMMON = ['description', 'code|1', 'code|1|type', 'setting', 'modifiers', 'billing_class']
const MORE = ['code|2', 'code|2|type', 'drug_unit_of_measurement', 'drug_type_of_measurement']
const STATED = ['gross', 'discounted_cash', 'min', 'max'].map((name) => `standard_charge|${name}`)

const common = (charge: FixtureCharge, words: string): string[] => [
  words,
  charge.code,
  charge.type ?? 'CPT',
  charge.setting ?? 'outpatient',
  charge.modifiers ?? '',
  charge.billing ?? '',
]
const more = ({ revenue, unit = '', unitType = '' }: FixtureCharge): string[] => [
  revenue ?? '',
  revenue === undefined ? '' : 'RC',
  unit,
  unitType,
]
const stated = ({ gross = '', cash = '', low = '', high = '' }: FixtureCharge): string[] => [gross, cash, low, high]

export function tallCsv(charges: readonly FixtureCharge[], head: FixtureHead = {}): string {
  const all = { ...blank, ...head }
  const columns = [...COMMON, 'payer_name', 'plan_name', 'standard_charge|negotiated_dollar', ...STATED, ...MORE]
  const lines = charges.flatMap((charge) =>
    (charge.rates?.length ? charge.rates : ['']).map((rate) =>
      line([
        ...common(charge, all.words),
        payerNamed(all.words),
        all.words,
        rate,
        ...stated(charge),
        ...more(charge),
        all.words,
      ]),
    ),
  )
  return [...generalLines(all), line([...columns, 'additional_generic_notes']), ...lines, ''].join('\n')
}

export function wideCsv(charges: readonly FixtureCharge[], head: FixtureHead = {}): string {
  const all = { ...blank, ...head }
  const payers = Array.from({ length: PAYERS }, (_, i) => `${payerNamed(all.words).replaceAll('|', '')}|plan ${i}`)
  const columns = payers.flatMap((payer) => [
    `standard_charge|${payer}|negotiated_dollar`,
    `standard_charge|${payer}|negotiated_percentage`,
    `additional_payer_notes|${payer}`,
  ])
  const lines = charges.map((charge) => {
    const rates = payers.flatMap((_, i) => [charge.rates?.[i] ?? '', '50', all.words])
    return line([...common(charge, all.words), ...stated(charge), ...more(charge), ...rates])
  })
  return [...generalLines(all), line([...COMMON, ...STATED, ...MORE, ...columns]), ...lines, ''].join('\r\n')
}

export function mrfJson(charges: readonly FixtureCharge[], head: FixtureHead = {}): string {
  const { last_updated_on, npi, version, words } = { ...blank, ...head }
  const number = (text: string | undefined) =>
    text === undefined ? {} : Number.isNaN(Number(text)) ? text : Number(text)
  const given = (name: string, text: string | undefined) => (text === undefined ? {} : { [name]: number(text) })
  return JSON.stringify({
    hospital_name: words,
    version,
    standard_charge_information: charges.map((charge) => ({
      description: words,
      code_information: [
        { code: charge.code, type: charge.type ?? 'CPT' },
        ...(charge.revenue ? [{ code: charge.revenue, type: 'RC' }] : []),
      ],
      ...(charge.unit ? { drug_information: { unit: charge.unit, type: charge.unitType } } : {}),
      standard_charges: [
        {
          setting: charge.setting ?? 'outpatient',
          ...given('gross_charge', charge.gross),
          ...given('discounted_cash', charge.cash),
          ...given('minimum', charge.low),
          ...given('maximum', charge.high),
          ...(charge.modifiers ? { modifier_code: charge.modifiers.split('|') } : {}),
          ...(charge.billing ? { billing_class: charge.billing } : {}),
          payers_information: (charge.rates ?? []).map((rate) => ({
            payer_name: payerNamed(words),
            plan_name: words,
            standard_charge_dollar: number(rate),
            standard_charge_percentage: 50,
            additional_payer_notes: words,
          })),
        },
      ],
    })),
    last_updated_on,
    ...(version.startsWith('3') ? { type_2_npi: npi.split('|') } : {}),
  })
}

export const LAYOUTS = { tall: tallCsv, wide: wideCsv, json: mrfJson }

const NASTY = [
  '"',
  '""',
  '\n',
  '\r',
  '\r\n',
  ',',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ':',
  '\u001a',
  '\u00e9',
  '|',
  '-',
  '9999999999',
  '1e999',
  '\\u0000',
  'null',
  '\ufeff',
  '<',
]

/** A copy with a few places changed, cut out, doubled or replaced by what breaks readers of text. */
export function broken(text: string, below: (limit: number) => number): Uint8Array {
  let bytes = utf8(text)
  for (let change = below(4); change >= 0; change--) {
    const at = below(bytes.length + 1)
    const end = Math.min(bytes.length, at + below(40))
    const nasty = NASTY[below(NASTY.length)] as string
    const pieces = [
      new Uint8Array(),
      Uint8Array.of(below(256)),
      utf8(nasty),
      bytes.slice(at, end + below(200)),
      utf8(nasty.repeat(below(60))),
    ]
    const piece = pieces[below(pieces.length)] as Uint8Array
    bytes = joined([bytes.subarray(0, at), piece, bytes.subarray(below(2) === 0 ? at : end)])
  }
  return bytes
}

/** A folder for the length of a test. */
export function scratch() {
  const path = mkdtempSync(join(tmpdir(), 'atr-hospital-'))
  return {
    path,
    write(name: string, content: string | Uint8Array): string {
      writeFileSync(join(path, name), content)
      return join(path, name)
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

export interface Loaded {
  npis: string[]
  last_updated_on: string
  /** The hospital's own rows. */
  rows: Row[]
  /** The rows of payers. */
  payers: Row[]
  totals: Record<string, number>
  lines: Record<string, number[]>
  /** How many lines each rule judged. */
  judged: Record<string, number | undefined>
}

/** Loads a file through the disk, as the command does. */
export async function loaded(
  content: string | Uint8Array,
  options: HospitalOptions = {},
  name = 'a.csv',
): Promise<Loaded> {
  using folder = scratch()
  const rejects: Findings = new Map()
  const file = await openHospitalFile(folder.write(name, content), { scratch: folder.path, ...options }, rejects)
  const rows = [...file.rows]
  file.close()
  const entries = [...rejects]
  return {
    npis: file.npis,
    last_updated_on: file.last_updated_on,
    rows: rows.filter(({ payer }) => payer === null),
    payers: rows.filter(({ payer }) => payer !== null),
    totals: Object.fromEntries(entries.map(([rule, { count }]) => [rule, count])),
    lines: Object.fromEntries(entries.map(([rule, { lines }]) => [rule, lines])),
    judged: Object.fromEntries(entries.map(([rule, { evaluated }]) => [rule, evaluated])),
  }
}

/** The sentence with which a file is refused. */
export async function refusal(
  content: string | Uint8Array,
  options: HospitalOptions = {},
  name = 'a.csv',
): Promise<string> {
  try {
    await loaded(content, options, name)
  } catch (error) {
    if (error instanceof Problem) return error.detail
    throw error
  }
  return 'loaded'
}

/** A row in short: its key without the provider, and its amounts. */
export const short = (row: Row): string => {
  const { low, high, amount } = row.derivation.inputs
  const key = `${row.code}|${row.modifier ?? ''}|${row.basis.replace('hospital_', '')}|${row.setting ?? ''}`
  const told = row.kind === 'absence' ? row.reason : (amount ?? `${low}..${high}`)
  return [row.class ? `${key}|${row.class}` : key, told, ...row.flags].join(' ')
}

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type Charge, chargeOf, procedureCodes, unitOf } from './charge.ts'
import { statedAmount, statedValue } from './stated-amount.ts'
import { tornCsv } from './torn-csv.ts'

// A second reader of hospital price files, to compare the product's with: another parser, whole files in memory.

export interface HospitalFile {
  npis: string[]
  /** As it is written. */
  updated: string
  charges: Iterable<Charge>
  /** Lines of a CSV that could not be read, and the codes that can be seen in them; known when all charges were. */
  torn: { line: number; text: string; codes: string[] }[]
}

export const readHospitalFile = (path: string): HospitalFile => {
  const text = textOfFile(path)
  return /^\s*\{/.test(text) ? jsonFile(text) : csvFile(text)
}

/** Without its byte order mark. */
export function textOfFile(path: string): string {
  const raw = readFileSync(path)
  const bytes = path.endsWith('.gz') ? gunzipSync(raw) : raw
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const nameOf = (cell: string): string =>
  cell
    .trim()
    .toLowerCase()
    .replaceAll(/\s*\|\s*/g, '|')
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .filter((each) => typeof each === 'string' || typeof each === 'number')
    .map(String)

function csvFile(text: string): HospitalFile {
  const records = tornCsv(text)
  const next = (): string[] => (records.next().value as { cells?: string[] } | undefined)?.cells ?? []
  const [names, values, head] = [next().map(nameOf), next(), next().map(nameOf)]
  const general = (name: string): string => values[names.indexOf(name)]?.trim() ?? ''
  const torn: HospitalFile['torn'] = []
  const charges = csvCharges(records, head, torn)
  return {
    npis: general('type_2_npi')
      .split('|')
      .map((npi) => npi.trim()),
    updated: general('last_updated_on'),
    charges,
    torn,
  }
}

function* csvCharges(
  records: ReturnType<typeof tornCsv>,
  head: readonly string[],
  torn: HospitalFile['torn'],
): Generator<Charge> {
  const [setting, billing, modifiers, unit, unitType, gross, cash, min, max] = [
    ...['setting', 'billing_class', 'modifiers', 'drug_unit_of_measurement', 'drug_type_of_measurement'],
    ...['standard_charge|gross', 'standard_charge|discounted_cash', 'standard_charge|min', 'standard_charge|max'],
  ].map((name) => head.indexOf(name)) as [number, number, number, number, number, number, number, number, number]
  const dollars = head.flatMap((name, i) => (/^standard_charge\|(.*\|)?negotiated_dollar$/.test(name) ? [i] : []))
  const codes = head.flatMap((name, i) =>
    /^code\|[0-9]+$/.test(name) ? [[i, head.indexOf(`${name}|type`)] as const] : [],
  )
  for (const { line, cells, isGuess, text } of records) {
    if (!cells) {
      torn.push({ line, text, codes: visibleCodes(text) })
      continue
    }
    const cell = (i: number): string => cells[i] ?? ''
    yield* chargeOf({
      line,
      isGuess,
      typed: codes.map(([code, type]) => ({ code: cell(code), type: cell(type) })),
      modifiers: [cell(modifiers)],
      setting: cell(setting),
      billing: cell(billing),
      unit: unitOf(cell(unit), cell(unitType)),
      amounts: {
        gross: statedAmount(cell(gross)),
        cash: statedAmount(cell(cash)),
        min: statedAmount(cell(min)),
        max: statedAmount(cell(max)),
        rates: dollars.map((i) => statedAmount(cell(i))),
      },
    })
  }
}

const visibleCodes = (text: string): string[] =>
  procedureCodes(
    [...text.matchAll(/([^,"]+)"?,"?(CPT|HCPCS?)\b/gi)].map(([, code = '', type = '']) => ({ code, type })),
  )

type Json = Record<string, unknown>
/** One thing that is not in a list is a list of one. */
const listOf = (value: unknown): Json[] =>
  [value].flat().filter((each): each is Json => typeof each === 'object' && each !== null)
const textOf = (value: unknown): string => textsOf(value)[0] ?? ''

function jsonFile(text: string): HospitalFile {
  const file = JSON.parse(text) as Json
  return {
    npis: textsOf(file['type_2_npi'] ?? []).map((npi) => npi.trim()),
    updated: textOf(file['last_updated_on']),
    charges: jsonCharges(listOf(file['standard_charge_information'])),
    torn: [],
  }
}

/** A value that is neither text nor number nor nothing cannot be told. */
const modifierTexts = (value: unknown): string[] =>
  [value].flat().flatMap((each) => (typeof each === 'object' && each !== null ? ['?'] : textsOf(each)))

function* jsonCharges(items: readonly Json[]): Generator<Charge> {
  for (const [i, item] of items.entries()) {
    const codes = listOf(item['code_information'])
    const typed = codes.map(({ code, type }) => ({ code: textOf(code), type: textOf(type) }))
    const drug = (item['drug_information'] ?? {}) as Json
    const charges = listOf(item['standard_charges'])
    for (const charge of charges.length > 0 ? charges : ([{ setting: 'both' }] as Json[]))
      yield* chargeOf({
        line: i + 1,
        isGuess: false,
        typed,
        modifiers: ['modifier', 'modifiers', 'modifier_code', 'modifier_codes'].flatMap((name) =>
          modifierTexts(charge[name]),
        ),
        setting: textOf(charge['setting']),
        billing: textOf(charge['billing_class']),
        unit: unitOf(textOf(drug['unit']), textOf(drug['type'])),
        amounts: {
          gross: statedValue(charge['gross_charge']),
          cash: statedValue(charge['discounted_cash']),
          min: statedValue(charge['minimum']),
          max: statedValue(charge['maximum']),
          rates: listOf(charge['payers_information']).map((payer) => statedValue(payer['standard_charge_dollar'])),
        },
      })
  }
}

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type Charge, chargeOf, procedureCodes, unitOf } from './charge.ts'
import type { RawPayer } from './payer-charge.ts'
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
  const [names, values, written] = [next().map(nameOf), next(), next()]
  const general = (name: string): string => values[names.indexOf(name)]?.trim() ?? ''
  const torn: HospitalFile['torn'] = []
  const charges = csvCharges(records, written, torn)
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
  written: readonly string[],
  torn: HospitalFile['torn'],
): Generator<Charge> {
  const head = written.map(nameOf)
  const [setting, billing, modifiers, unit, unitType, gross, cash, min, max] = [
    ...['setting', 'billing_class', 'modifiers', 'drug_unit_of_measurement', 'drug_type_of_measurement'],
    ...['standard_charge|gross', 'standard_charge|discounted_cash', 'standard_charge|min', 'standard_charge|max'],
  ].map((name) => head.indexOf(name)) as [number, number, number, number, number, number, number, number, number]
  const dollars = head.flatMap((name, i) => (/^standard_charge\|(.*\|)?negotiated_dollar$/.test(name) ? [i] : []))
  const codes = head.flatMap((name, i) =>
    /^code\|[0-9]+$/.test(name) ? [[i, head.indexOf(`${name}|type`)] as const] : [],
  )
  const groups = payerColumns(written)
  const [payerName, planName] = [head.indexOf('payer_name'), head.indexOf('plan_name')]
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
      payers: groups.flatMap((group) => payersOf(cell, group, [cell(payerName), cell(planName)])),
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

/** The columns of one payer and plan; in the tall layout, whose lines name them, of all. */
interface PayerColumns {
  names: [payer: string, plan: string] | undefined
  at: Map<string, number>
}

const PAYER_COLUMNS =
  /^(?:standard_charge\|(?:(.*)\|)?(negotiated_dollar|negotiated_percentage|negotiated_algorithm|methodology)|(median_amount|10th_percentile|90th_percentile|estimated_amount|count)(?:\|(.*))?)$/i

function payerColumns(written: readonly string[]): PayerColumns[] {
  const groups = new Map<string, PayerColumns>()
  for (const [i, name] of written.entries()) {
    const found = PAYER_COLUMNS.exec(name.trim().replaceAll(/\s*\|\s*/g, '|'))
    if (!found) continue
    const [, before, rate, paid, behind] = found
    const names = before ?? behind
    const [payer = '', plan = ''] = names?.split('|') ?? []
    const group = groups.get(names ?? '') ?? { names: names ? [payer, plan] : undefined, at: new Map() }
    groups.set(names ?? '', group)
    group.at.set((rate ?? paid ?? '').toLowerCase(), i)
  }
  return [...groups.values()]
}

function payersOf(cell: (i: number) => string, { names, at }: PayerColumns, named: [string, string]): RawPayer[] {
  const text = (column: string): string => cell(at.get(column) ?? -1).trim()
  const [payer, plan] = names ?? named
  // A blank group of columns says nothing, and so does a line of the tall layout that names nobody.
  if (names ? [...at.keys()].every((column) => text(column) === '') : named.every((each) => each.trim() === ''))
    return []
  return [
    {
      payer,
      plan,
      dollars: statedAmount(text('negotiated_dollar')),
      percentage: text('negotiated_percentage'),
      formula: text('negotiated_algorithm'),
      methodology: text('methodology'),
      median: statedAmount(text('median_amount')),
      tenth: statedAmount(text('10th_percentile')),
      ninetieth: statedAmount(text('90th_percentile')),
      estimate: statedAmount(text('estimated_amount')),
      count: text('count'),
    },
  ]
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
        payers: listOf(charge['payers_information']).map(jsonPayer),
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

const jsonPayer = (payer: Json): RawPayer => ({
  payer: textOf(payer['payer_name']),
  plan: textOf(payer['plan_name']),
  dollars: statedValue(payer['standard_charge_dollar']),
  percentage: textOf(payer['standard_charge_percentage']),
  formula: textOf(payer['standard_charge_algorithm']),
  methodology: textOf(payer['methodology']),
  median: statedValue(payer['median_amount']),
  tenth: statedValue(payer['10th_percentile']),
  ninetieth: statedValue(payer['90th_percentile']),
  estimate: statedValue(payer['estimated_amount']),
  count: textOf(payer['count']),
})

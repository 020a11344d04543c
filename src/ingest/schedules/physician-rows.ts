import { reasonForStatus } from '../../proof/price/derivation.ts'
import {
  conversionFactor,
  dollars,
  feeCents,
  type Parts,
  relativeValues,
  type WholeParts,
} from '../../proof/price/physician-fee.ts'
import { type PricedRow, type Row, rowKey, type Setting } from '../../proof/price/row.ts'
import { unreadableRow } from '../findings.ts'
import { type Locality, NATIONAL } from './gpci.ts'
import type { ConversionFactorKind, PhysicianBasis } from './physician-edition.ts'
import type { PhysicianLine } from './physician-lines.ts'

export type Place = Locality | typeof NATIONAL

/** Facts that hold for every row of an edition. */
export interface PhysicianEdition {
  basis: PhysicianBasis
  effective_from: string
  conversion_factor_kind?: ConversionFactorKind | undefined
}

const PAYABLE = new Set(['A', 'R', 'T'])
const SETTINGS: readonly Setting[] = ['facility', 'non_facility'] // in key order

/**
 * Every row of one edition, in key order: a price per payable code, modifier, region and setting, and nationally what
 * has none.
 */
export function* physicianRows(
  lines: readonly PhysicianLine[],
  localities: readonly Locality[],
  edition: PhysicianEdition,
  { national = true } = {},
): Generator<Row> {
  for (const group of groupByCode(lines)) {
    const services = group.flatMap((line) => pricedSettings(line).map((setting) => serviceOf(line, setting, edition)))
    for (const place of localities) for (const service of services) yield priceRow(service, place)
    // Localities are spelled US-.., which sorts before `national`.
    if (national)
      yield* inKeyOrder([...services.map((each) => priceRow(each, NATIONAL)), ...absencesOf(group, edition)])
  }
}

/** The rows that one line states in one place: a price for each setting that has one and, nationally, why there is none. */
export function rowsOfLine(line: PhysicianLine, place: Place, edition: PhysicianEdition): Row[] {
  const prices = pricedSettings(line).map((setting) => priceRow(serviceOf(line, setting, edition), place))
  return place === NATIONAL ? inKeyOrder([...prices, ...absencesOfLine(line, edition)]) : prices
}

const inKeyOrder = (rows: readonly Row[]): Row[] => rows.toSorted((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1))

/** The absences that the lines of one code state. A line that cannot be read takes no other line's place. */
export function absencesOf(group: readonly PhysicianLine[], edition: PhysicianEdition): Row[] {
  const rows = new Map<string, Row>()
  for (const line of group.toSorted((a, b) => Number(a.refused !== undefined) - Number(b.refused !== undefined)))
    for (const row of absencesOfLine(line, edition)) if (!rows.has(rowKey(row))) rows.set(rowKey(row), row)
  return [...rows.values()]
}

/**
 * A status holds in every setting and stands once, on the national row without one. A setting in which the service is
 * not performed, or has no value, stands beside the price of the other one.
 */
function absencesOfLine(line: PhysicianLine, edition: PhysicianEdition): Row[] {
  if (line.refused !== undefined) return [refusedRow(line, line.refused, edition)]
  if (line.contradicted_on !== undefined) return [withheldRow(line, line.contradicted_on, edition)]
  if (!isPayable(line) || SETTINGS.every((setting) => !hasValue(line, setting))) return [statusRow(line, null, edition)]
  return SETTINGS.flatMap((setting) =>
    isMarkedNa(line, setting)
      ? [naRow(line, setting, edition)]
      : hasValue(line, setting)
        ? []
        : [statusRow(line, setting, edition)],
  )
}

/** Lines of one code together, codes and modifiers in key order. */
export function groupByCode(lines: readonly PhysicianLine[]): PhysicianLine[][] {
  const codes = new Map<string, PhysicianLine[]>()
  for (const line of lines) {
    const group = codes.get(line.cpt)
    if (group) group.push(line)
    else codes.set(line.cpt, [line])
  }
  const before = (a: string, b: string): number => (a < b ? -1 : 1)
  return [...codes.entries()]
    .sort(([a], [b]) => before(a, b))
    .map(([, group]) => group.sort((a, b) => before(`${a.modifier}|`, `${b.modifier}|`)))
}

export const isPayable = ({ status }: Pick<PhysicianLine, 'status'>): boolean => PAYABLE.has(status)

/** Where CMS marks a setting NA, the file repeats the other setting's value: it is no price. Of two prices none is believed. */
export const pricedSettings = (line: PhysicianLine): readonly Setting[] =>
  SETTINGS.filter(
    (setting) =>
      isPayable(line) &&
      line.refused === undefined &&
      line.contradicted_on === undefined &&
      !isMarkedNa(line, setting) &&
      hasValue(line, setting),
  )

/** A zero total means that no price is stated, never that the price is nothing. */
const hasValue = (line: PhysicianLine, setting: Setting): boolean =>
  Object.values(partsFor(line, setting)).some((rvu) => Number(rvu) > 0)

export const partsFor = (line: PhysicianLine, setting: Setting): Parts => ({
  work: line.work,
  practice: setting === 'facility' ? line.facilityPractice : line.nonFacilityPractice,
  malpractice: line.malpractice,
})

/** The hospital outpatient values that cap the fee for imaging, where CMS states them (DRA 5102(b)). */
export function capFor(line: PhysicianLine, setting: Setting): Parts | undefined {
  const practice = setting === 'facility' ? line.oppsFacilityPractice : line.oppsNonFacilityPractice
  return Number(practice) > 0 ? { work: line.work, practice, malpractice: line.oppsMalpractice } : undefined
}

/** CMS marks a setting in which a service is rarely or never performed. */
export const isMarkedNa = (line: PhysicianLine, setting: Setting): boolean =>
  (setting === 'facility' ? line.facilityNa : line.nonFacilityNa) === 'NA'

function rowBase(
  line: PhysicianLine,
  region: string,
  setting: Setting | null,
  { basis, effective_from }: PhysicianEdition,
) {
  return {
    code: line.cpt,
    region,
    npi: null,
    basis,
    payer: null,
    modifier: line.modifier || null,
    setting,
    class: null,
    effective_from,
  }
}

/** The columns that a biller needs beside the price, as printed; a blank one is left out. */
export function indicatorsOf(line: PhysicianLine): Record<string, string> {
  const printed = {
    assistant: line.assistant,
    bilateral: line.bilateral,
    co_surgeon: line.coSurgeon,
    endoscopic_base: line.endoscopicBase,
    global_days: line.globalDays,
    multiple_procedure: line.multipleProcedure,
    ...sharesOf(line),
    pc_tc: line.pcTc,
    status: line.status,
  }
  return Object.fromEntries(
    Object.entries(printed).filter(([, text]) => /^([A-Z0-9]{1,3}|[0-9]{4}[0-9A-Z]|[01]\.[0-9]{2})$/.test(text)),
  )
}

/** The shares of a surgical fee for the care before, the operation and the care after it; none where the fee is not divided. */
function sharesOf({ before, during, after }: PhysicianLine): Record<string, string> {
  // The file of fixed width leaves out the zero before the point.
  const [pre = '', intra = '', post = ''] = [before, during, after].map((share) => share.replace(/^\./, '0.'))
  return [pre, intra, post].some((share) => /[1-9]/.test(share)) ? { pre, intra, post } : {}
}

function absenceBase(line: PhysicianLine, setting: Setting | null, edition: PhysicianEdition) {
  return {
    kind: 'absence' as const,
    ...rowBase(line, NATIONAL.region, setting, edition),
    flags: [],
    indicators: indicatorsOf(line),
    locator: [{ citation: 0, line: line.line }],
  }
}

const statusRow = (line: PhysicianLine, setting: Setting | null, edition: PhysicianEdition): Row => ({
  ...absenceBase(line, setting, edition),
  reason: reasonForStatus(line.status),
  derivation: { method: 'cms-status/1', inputs: { status_code: line.status } },
})

const naRow = (line: PhysicianLine, setting: Setting, edition: PhysicianEdition): Row => ({
  ...absenceBase(line, setting, edition),
  reason: 'not_applicable_in_setting',
  derivation: { method: 'pfs-na/1', inputs: { na_indicator: 'NA' } },
})

function withheldRow(line: PhysicianLine, other: number, edition: PhysicianEdition): Row {
  const base = absenceBase(line, null, edition)
  return {
    ...base,
    indicators: {},
    reason: 'withheld_conflict',
    derivation: { method: 'row-rule/1', inputs: { rule: 'R10' } },
    locator: [...base.locator, { citation: 0, line: other }],
  }
}

const refusedRow = (line: PhysicianLine, rule: 'R02' | 'R03', { basis, effective_from }: PhysicianEdition): Row =>
  unreadableRow({ code: line.cpt, modifier: line.modifier || null, npi: null, basis, effective_from }, rule, line.line)

/** One setting of one line: its prices share this in every place. */
export interface Service {
  line: PhysicianLine
  setting: Setting
  edition: PhysicianEdition
  rvu: Parts
  /** The values that cap the fee, if there are any. */
  cap: Parts | undefined
  /** The values in whole numbers, for the formula. */
  whole: { rvu: WholeParts; cap: WholeParts | undefined; factor: number }
  modifier: string | null
  indicators: Row['indicators']
}

export function serviceOf(line: PhysicianLine, setting: Setting, edition: PhysicianEdition): Service {
  const rvu = partsFor(line, setting)
  const cap = capFor(line, setting)
  return {
    line,
    setting,
    edition,
    rvu,
    cap,
    whole: {
      rvu: relativeValues(rvu),
      cap: cap && relativeValues(cap),
      factor: conversionFactor(line.conversionFactor),
    },
    modifier: line.modifier || null,
    indicators: indicatorsOf(line),
  }
}

/**
 * The price of a service in one place: the formula, or the outpatient cap where there is one and it is lower. Members are
 * in the order of the row's text, which for a million rows is quicker to make so.
 */
export function priceRow(service: Service, place: Place): PricedRow {
  const { line, setting, edition, cap, whole, modifier, indicators } = service
  const fee = feeCents(whole.rvu, place.indices, whole.factor)
  const ceiling = whole.cap ? feeCents(whole.cap, place.indices, whole.factor) : fee
  const cited = { citation: 0, line: line.line }
  return {
    basis: edition.basis,
    class: null,
    code: line.cpt,
    derivation: { inputs: inputsOf(service, place), method: 'pfs-formula/1' },
    effective_from: edition.effective_from,
    flags: cap && ceiling < fee ? ['opps_cap'] : [],
    indicators,
    kind: 'price',
    locator: 'line' in place ? [cited, { citation: 1, line: place.line }] : [cited],
    modifier,
    npi: null,
    payer: null,
    price: { amount: dollars(Math.min(fee, ceiling)), currency: 'USD', per: null },
    region: place.region,
    setting,
  }
}

function inputsOf({ line, rvu, cap, edition }: Service, place: Place): Record<string, string> {
  const { conversion_factor_kind } = edition
  return {
    conversion_factor: line.conversionFactor,
    ...(conversion_factor_kind && { conversion_factor_kind }),
    malpractice_gpci: place.gpci.malpractice,
    malpractice_rvu: rvu.malpractice,
    ...(cap && { opps_malpractice_rvu: cap.malpractice, opps_practice_rvu: cap.practice }),
    practice_gpci: place.gpci.practice,
    practice_rvu: rvu.practice,
    work_gpci: place.gpci.work,
    ...('work_floor' in place && { work_gpci_column: place.work_floor }),
    work_rvu: rvu.work,
  }
}

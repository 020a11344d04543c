import { reasonForStatus } from '../../proof/price/derivation.ts'
import { dollars, type Parts, physicianFeeCents } from '../../proof/price/physician-fee.ts'
import type { Row, Setting } from '../../proof/price/row.ts'
import { NA_FLAG } from '../../registry/row-schema.ts'
import { type Locality, NATIONAL } from './gpci.ts'
import type { ConversionFactorKind } from './physician-edition.ts'
import type { PhysicianLine } from './physician-lines.ts'

export type Place = Locality | typeof NATIONAL

/** What holds for every row of an edition. */
export interface Edition {
  effective_from: string
  conversion_factor_kind?: ConversionFactorKind | undefined
}

const PAYABLE = new Set(['A', 'R', 'T'])
const SETTINGS: readonly Setting[] = ['facility', 'non_facility'] // in key order

/** What one line states in one place: a price for each setting that has one or, nationally, that there is none. */
export function rowsOfLine(line: PhysicianLine, place: Place, edition: Edition): Row[] {
  const settings = pricedSettings(line)
  if (settings.length === 0) return place === NATIONAL ? [statedAbsence(line, edition)] : []
  return settings.map((setting) => priceRow(line, place, setting, edition))
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

/** A zero total means that no price is stated, never that the price is nothing. Of two prices none is believed. */
export const pricedSettings = (line: PhysicianLine): readonly Setting[] =>
  SETTINGS.filter(
    (setting) =>
      isPayable(line) &&
      line.contradicted_on === undefined &&
      Object.values(partsFor(line, setting)).some((rvu) => Number(rvu) > 0),
  )

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

function rowBase(line: PhysicianLine, region: string, setting: Setting | null, { effective_from }: Edition) {
  return {
    cpt: line.cpt,
    modifier: line.modifier === '' ? null : line.modifier,
    region,
    npi: null,
    basis: 'medicare_pfs',
    setting,
    effective_from,
  } as const
}

function statedAbsence(line: PhysicianLine, edition: Edition): Row {
  const base = { kind: 'absence', ...rowBase(line, NATIONAL.region, null, edition) } as const
  const locator = [{ citation: 0, line: line.line }]
  if (line.contradicted_on !== undefined)
    return {
      ...base,
      flags: [],
      reason: 'withheld_conflict',
      derivation: { method: 'row-rule/1', inputs: { rule: 'R10' } },
      locator: [...locator, { citation: 0, line: line.contradicted_on }],
    }
  return {
    ...base,
    flags: [],
    reason: reasonForStatus(line.status),
    derivation: { method: 'cms-status/1', inputs: { status_code: line.status } },
    locator,
  }
}

/** The formula, or the outpatient cap where there is one and it is lower. */
export function priceRow(
  line: PhysicianLine,
  place: Place,
  setting: Setting,
  edition: Edition,
): Row & { kind: 'price' } {
  const rvu = partsFor(line, setting)
  const cap = capFor(line, setting)
  const fee = physicianFeeCents(rvu, place.gpci, line.conversionFactor)
  const ceiling = cap ? physicianFeeCents(cap, place.gpci, line.conversionFactor) : fee
  return {
    kind: 'price',
    ...rowBase(line, place.region, setting, edition),
    price: { amount: dollars(Math.min(fee, ceiling)), currency: 'USD' },
    flags: [...(isMarkedNa(line, setting) ? [NA_FLAG] : []), ...(ceiling < fee ? ['opps_cap'] : [])],
    derivation: { method: 'pfs-formula/1', inputs: inputsOf(rvu, cap, place, line, edition) },
    locator: [{ citation: 0, line: line.line }, ...('line' in place ? [{ citation: 1, line: place.line }] : [])],
  }
}

function inputsOf(
  rvu: Parts,
  cap: Parts | undefined,
  place: Place,
  line: PhysicianLine,
  { conversion_factor_kind }: Edition,
): Record<string, string> {
  return {
    work_rvu: rvu.work,
    practice_rvu: rvu.practice,
    malpractice_rvu: rvu.malpractice,
    work_gpci: place.gpci.work,
    practice_gpci: place.gpci.practice,
    malpractice_gpci: place.gpci.malpractice,
    conversion_factor: line.conversionFactor,
    ...(conversion_factor_kind ? { conversion_factor_kind } : {}),
    ...('work_floor' in place ? { work_gpci_column: place.work_floor } : {}),
    ...(cap ? { opps_practice_rvu: cap.practice, opps_malpractice_rvu: cap.malpractice } : {}),
  }
}

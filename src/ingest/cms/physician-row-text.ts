import { canonical } from '../../proof/canonical-json.ts'
import { dollars, type Parts } from '../../proof/price/physician-fee.ts'
import { type Row, rowKey, rowText, type Setting } from '../../proof/price/row.ts'
import type { ReadyRow } from '../../registry/release/staging.ts'
import { type Locality, NATIONAL } from './gpci.ts'
import type { PhysicianLine } from './physician-lines.ts'
import {
  absencesOf,
  capFor,
  groupByCode,
  indicatorsOf,
  type PhysicianEdition,
  type Place,
  partsFor,
  pricedSettings,
} from './physician-rows.ts'

/*
 * An edition is two million rows that differ from each other in a dozen short texts. Building each as an object,
 * checking it and sorting its members takes longer than storing it, so the canonical text is put together here
 * from pieces made once for each line and once for each place. That the text is the one `rowsOfLine` leads to,
 * byte for byte, is what the tests of this file are about.
 */

/** The pieces of a row that one setting of one line decides. They stand around those of the place, in this order. */
interface LinePieces {
  /** What the key ends with: `||26|medicare_pfs|facility|`. */
  key: string
  /** Up to the malpractice index. */
  head: string
  /** Between the malpractice and the practice index. */
  malpractice: string
  /** Between the practice and the work index. */
  practice: string
  /** From the work index to the flags. */
  work: string
  flags: string
  flagsCapped: string
  /** From the flags to the end of the first locator. */
  locator: string
  /** From the end of the locator to the amount. */
  modifier: string
  /** What follows the region. */
  tail: string
  rvu: Factors
  cap: Factors | undefined
  factor: number
}

/** Hundredths of a relative value, thousandths of an index. */
interface Factors {
  work: number
  practice: number
  malpractice: number
}

interface PlacePieces {
  place: Place
  key: string
  malpractice: string
  practice: string
  work: string
  locator: string
  region: string
  gpci: Factors
}

/**
 * Every row of one edition, in key order: a price per payable code, modifier, region and setting, and nationally what
 * has none.
 */
export function* physicianRows(
  lines: readonly PhysicianLine[],
  localities: readonly Locality[],
  edition: PhysicianEdition,
  { national = true } = {},
): Generator<ReadyRow> {
  // Localities are spelled US-.., which sorts before `national`.
  const places = [...localities, ...(national ? [NATIONAL] : [])].map(placePieces)
  for (const group of groupByCode(lines)) {
    const [{ cpt } = { cpt: '' }] = group
    const priced = group.flatMap((line) => pricedSettings(line).map((setting) => linePieces(line, setting, edition)))
    for (const place of places) {
      const absences = place.place === NATIONAL ? absencesOf(group, edition).map(readyAbsence) : []
      if (absences.length === 0) for (const pieces of priced) yield readyPrice(cpt, pieces, place)
      else
        yield* [...priced.map((pieces) => readyPrice(cpt, pieces, place)), ...absences].sort((a, b) =>
          a.key < b.key ? -1 : 1,
        )
    }
  }
}

function readyPrice(cpt: string, line: LinePieces, place: PlacePieces): ReadyRow {
  const fee = feeCents(line.rvu, place.gpci, line.factor)
  const ceiling = line.cap ? feeCents(line.cap, place.gpci, line.factor) : fee
  const capped = ceiling < fee
  const body =
    line.head +
    place.malpractice +
    line.malpractice +
    place.practice +
    line.practice +
    place.work +
    line.work +
    (capped ? line.flagsCapped : line.flags) +
    line.locator +
    place.locator +
    line.modifier +
    dollars(capped ? ceiling : fee) +
    place.region +
    line.tail
  return { kind: 'price', key: cpt + place.key + line.key, body, cpt, region: place.place.region, npi: null }
}

const readyAbsence = (row: Row): ReadyRow => ({
  kind: row.kind,
  key: rowKey(row),
  body: rowText(row),
  cpt: row.cpt,
  region: row.region,
  npi: null,
})

// The cells were checked when the line was read: digits, points and capitals only, so nothing needs escaping.
function linePieces(line: PhysicianLine, setting: Setting, edition: PhysicianEdition): LinePieces {
  const { basis, conversion_factor_kind: kind, effective_from } = edition
  const rvu = partsFor(line, setting)
  const cap = capFor(line, setting)
  const indicators = canonical(indicatorsOf(line))
  const modifier = line.modifier === '' ? 'null' : `"${line.modifier}"`
  return {
    key: `||${line.modifier}|${basis}|${setting}|`,
    head: `{"basis":"${basis}","class":null,"cpt":"${line.cpt}","derivation":{"inputs":{"conversion_factor":"${line.conversionFactor}",${kind ? `"conversion_factor_kind":"${kind}",` : ''}`,
    malpractice: `"malpractice_rvu":"${rvu.malpractice}",${cap ? `"opps_malpractice_rvu":"${cap.malpractice}","opps_practice_rvu":"${cap.practice}",` : ''}`,
    practice: `"practice_rvu":"${rvu.practice}",`,
    work: `"work_rvu":"${rvu.work}"},"method":"pfs-formula/1"},"effective_from":"${effective_from}","flags":`,
    flags: '[]',
    flagsCapped: '["opps_cap"]',
    locator: `,"indicators":${indicators},"kind":"price","locator":[{"citation":0,"line":${line.line}}`,
    modifier: `],"modifier":${modifier},"npi":null,"price":{"amount":"`,
    tail: `","setting":"${setting}"}`,
    rvu: factors(rvu, 2),
    cap: cap && factors(cap, 2),
    factor: scaled(line.conversionFactor, 4),
  }
}

function placePieces(place: Place): PlacePieces {
  const { gpci, region } = place
  return {
    place,
    key: `|${region}`,
    malpractice: `"malpractice_gpci":"${gpci.malpractice}",`,
    practice: `"practice_gpci":"${gpci.practice}",`,
    work: `"work_gpci":"${gpci.work}",${'work_floor' in place ? `"work_gpci_column":"${place.work_floor}",` : ''}`,
    locator: 'line' in place ? `,{"citation":1,"line":${place.line}}` : '',
    region: `","currency":"USD","per":null},"region":"${region}`,
    gpci: factors(gpci, 3),
  }
}

const factors = ({ work, practice, malpractice }: Parts, places: number): Factors => ({
  work: scaled(work, places),
  practice: scaled(practice, places),
  malpractice: scaled(malpractice, places),
})

/** '1.3' at two places is 130. */
function scaled(decimal: string, places: number): number {
  const [whole = '', fraction = ''] = decimal.split('.')
  return Number(whole + fraction.padEnd(places, '0'))
}

const EXACT = 2 ** 53 - 5_000_001
const CENT = 10_000_000

/**
 * The fee in cents, rounded once, half up. A double holds every whole number up to 2^53, so the products are
 * exact as long as the last one is below it; real fees are a thousand times smaller, and others take the long way.
 */
export function feeCents(rvu: Factors, gpci: Factors, factor: number): number {
  const adjusted = rvu.work * gpci.work + rvu.practice * gpci.practice + rvu.malpractice * gpci.malpractice
  const dollarsE9 = adjusted * factor
  if (dollarsE9 > EXACT) return Number((BigInt(adjusted) * BigInt(factor) + 5_000_000n) / 10_000_000n)
  const rounded = dollarsE9 + CENT / 2
  return (rounded - (rounded % CENT)) / CENT
}

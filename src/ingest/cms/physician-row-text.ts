import { canonical } from '../../proof/canonical-json.ts'
import type { Parts } from '../../proof/price/physician-fee.ts'
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
 * An edition is two million rows that differ from each other in a few short texts. Building each as an object, or as
 * a string, takes longer than storing it. So the canonical text is made once for each line and each shape of a place,
 * with gaps for what differs between places; a row is a copy of those bytes with the gaps filled. That the bytes are
 * those that `rowsOfLine` leads to is what the tests of this file are about.
 */

/** One setting of one line. */
interface PricedLine {
  line: PhysicianLine
  setting: Setting
  edition: PhysicianEdition
  /** What the key ends with: `||26|medicare_pfs|facility|`. */
  key: string
  /** As text. */
  indicators: string
  rvu: Factors
  cap: Factors | undefined
  factor: number
  templates: (Template | undefined)[]
}

/** Hundredths of a relative value, thousandths of an index. */
interface Factors {
  work: number
  practice: number
  malpractice: number
}

interface PricedPlace {
  place: Place
  key: string
  /** Places with the same number have texts of the same lengths: rows of a line have the same gaps there. */
  shape: number
  gpci: Factors
  /** What fills the gaps, beside the amount. */
  malpractice: Uint8Array
  practice: Uint8Array
  work: Uint8Array
  lineNumber: Uint8Array
  region: Uint8Array
}

/** The bytes of a row, and where its gaps are. */
interface Template {
  bytes: Uint8Array
  malpractice: number
  practice: number
  work: number
  lineNumber: number
  /** Where the amount ends: it is written backwards. */
  amountEnd: number
  region: number
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
  const shapes: string[] = []
  // Localities are spelled US-.., which sorts before `national`.
  const places = [...localities, ...(national ? [NATIONAL] : [])].map((place) => pricedPlace(place, shapes))
  for (const group of groupByCode(lines)) {
    const priced = group.flatMap((line) => pricedSettings(line).map((setting) => pricedLine(line, setting, edition)))
    for (const place of places) {
      const absences = place.place === NATIONAL ? absencesOf(group, edition).map(readyAbsence) : []
      if (absences.length === 0) for (const line of priced) yield new PhysicianPrice(line, place)
      else
        yield* [...priced.map((line) => new PhysicianPrice(line, place)), ...absences].sort((a, b) =>
          a.key < b.key ? -1 : 1,
        )
    }
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A price that can be written as bytes. It becomes a string only where someone reads one. */
class PhysicianPrice {
  readonly kind = 'price'
  readonly npi = null
  readonly cpt: string
  readonly region: string
  readonly key: string
  readonly size: number
  readonly cents: number
  readonly template: Template

  constructor(
    line: PricedLine,
    readonly place: PricedPlace,
  ) {
    const fee = feeCents(line.rvu, place.gpci, line.factor)
    const ceiling = line.cap ? feeCents(line.cap, place.gpci, line.factor) : fee
    this.cpt = line.line.cpt
    this.region = place.place.region
    this.key = this.cpt + place.key + line.key
    this.cents = Math.min(fee, ceiling)
    this.template = templateFor(line, place, widthOf(this.cents), ceiling < fee)
    this.size = this.template.bytes.length
  }

  write(room: Uint8Array, at: number): void {
    const { place, template } = this
    room.set(template.bytes, at)
    fill(room, at + template.malpractice, place.malpractice)
    fill(room, at + template.practice, place.practice)
    fill(room, at + template.work, place.work)
    fill(room, at + template.lineNumber, place.lineNumber)
    fill(room, at + template.region, place.region)
    fillAmount(room, at + template.amountEnd, this.cents)
  }

  get body(): string {
    const bytes = new Uint8Array(this.size)
    this.write(bytes, 0)
    return decoder.decode(bytes)
  }
}

/** A loop, because the texts have a few bytes each. */
function fill(room: Uint8Array, at: number, text: Uint8Array): void {
  for (let i = 0; i < text.length; i++) room[at + i] = text[i] as number
}

const ZERO = 48
const POINT = 46

/** 9519 is `95.19`, and 5 is `0.05`. */
function fillAmount(room: Uint8Array, end: number, cents: number): void {
  let rest = cents
  for (let at = end - 1, digits = 0; digits < 3 || rest > 0; at--, digits++) {
    if (digits === 2) room[at--] = POINT
    const digit = rest % 10
    room[at] = ZERO + digit
    rest = (rest - digit) / 10
  }
}

/** How many characters an amount has. */
function widthOf(cents: number): number {
  let width = 4
  for (let least = 1_000; cents >= least; least *= 10) width++
  return width
}

const readyAbsence = (row: Row): ReadyRow => ({
  kind: row.kind,
  key: rowKey(row),
  body: rowText(row),
  cpt: row.cpt,
  region: row.region,
  npi: null,
})

function pricedLine(line: PhysicianLine, setting: Setting, edition: PhysicianEdition): PricedLine {
  const cap = capFor(line, setting)
  return {
    line,
    setting,
    edition,
    key: `||${line.modifier}|${edition.basis}|${setting}|`,
    indicators: canonical(indicatorsOf(line)),
    rvu: factors(partsFor(line, setting), 2),
    cap: cap && factors(cap, 2),
    factor: scaled(line.conversionFactor, 4),
    templates: [],
  }
}

function pricedPlace(place: Place, shapes: string[]): PricedPlace {
  const { gpci, region } = place
  const lineNumber = 'line' in place ? String(place.line) : ''
  const floor = 'work_floor' in place ? place.work_floor : ''
  const texts = [gpci.malpractice, gpci.practice, gpci.work, lineNumber, region]
  const shape = [floor, ...texts.map((text) => text.length)].join()
  if (!shapes.includes(shape)) shapes.push(shape)
  return {
    place,
    key: `|${region}`,
    shape: shapes.indexOf(shape),
    gpci: factors(gpci, 3),
    malpractice: encoder.encode(gpci.malpractice),
    practice: encoder.encode(gpci.practice),
    work: encoder.encode(gpci.work),
    lineNumber: encoder.encode(lineNumber),
    region: encoder.encode(region),
  }
}

const MOST_WIDTH = 32

function templateFor(line: PricedLine, { place, shape }: PricedPlace, width: number, capped: boolean): Template {
  const number = (shape * MOST_WIDTH + width) * 2 + Number(capped)
  const known = line.templates[number]
  if (known) return known
  const made = makeTemplate(line, place, width, capped)
  line.templates[number] = made
  return made
}

// The cells were checked when the line was read: digits, points and capitals only, so nothing needs escaping.
function makeTemplate(priced: PricedLine, place: Place, width: number, capped: boolean): Template {
  const { line, setting, edition, indicators } = priced
  const { basis, conversion_factor_kind: kind, effective_from } = edition
  const { gpci, region } = place
  const rvu = partsFor(line, setting)
  const cap = capFor(line, setting)
  let text = `{"basis":"${basis}","class":null,"cpt":"${line.cpt}","derivation":{"inputs":{"conversion_factor":"${line.conversionFactor}",`
  if (kind) text += `"conversion_factor_kind":"${kind}",`
  text += '"malpractice_gpci":"'
  const malpractice = text.length
  text += `${gpci.malpractice}","malpractice_rvu":"${rvu.malpractice}",`
  if (cap) text += `"opps_malpractice_rvu":"${cap.malpractice}","opps_practice_rvu":"${cap.practice}",`
  text += '"practice_gpci":"'
  const practice = text.length
  text += `${gpci.practice}","practice_rvu":"${rvu.practice}","work_gpci":"`
  const work = text.length
  text += `${gpci.work}",`
  if ('work_floor' in place) text += `"work_gpci_column":"${place.work_floor}",`
  text += `"work_rvu":"${rvu.work}"},"method":"pfs-formula/1"},"effective_from":"${effective_from}",`
  text += `"flags":[${capped ? '"opps_cap"' : ''}],"indicators":${indicators},"kind":"price",`
  text += `"locator":[{"citation":0,"line":${line.line}}`
  const lineNumber = text.length + AFTER_FIRST.length
  if ('line' in place) text += `${AFTER_FIRST}${place.line}}`
  const modifier = line.modifier === '' ? 'null' : `"${line.modifier}"`
  text += `],"modifier":${modifier},"npi":null,"price":{"amount":"${'0'.repeat(width)}`
  const amountEnd = text.length
  text += '","currency":"USD","per":null},"region":"'
  const at = text.length
  text += `${region}","setting":"${setting}"}`
  return { bytes: encoder.encode(text), malpractice, practice, work, lineNumber, amountEnd, region: at }
}

const AFTER_FIRST = ',{"citation":1,"line":'

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

import type { Db } from '../../db/db.ts'
import { type ChartFacts, type ChartTable, codeIn, factsOf } from '../../proof/price/charts.ts'
import { ROW_PROOF } from '../../proof/price/proofs.ts'
import { HASH_SIZE } from '../../proof/tree/merkle.ts'
import { viewOf } from '../bundle/placed-bundle.ts'
import type { Around, RowFinder } from '../bundle/row-search.ts'
import { rowText } from '../bundle/row-values.ts'
import { BUNDLE_ROWS } from '../file/bundle.ts'
import { writeHash } from '../file/levels.ts'
import type { ReleaseFile } from '../file/release-file-store.ts'
import { MOST_PATH_BYTES } from '../file/release-tree.ts'
import type { LostSourcesOf } from '../lookup/answer.ts'
import { partsOf, releasesFor, speaksForCountry } from '../lookup/beside.ts'
import { openPublished } from '../lookup/proofs.ts'
import type { PublishedRegistry, View } from '../lookup/view.ts'
import type { Release } from '../store.ts'
import { type PlainQuestion, plainReader } from './plain-question.ts'
import { MOST_KEYS, quickRows, type RowPlace } from './quick-rows.ts'
import { type RelatedForm, RelatedTexts } from './related-text.ts'

export interface FirstAnswerParts {
  db: Db
  published: PublishedRegistry
  today: () => string
  table: ChartTable
  lostSources: LostSourcesOf
}

/**
 * The quick way to a first answer. Most questions are plain: a code, a locality or the country, a setting. The schedule that
 * is asked first has a price for it, and that is the whole answer: one row with its proof. Then the answer is spliced of
 * bytes, without a parsed question, a trace of the rule, objects, or JSON written again.
 *
 * It steps aside, that is it gives undefined, wherever the general way (`find`, `answerText`) has more to do: a ZIP code or a
 * state, a hospital, modifiers that change the amount, no price where the rule looks first, a row that holds later, a lost
 * source, damage in what it reads. It refuses nothing. What it gives is the same as the general way gives, byte for byte: a test
 * compares them over random questions. Only where a file is damaged elsewhere, in totals for one, may that refuse what is found
 * here, or point to less beside it. The bytes are valid until the next call.
 */
export function firstAnswers(parts: FirstAnswerParts): (query: string) => Uint8Array<ArrayBuffer> | undefined {
  const read = plainReader(parts.table)
  const known = new WeakMap<View, Plans>()
  const related = new RelatedTexts()
  const planFor = (view: View, day: string): DayPlan => {
    const plans = known.get(view) ?? { days: new Map<string, DayPlan>(), plates: new Map<Release, Plate>() }
    const { days, plates } = plans
    const found = days.get(day)
    if (found) return found
    const made = new DayPlan(parts, view, day, plates)
    if (days.size > MOST_DAYS) days.clear()
    days.set(day, made)
    known.set(view, plans)
    return made
  }
  return (query) => {
    const view = parts.published.current()
    const question = view && read(query)
    if (!question) return undefined
    try {
      return planFor(view, question.rest.day || parts.today()).answer(question, related)
    } catch {
      return undefined // the general way meets the same, and says what is wrong
    }
  }
}

/** Of one published state. Days are many and small; what a release says of itself is the same on all of them. */
interface Plans {
  days: Map<string, DayPlan>
  plates: Map<Release, Plate>
}

const MOST_DAYS = 1_000

const PROOF = Buffer.from(`,"proof":{"type":"${ROW_PROOF}","row":{"index":`)
const LEAF = Buffer.from(',"leaf_hash":"')
const PATH = Buffer.from('","path":[')
/** From the end of the path on. */
const shareOf = (text: string): Buffer => Buffer.from(`]},${text}},"related":`)

/** The path, and what stands between the parts. */
const MOST_OTHER_BYTES = MOST_PATH_BYTES + 1_024
/** Each answer is written where the one before it was: to get memory for it takes longer than to fill it. */
const out = Buffer.allocUnsafeSlow(128 * 1024)
const outText = rowText(out)
const outRoom = { bytes: out, view: outText.view }

/** What is in force on a day, ready to be put into answers. */
class DayPlan {
  readonly #plates = new Map<string, Plate | undefined>()
  readonly #beside: readonly { release: Release; facts: ChartFacts | undefined }[]

  constructor(
    private readonly parts: FirstAnswerParts,
    private readonly view: View,
    private readonly day: string,
    private readonly plates: Map<Release, Plate>,
  ) {
    const { table } = parts
    this.#beside = releasesFor({ view, charts: table }, null, day).map((release) => ({
      release,
      facts: factsOf(release.chart, table),
    }))
  }

  answer(question: PlainQuestion, related: RelatedTexts): Uint8Array<ArrayBuffer> | undefined {
    const { cpt, rest } = question
    const plate = this.#plateOf(rest.chart)
    if (!plate || codeIn(rest.facts, cpt) !== cpt) return undefined
    const file = openPublished(this.parts.db, plate.release)
    // Where rows have failed, the file itself says which are not to be read.
    if (file.failed.length > 0) return undefined
    const rows = quickRows(file, plate.release.manifest.rows_root)
    const place = rows.locate(cpt, rest)
    if (!place?.row.isPriceOn(this.day) || this.parts.lostSources(plate.release.manifest).length > 0) return undefined
    const leafEnd = writeLeaf(place.row)
    const about = { cpt, region: rest.placeBeside, day: this.day }
    const around = this.#isAlone(cpt, plate.release) ? rows.around(place, cpt, rest) : undefined
    const known = around && related.ofRows(file, around)
    const beside = known ?? this.#besideOf(file, place, question, plate.release, around, related)
    if (!beside) return undefined
    if (leafEnd + plate.share.length + beside.mostBytes(about) + MOST_OTHER_BYTES > out.length) return undefined
    const at = splice(file, plate, place, leafEnd)
    if (at < 0) return undefined
    const end = beside.write(about, outText, at)
    out[end] = CLOSE
    return out.subarray(1, end + 1)
  }

  /** Whether no other release has the code, under this name or another. */
  #isAlone(cpt: string, main: Release): boolean {
    for (const { release, facts } of this.#beside) {
      if (facts && codeIn(facts, cpt) !== cpt) return false
      if (release !== main && openPublished(this.parts.db, release).hasCode(cpt)) return false
    }
    return true
  }

  #besideOf(
    file: ReleaseFile,
    place: RowPlace,
    { cpt, rest }: PlainQuestion,
    main: Release,
    around: Around | undefined,
    related: RelatedTexts,
  ): RelatedForm | undefined {
    const own = quickRows(file, main.manifest.rows_root).keysAround(place, `${cpt}|${rest.region}|`)
    const keys = around ? own : this.#keysBeside(cpt, rest.region, main, own)
    // To the price of a hospital the general way points by its row.
    const made = keys?.some(isOfHospital) ? undefined : keys && related.of(cpt + rest.afterCode, keys)
    if (around && made) related.keep(file, around, made)
    return made
  }

  /** Everything there is for a code at a place and in the country; undefined where a chart has it under another code, or too much. */
  #keysBeside(cpt: string, region: string, main: Release, own: readonly string[]): string[] | undefined {
    const keys: string[] = []
    for (const { release, facts } of this.#beside) {
      if (facts && codeIn(facts, cpt) !== cpt) return undefined
      keys.push(...(release === main ? own : this.#keysIn(release, cpt, region)))
    }
    for (const { release, facts } of region === 'national' ? [] : this.#beside)
      if (speaksForCountry(facts)) keys.push(...this.#keysIn(release, cpt, 'national'))
    return keys.length > MOST_KEYS ? undefined : keys
  }

  #keysIn(release: Release, cpt: string, region: string): string[] {
    const file = openPublished(this.parts.db, release)
    return file.hasCode(cpt) ? file.keysOfSchedule(`${cpt}|${region}|`) : []
  }

  #plateOf(chart: string): Plate | undefined {
    const known = this.#plates.get(chart)
    if (known || this.#plates.has(chart)) return known
    const release = this.view.editionOn(chart, this.day)
    const made = release && (this.plates.get(release) ?? { release, share: shareOf(this.view.shareText(release)) })
    if (made) this.plates.set(made.release, made)
    this.#plates.set(chart, made)
    return made
  }
}

const isOfHospital = (key: string): boolean => partsOf(key).npi !== null

/** A release in force, and what every answer from it says of it, with what stands around that. */
interface Plate {
  release: Release
  share: Buffer
}

/** Writes what is hashed of a row where the answer is made, a zero byte and its text, and gives the place after it. */
function writeLeaf(row: RowFinder): number {
  out[0] = 0
  return row.write(outText, 1)
}

/** Writes the proof after what is hashed of the row, and gives the place after it; -1 if the row is not the one that was published. */
function splice(
  file: ReleaseFile,
  { release, share }: Plate,
  { n, at: place, stored }: RowPlace,
  leafEnd: number,
): number {
  const index = n * BUNDLE_ROWS + place
  const tree = file.tree(release.manifest.rows_root)
  const isKnown = tree.isKnown(index, stored)
  if (!isKnown) Bun.SHA256.hash(out.subarray(0, leafEnd), hash)
  let at = put(LEAF, writeNumber(index, put(PROOF, leafEnd - 1)))
  at = isKnown
    ? writeHash(outText.view, at, stored.hashes, stored.hashesAt + place * HASH_SIZE)
    : writeHash(outText.view, at, hashView, 0)
  at = tree.writePath(outRoom, put(PATH, at), index, isKnown ? undefined : hash, stored)
  if (at < 0) return at
  out.set(share, at)
  return at + share.length
}

const CLOSE = 125
const hash = Buffer.alloc(HASH_SIZE)
const hashView = viewOf(hash)

function writeNumber(number: number, at: number): number {
  let end = at + 1
  for (let rest = number; rest >= 10; rest = Math.floor(rest / 10)) end++
  for (let i = end, rest = number; i > at; rest = Math.floor(rest / 10)) out[--i] = ZERO + (rest % 10)
  return end
}

const ZERO = 48

/** A few bytes: to have them copied takes longer than to copy them. */
function put(bytes: Buffer, at: number): number {
  for (let i = 0; i < bytes.length; i++) out[at + i] = bytes[i] as number
  return at + bytes.length
}

import { tmpdir } from 'node:os'
import { type FileIdentity, openBytes } from '../../files/byte-stream.ts'
import { unreadable } from '../../files/unreadable.ts'
import type { Row } from '../../proof/price/row.ts'
import { type Findings, note } from '../../registry/release/rules.ts'
import { type LoadBudget, spend } from '../budget.ts'
import type { Amounts } from './amounts.ts'
import { boundCharges, boundRows } from './bounds.ts'
import {
  type ChargeSink,
  type HospitalHead,
  type HospitalReader,
  NOT_ATTESTED,
  noteLines,
  OTHER_COLUMN,
  OTHER_VERSION,
} from './charges.ts'
import { codeText, numberOfCode } from './code-number.ts'
import { HospitalCsv } from './csv.ts'
import { HospitalJson } from './json.ts'
import { dayOf, isAttested, isTemplateVersion, providersOf } from './owner.ts'
import type { PayerRates } from './payer-rates.ts'
import { PayerBook } from './payers.ts'
import { rowsOfTally } from './rows.ts'
import { ChargeTally } from './tally.ts'

/** A hospital's price list: its owner, its first day, and its rows in key order. */
export interface HospitalFile {
  npis: string[]
  last_updated_on: string
  rows: Iterable<Row>
  published: FileIdentity
  /** How much of the rows has been taken, from 0 to 1. */
  share(): number
  scratchBytes(): number
  close(): void
}

export interface HospitalOptions {
  npis?: readonly string[] | undefined
  /** For a file that does not say when it was last updated. */
  effective_from?: string | undefined
  /** Where what does not fit in memory may be written. */
  scratch?: string | undefined
  budget?: LoadBudget | undefined
  onRead?: ((bytes: number, lines: number) => void) | undefined
}

/** A file of any size: its rows come out of what was tallied, once, and `close` gives the scratch file back. */
export async function openHospitalFile(
  path: string,
  options: HospitalOptions,
  rejects: Findings,
): Promise<HospitalFile> {
  const tally = new ChargeTally(options.scratch ?? tmpdir(), undefined, undefined, options.budget)
  const payers = new PayerBook()
  const feed = new Feed(tally, rejects, payers)
  const stream = await openBytes(path, (bytes) => options.onRead?.(bytes, feed.lines))
  try {
    for await (const chunk of stream.chunks) {
      tally.sourceBytes += chunk.length
      feed.push(chunk)
      boundCharges(tally.counted, tally.sourceBytes)
      spend(options.budget, 'keys', tally.mostKeys)
    }
    const head = feed.end()
    if (tally.mostKeys === 0) throw withoutCodes(feed.lines)
    const npis = providersOf(options.npis ?? [], head, stream.name)
    spend(options.budget, 'keys', tally.mostKeys)
    boundRows(tally.mostKeys, npis.length, tally.sourceBytes)
    const last_updated_on = options.effective_from ?? dayOf(head)
    const rows = rowsOfTally(tally, payers, npis, last_updated_on)
    const published = stream.identity()
    return {
      npis,
      last_updated_on,
      rows,
      published,
      share: () => tally.share(),
      scratchBytes: () => tally.scratchBytes,
      close: () => tally.close(),
    }
  } catch (error) {
    tally.close()
    throw error
  }
}

const withoutCodes = (lines: number) =>
  unreadable(
    lines === 0
      ? 'the file has no lines with prices: download it again'
      : `none of the ${lines} lines with prices has a code of a kind that is held (CPT, HCPCS, MS-DRG, APR-DRG, revenue code, APC, NDC): there is nothing to load, unless the hospital has another file`,
  )

/** What one line states for one code: its own amounts, or the rates of one payer. */
export type StatedLine = {
  line: number
  /** `modifier|setting|class`, see variant.ts. */
  variant: string
} & ({ amounts: Amounts } | { payer: string; rates: PayerRates })

/** The amounts of a file, before its owner is known: it may name no NPI, or numbers that are not NPIs. */
export interface StatedAmounts {
  named_npis: string[]
  /** The lines that state something for a code. */
  lines: Set<number>
  ofCode: Map<string, StatedLine[]>
}

/** The part to keep of a file that is too large to keep: the amounts of some codes, and which of some lines state any. */
export interface Selection {
  codes: ReadonlySet<string>
  lines: ReadonlySet<number>
}

/** Collects the amounts of a file, piece by piece. */
export class AmountsReader {
  readonly #feed: Feed
  readonly #lines = new Set<number>()
  readonly #ofCode = new Map<string, StatedLine[]>()
  readonly #seen = new Set<string>()

  constructor(wanted?: Selection) {
    const payers = new PayerBook()
    const take = (code: number, stated: StatedLine): void => {
      const { line } = stated
      const asked = !wanted || wanted.lines.has(line)
      if (asked) this.#lines.add(line)
      const text = codeText(code)
      if (wanted && !wanted.codes.has(text)) return
      // A large file repeats amounts on many lines: once is enough, where no row cites the line.
      const said = `${text}|${JSON.stringify({ ...stated, line: 0 })}`
      if (asked || !this.#seen.has(said)) this.#keep(text, stated)
      if (wanted) this.#seen.add(said)
    }
    const sink: ChargeSink = {
      charge: (code, variant, line, amounts) => take(code, { line, variant, amounts: [...amounts] }),
      rates: (code, variant, line, payer, rates) =>
        take(code, { line, variant, payer: payers.idOf(payer), rates: [...rates] }),
    }
    this.#feed = new Feed(sink, new Map(), payers)
  }

  push(chunk: Uint8Array): void {
    this.#feed.push(chunk)
  }

  end(): StatedAmounts {
    return { named_npis: this.#feed.end().npis, lines: this.#lines, ofCode: this.#ofCode }
  }

  #keep(code: string, stated: StatedLine): void {
    const lines = this.#ofCode.get(code) ?? []
    this.#ofCode.set(code, lines)
    lines.push(stated)
  }
}

/** Most codes have fewer; for more there is more room. */
const KEYS_OF_A_CODE = 16

/** The rows of one code, in key order, from all lines that state something for it. */
export function rowsOfCode(
  cpt: string,
  lines: readonly StatedLine[],
  npis: readonly string[],
  effective_from: string,
): Row[] {
  const tally = new ChargeTally(tmpdir(), Number.POSITIVE_INFINITY, KEYS_OF_A_CODE)
  const payers = new PayerBook()
  const number = numberOfCode(cpt)
  for (const stated of lines) {
    const { line, variant } = stated
    if ('amounts' in stated) tally.charge(number, variant, line, stated.amounts, false)
    else tally.rates(number, variant, line, payers.numberOfId(stated.payer), stated.rates)
  }
  return [...rowsOfTally(tally, payers, npis, effective_from)]
}

/** Finds out by its first bytes what a file is, and hands it to the reader for that. */
class Feed {
  #reader: HospitalReader | undefined
  #head: HospitalHead | undefined

  constructor(
    readonly sink: ChargeSink,
    readonly rejects: Findings,
    readonly payers: PayerBook,
  ) {}

  get lines(): number {
    return this.#reader?.lines ?? 0
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    this.#reader ??= this.#readerFor(chunk)
    this.#reader.push(chunk)
  }

  end(): HospitalHead {
    if (!this.#reader) throw unreadable('the file is empty')
    if (!this.#head) {
      this.#head = this.#reader.end()
      if (!isAttested(this.#head)) note(this.rejects, NOT_ATTESTED, undefined)
      if (!isTemplateVersion(this.#head)) note(this.rejects, OTHER_VERSION, undefined)
      if (this.#head.unknown) note(this.rejects, OTHER_COLUMN, undefined)
      noteLines(this.rejects, this.#reader.lines, this.payers.rates)
    }
    return this.#head
  }

  #readerFor(chunk: Uint8Array): HospitalReader {
    if (isUtf16(chunk)) throw unreadable('the file is UTF-16: save it as UTF-8 and load that')
    if (isPacked(chunk)) throw unreadable('the file is packed twice: unpack it once, and load what is inside')
    const start = new TextDecoder('latin1').decode(chunk.subarray(0, 256)).replace(/^(\xef\xbb\xbf)?\s*/, '')
    if (start.startsWith('<?xml')) throw unreadable('the file is XML: load the hospital\u2019s CSV or JSON file')
    if (start.startsWith('<'))
      throw unreadable('the file is a web page, not a price list: download the file it leads to')
    if (start.startsWith('%PDF')) throw unreadable('the file is a PDF: load the hospital\u2019s CSV or JSON file')
    const isJson = start.startsWith('{') || start.startsWith('[')
    return isJson
      ? new HospitalJson(this.sink, this.rejects, this.payers)
      : new HospitalCsv(this.sink, this.rejects, this.payers)
  }
}

/** Whether it is still gzip or zip after it was unpacked: a server may pack a packed file again. */
const isPacked = ([first, second, third]: Uint8Array): boolean =>
  (first === 0x1f && second === 0x8b) || (first === 0x50 && second === 0x4b && third === 3)

/** Whether a text is UTF-16, by its mark, or because every second byte of Latin letters is zero. */
const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (first === 0) !== (second === 0)

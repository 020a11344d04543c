// The `./statement` export: a patient's paper in, the body of `POST /bill/check` out. Everything runs where the paper is. Names, numbers of
// persons, diagnoses and notes are dropped as the paper is read: see keep.ts for what is left.

import { Refused, type Statement } from './bill.ts'
import { readFhir } from './fhir.ts'
import { isMedicareText, readMedicareText } from './medicare-text.ts'
import { readPastedText } from './pasted-text.ts'
import type { Refusal } from './reasons.ts'
import { isTable, readTable } from './table.ts'
import { isWorkbook, readWorkbook } from './workbook.ts'
import { isX12, readX12 } from './x12.ts'

export type {
  At,
  BillLine,
  BillRequest,
  BillTotals,
  Format,
  Kind,
  Paper,
  Remark,
  Statement,
  Unread,
} from './bill.ts'
export { MOST_LINES, PLACES } from './bill.ts'
export { joined } from './joined.ts'
export { NOTES, REASONS, REFUSALS } from './reasons.ts'

const MOST_BYTES = 10 * 1024 * 1024

/** Files of other kinds, by their first bytes. */
const OTHERS: readonly (readonly [Refusal, string])[] = [
  ['pdf', '%PDF'],
  ['picture', '\u0089PNG'],
  ['picture', '\u00ff\u00d8\u00ff'],
  ['picture', 'GIF8'],
  ['picture', 'RIFF'],
  ['picture', 'II*\u0000'],
  ['picture', 'MM\u0000*'],
  ['old_workbook', '\u00d0\u00cf\u0011\u00e0'],
  ['packed', '\u001f\u008b'],
  ['packed', 'Rar!'],
  ['packed', '7z\u00bc\u00af'],
  ['packed', 'BZh'],
  ['packed', '\u0028\u00b5\u002f\u00fd'],
]

/** Reads a file, its bytes or its text. Never throws for what stands in it: a file that cannot be read is refused by one sentence. */
export async function readStatement(source: Blob | Uint8Array | string): Promise<Statement> {
  try {
    const size = typeof source === 'string' ? source.length : source instanceof Uint8Array ? source.length : source.size
    if (size > MOST_BYTES) throw new Refused('too_large')
    if (typeof source === 'string') return readText(source)
    const bytes = source instanceof Uint8Array ? source : new Uint8Array(await source.arrayBuffer())
    if (isWorkbook(bytes)) return await readWorkbook(bytes)
    return readText(decoded(bytes))
  } catch (error) {
    if (error instanceof Refused) return { ok: false, why: error.why, unread: error.unread }
    throw error
  }
}

function readText(whole: string): Statement {
  const text = whole.replace(/^\ufeff/, '')
  const start = text.slice(0, 2_000).trimStart()
  if (start === '') throw new Refused('empty')
  if (isX12(text)) return readX12(text)
  if (/^[{[]/.test(start)) return readFhir(text)
  if (/^<(?:!doctype|\?xml|html|[a-z]+[ >])/i.test(start)) throw new Refused('markup')
  if (isMedicareText(text)) return readMedicareText(text)
  return isTable(text) ? readTable(text) : readPastedText(text)
}

/** UTF-8, UTF-16 with its mark, else Windows-1252, which American programs write. */
function decoded(bytes: Uint8Array): string {
  const first = String.fromCharCode(...bytes.slice(0, 8))
  const [other] = OTHERS.find(([, mark]) => first.startsWith(mark)) ?? []
  if (other) throw new Refused(other)
  const mark = `${bytes[0]},${bytes[1]}`
  const wide = mark === '255,254' ? 'utf-16le' : mark === '254,255' ? 'utf-16be' : undefined
  const text = as(wide ?? 'utf-8', bytes) ?? (wide ? undefined : as('windows-1252', bytes))
  if (text === undefined) throw new Refused('encoding')
  if (text.includes('\u0000')) throw new Refused('binary')
  return text
}

function as(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

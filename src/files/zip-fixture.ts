import { crc32, deflateRawSync } from 'node:zlib'
import { isLong } from '../../test/support/long.ts'
import { utf8 } from '../proof/bytes.ts'

/** A member to pack, and false values for its headers. */
export interface ZipMember {
  name: string
  data: string | Uint8Array
  stored?: boolean
  claims?: {
    size?: number
    packed?: number
    crc?: number
    method?: number
    flags?: number
    localName?: string
    offset?: number
    unixMode?: number
    /** Only for the local header. */
    localSize?: number
  }
  /** Puts the numbers after the data and zeros before it. They may differ from the directory. */
  descriptor?: { crc?: number; packed?: number; size?: number }
}

const bytesOf = (data: string | Uint8Array): Uint8Array => (typeof data === 'string' ? utf8(data) : data)

/** Makes a zip file, honest or not. With `wide` every size is in a zip64 field. */
export function zip(members: readonly ZipMember[], { wide = false, count = members.length } = {}): Uint8Array {
  const parts: Uint8Array[] = []
  const central: Uint8Array[] = []
  let at = 0
  const add = (to: Uint8Array[], bytes: Uint8Array): number => to.push(bytes)
  for (const { name, data, stored = false, claims = {}, descriptor } of members) {
    const whole = bytesOf(data)
    const body = stored ? whole : new Uint8Array(deflateRawSync(whole))
    const numbers = {
      flags: claims.flags ?? (descriptor ? 0x808 : 0x800),
      method: claims.method ?? (stored ? 0 : 8),
      crc: claims.crc ?? crc32(whole),
      packed: claims.packed ?? body.length,
      size: claims.size ?? whole.length,
    }
    const local = utf8(claims.localName ?? name)
    const inFront = descriptor
      ? { ...numbers, crc: 0, packed: 0, size: 0 }
      : { ...numbers, size: claims.localSize ?? numbers.size }
    const behind = descriptor ? [dataDescriptor({ ...numbers, ...descriptor })] : []
    const head = [localHeader(inFront, local.length), local, body, ...behind]
    add(central, centralHeader(numbers, utf8(name), claims.offset ?? at, claims.unixMode ?? 0, wide))
    for (const each of head) {
      add(parts, each)
      at += each.length
    }
  }
  const directory = joined(central)
  return joined([
    ...parts,
    directory,
    ...(wide ? [wideEnd(count, directory.length, at)] : []),
    end(count, directory.length, at, wide),
  ])
}

interface Numbers {
  flags: number
  method: number
  crc: number
  packed: number
  size: number
}

function localHeader({ flags, method, crc, packed, size }: Numbers, nameLength: number): Uint8Array {
  const { bytes, view } = record(30, 0x04034b50)
  view.setUint16(4, 20, true)
  view.setUint16(6, flags, true)
  view.setUint16(8, method, true)
  for (const [i, value] of [crc, packed, size].entries()) view.setUint32(14 + i * 4, Math.min(value, 0xffffffff), true)
  view.setUint16(26, nameLength, true)
  return bytes
}

function dataDescriptor({ crc, packed, size }: Numbers): Uint8Array {
  const { bytes, view } = record(16, 0x08074b50)
  for (const [i, value] of [crc, packed, size].entries()) view.setUint32(4 + i * 4, value, true)
  return bytes
}

function centralHeader(
  { flags, method, crc, packed, size }: Numbers,
  name: Uint8Array,
  offset: number,
  unixMode: number,
  wide: boolean,
): Uint8Array {
  const { bytes, view } = record(46, 0x02014b50)
  view.setUint16(4, 0x0314, true)
  view.setUint16(8, flags, true)
  view.setUint16(10, method, true)
  view.setUint32(16, crc, true)
  view.setUint16(28, name.length, true)
  view.setUint16(40, unixMode, true)
  const fields: [number, number][] = [
    [24, size],
    [20, packed],
    [42, offset],
  ]
  for (const [at, value] of fields) view.setUint32(at, wide ? 0xffffffff : value, true)
  if (!wide) return joined([bytes, name])
  view.setUint16(30, 28, true)
  const extra = new DataView(new ArrayBuffer(28))
  extra.setUint16(0, 1, true)
  extra.setUint16(2, 24, true)
  for (const [i, [, value]] of fields.entries()) extra.setBigUint64(4 + i * 8, BigInt(value), true)
  return joined([bytes, name, new Uint8Array(extra.buffer)])
}

function wideEnd(count: number, length: number, at: number): Uint8Array {
  const { bytes, view } = record(56, 0x06064b50)
  const numbers: [number, number][] = [
    [4, 44],
    [24, count],
    [32, count],
    [40, length],
    [48, at],
  ]
  for (const [offset, value] of numbers) view.setBigUint64(offset, BigInt(value), true)
  const locator = record(20, 0x07064b50)
  locator.view.setBigUint64(8, BigInt(at + length), true)
  locator.view.setUint32(16, 1, true)
  return joined([bytes, locator.bytes])
}

function end(count: number, length: number, at: number, wide: boolean): Uint8Array {
  const { bytes, view } = record(22, 0x06054b50)
  view.setUint16(8, wide ? 0xffff : count, true)
  view.setUint16(10, wide ? 0xffff : count, true)
  view.setUint32(12, wide ? 0xffffffff : length, true)
  view.setUint32(16, wide ? 0xffffffff : at, true)
  return bytes
}

function record(length: number, signature: number): { bytes: Uint8Array; view: DataView } {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, signature, true)
  return { bytes, view }
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook made of the XML of its rows and shared strings. The first sheet has the id rId1, the others rId3 and so on. */
export function workbook(
  sheetData: string,
  {
    strings = '',
    sheets = '<sheet name="Prices" sheetId="1" r:id="rId1"/>',
    prolog = '',
    others = [] as string[],
  } = {},
): Uint8Array {
  const sheet = (data: string): string => `<worksheet ${NAMESPACE}><sheetData>${data}</sheetData></worksheet>`
  const rels = others.map(
    (_, i) => `<Relationship Id="rId${i + 3}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${i + 3}.xml"/>`,
  )
  return zip([
    { name: '[Content_Types].xml', data: '<Types/>' },
    { name: '_rels/.rels', data: '<Relationships/>' },
    {
      name: 'xl/workbook.xml',
      data: `<workbook ${NAMESPACE} xmlns:r="${OFFICE}"><sheets>${sheets}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: `<Relationships><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>
        <Relationship Id="rId2" Type="${OFFICE}/sharedStrings" Target="/xl/sharedStrings.xml"/>${rels.join('')}</Relationships>`,
    },
    { name: 'xl/worksheets/sheet1.xml', data: `${prolog}${sheet(sheetData)}` },
    ...others.map((data, i) => ({ name: `xl/worksheets/sheet${i + 3}.xml`, data: sheet(data) })),
    { name: 'xl/sharedStrings.xml', data: `<sst ${NAMESPACE}>${strings}</sst>` },
  ])
}

/** The XML of rows of inline texts, from row 1. */
export const inlineRows = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((cells, i) => {
      const texts = cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`)
      return `<row r="${i + 1}">${texts.join('')}</row>`
    })
    .join('')

/** A random number generator that gives the same numbers on every run (mulberry32). */
export function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

export const FUZZ_RUNS = isLong ? 20_000 : 150

import { unreadable } from './unreadable.ts'

/** Bytes with random access: a file, or a workbook in memory. */
export interface Bytes {
  size: number
  /** Returns fewer bytes than requested only at the end. */
  read(at: number, length: number): Uint8Array
  close(): void
}

/** An entry of the central directory. Its sizes are only claims, which unpacking checks. */
export interface Entry {
  path: string
  packed: number
  size: number
  crc: number
  stored: boolean
  /** Where the packed bytes begin. */
  at: number
}

const MAX_ARCHIVE = 2 * 1024 ** 3
const MAX_UNPACKED = 20 * 1024 ** 3
const MAX_ENTRIES = 1_000
const MAX_DIRECTORY = 16 * 1024 ** 2
const MAX_RATIO = 100

// APPNOTE.TXT 6.3.10, section 4.3
const END = 0x06054b50
const END_64 = 0x06064b50
const END_64_LOCATOR = 0x07064b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50
const DESCRIPTOR = 0x08074b50
const END_LENGTH = 22
const MAX_COMMENT = 65_535

const broken = () => unreadable('the archive is damaged or incomplete: download it again from the publisher')

/**
 * Reads the members of a zip file from its central directory. The file is hostile: it is refused if it exceeds a limit, or
 * if a part contradicts another.
 */
export function readDirectory(bytes: Bytes): Entry[] {
  if (bytes.size > MAX_ARCHIVE) throw unreadable('the archive is larger than 2 GiB')
  const { at, length, count } = findDirectory(bytes)
  if (count > MAX_ENTRIES) throw unreadable('the archive has more than 1,000 members')
  const headers = centralHeaders(exactly(bytes, at, length), count)
  const names = new Set(headers.map(({ path }) => path.toLowerCase()))
  if (names.size < headers.length) throw unreadable('two members of the archive have the same name')
  const entries = headers.map((header) => ({ ...header, at: dataStart(bytes, header) }))
  refuseOverlaps(headers, entries, at)
  refuseBombs(entries)
  return entries
}

interface Directory {
  at: number
  length: number
  count: number
}

/** Finds the directory by the end record, which is the last one whose comment reaches exactly to the end of the file. */
function findDirectory(bytes: Bytes): Directory {
  const from = Math.max(0, bytes.size - END_LENGTH - MAX_COMMENT)
  const tail = view(bytes.read(from, bytes.size - from))
  for (let i = tail.byteLength - END_LENGTH; i >= 0; i--) {
    if (tail.getUint32(i, true) !== END || i + END_LENGTH + tail.getUint16(i + 20, true) !== tail.byteLength) continue
    const end = from + i
    const large = findDirectory64(bytes, end)
    const directory = large?.directory ?? {
      count: tail.getUint16(i + 10, true),
      length: tail.getUint32(i + 12, true),
      at: tail.getUint32(i + 16, true),
    }
    if (tail.getUint16(i + 4, true) !== 0 && !large)
      throw unreadable('the archive is split into several files: join or unpack it first')
    // If there were bytes between the directory and its end record, two readers could find different directories.
    if (directory.at + directory.length !== (large?.at ?? end)) throw broken()
    if (directory.length > MAX_DIRECTORY) throw unreadable('the directory of the archive is too large')
    return directory
  }
  throw broken()
}

function findDirectory64(bytes: Bytes, end: number): { at: number; directory: Directory } | undefined {
  if (end < 20) return undefined
  const locator = view(exactly(bytes, end - 20, 20))
  if (locator.getUint32(0, true) !== END_64_LOCATOR) return undefined
  const at = large(locator, 8)
  const record = view(exactly(bytes, at, 56))
  if (record.getUint32(0, true) !== END_64 || at + 12 + large(record, 4) !== end - 20) throw broken()
  if (record.getUint32(16, true) !== 0)
    throw unreadable('the archive is split into several files: join or unpack it first')
  return { at, directory: { count: large(record, 32), length: large(record, 40), at: large(record, 48) } }
}

type Header = Omit<Entry, 'at'> & { local: number; name: Uint8Array }

function centralHeaders(directory: Uint8Array, count: number): Header[] {
  const record = view(directory)
  const headers: Header[] = []
  let at = 0
  while (at < directory.length) {
    if (at + 46 > directory.length || record.getUint32(at, true) !== CENTRAL || headers.length >= count) throw broken()
    const nameEnd = at + 46 + record.getUint16(at + 28, true)
    const extraEnd = nameEnd + record.getUint16(at + 30, true)
    const next = extraEnd + record.getUint16(at + 32, true)
    if (next > directory.length) throw broken()
    headers.push(centralHeader(record, at, directory.subarray(at + 46, nameEnd), directory.subarray(nameEnd, extraEnd)))
    at = next
  }
  if (headers.length !== count) throw broken()
  return headers
}

function centralHeader(record: DataView, at: number, name: Uint8Array, extra: Uint8Array): Header {
  const flags = record.getUint16(at + 8, true)
  const method = record.getUint16(at + 10, true)
  // The flags of encryption, strong encryption and a masked directory.
  if ((flags & 0x2041) !== 0) throw unreadable('a member of the archive is encrypted')
  if (method !== 0 && method !== 8)
    throw unreadable('a member of the archive is compressed by a method other than deflate: unpack it first')
  const unixMode = record.getUint16(at + 40, true)
  if (record.getUint8(at + 5) === 3 && (unixMode & 0xf000) === 0xa000)
    throw unreadable('the archive holds a symbolic link')
  // The zip64 field has only the sizes that do not fit, in this order.
  const wide = wideNumbers(extra)
  const [size, packed, local] = [24, 20, 42].map((offset) => {
    const short = record.getUint32(at + offset, true)
    const value = short === 0xffffffff ? wide.shift() : short
    if (value === undefined) throw broken()
    return value
  }) as [number, number, number]
  if (method === 0 && size !== packed) throw broken()
  return { path: safePath(name), name, size, packed, local, crc: record.getUint32(at + 16, true), stored: method === 0 }
}

function wideNumbers(extra: Uint8Array): number[] {
  const field = view(extra)
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = field.getUint16(at + 2, true)
    if (at + 4 + length > extra.length) throw broken()
    if (field.getUint16(at, true) === 1)
      return Array.from({ length: Math.floor(length / 8) }, (_, i) => large(field, at + 4 + i * 8))
    at += 4 + length
  }
  return []
}

/** Refuses names that point outside the archive. They are never used as paths, but such an archive is not trusted. */
function safePath(name: Uint8Array): string {
  const path = new TextDecoder().decode(name).replaceAll('\\', '/')
  if (path === '' || /\p{Cc}/u.test(path)) throw unreadable('a member of the archive has an invalid name')
  if (/^\/|^[A-Za-z]:|(^|\/)\.\.(\/|$)/.test(path))
    throw unreadable('a member of the archive has a name that points outside it')
  return path
}

/** Checks that the local header describes the same member as the directory, so that all readers see the same file. */
function dataStart(bytes: Bytes, header: Header): number {
  const { local, name, stored } = header
  const fixed = view(exactly(bytes, local, 30))
  if (fixed.getUint32(0, true) !== LOCAL || fixed.getUint16(26, true) !== name.length) throw broken()
  if ((fixed.getUint16(6, true) & 0x2041) !== 0) throw unreadable('a member of the archive is encrypted')
  if (fixed.getUint16(8, true) !== (stored ? 0 : 8)) throw broken()
  const again = exactly(bytes, local + 30, name.length)
  if (!again.every((byte, i) => byte === name[i])) throw broken()
  const start = local + 30 + name.length + fixed.getUint16(28, true)
  const isDescribed = (fixed.getUint16(6, true) & 8) !== 0
  const [crc, packed, size] = [14, 18, 22].map((at) => fixed.getUint32(at, true)) as [number, number, number]
  if (isDescribed && crc === 0) checkDescriptor(bytes, start, header)
  else if (crc !== header.crc || !isNarrow(packed, header.packed) || !isNarrow(size, header.size)) throw broken()
  return start
}

/** Whether a header has the right number, or the mark of a number that is stored in the zip64 field. */
const isNarrow = (stated: number, truth: number): boolean => stated === truth || stated === 0xffffffff

/** Checks the data descriptor after the data: with or without a signature, in four or eight bytes each (section 4.3.9). */
function checkDescriptor(bytes: Bytes, start: number, { crc, packed, size }: Header): void {
  const after = bytes.read(start + packed, 24)
  const forms = [true, false].flatMap((signed) =>
    [4, 8].map((width) => {
      const form = new DataView(new ArrayBuffer((signed ? 8 : 4) + 2 * width))
      if (signed) form.setUint32(0, DESCRIPTOR, true)
      const at = signed ? 8 : 4
      form.setUint32(at - 4, crc, true)
      for (const [i, value] of [packed, size].entries())
        if (width === 8) form.setBigUint64(at + i * 8, BigInt(value), true)
        else form.setUint32(at + i * 4, value % 2 ** 32, true)
      return new Uint8Array(form.buffer)
    }),
  )
  if (!forms.some((form) => form.every((byte, i) => after[i] === byte))) throw broken()
}

/** Refuses members that share bytes, by which a small file could claim a petabyte. */
function refuseOverlaps(headers: readonly Header[], entries: readonly Entry[], end: number): void {
  const spans = entries.map(({ at, packed }, i) => ({ from: headers[i]?.local ?? 0, to: at + packed }))
  spans.sort((a, b) => a.from - b.from)
  for (const [i, { to }] of spans.entries())
    if (to > (spans[i + 1]?.from ?? end)) throw unreadable('members of the archive overlap')
}

function refuseBombs(entries: readonly Entry[]): void {
  const total = (of: 'size' | 'packed'): number => entries.reduce((sum, entry) => sum + entry[of], 0)
  if (total('size') > MAX_UNPACKED) throw unreadable('the archive unpacks to more than 20 GiB')
  if (
    [...entries, { size: total('size'), packed: total('packed') }].some((each) => each.size > MAX_RATIO * each.packed)
  )
    throw unreadable('the archive unpacks to more than 100 times its size')
}

function exactly(bytes: Bytes, at: number, length: number): Uint8Array {
  if (at + length > bytes.size) throw broken()
  const read = bytes.read(at, length)
  if (read.length !== length) throw broken()
  return read
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function large(record: DataView, at: number): number {
  const value = Number(record.getBigUint64(at, true))
  if (!Number.isSafeInteger(value)) throw broken()
  return value
}

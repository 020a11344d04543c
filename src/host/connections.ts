import { dlopen, FFIType, ptr } from 'bun:ffi'
import { readdirSync, readFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'

// Bun accepts every connection, and keeps trying at full speed when no descriptor is left. So connections are counted from
// outside, and those past the limits are shut down: Bun then closes them as if their callers had.

const CALM_MS = 1_000
/** How often to look while there are many. */
const BUSY_MS = 100
/** Descriptors that are left for files, the database and what goes out. */
const RESERVE = 64
const SHUT_BOTH_WAYS = 2
const MOST_DESCRIPTORS = 65_536
const ADDRESS_BYTES = 128
const LIBRARIES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

export interface ConnectionLimits {
  /** How many in all. */
  most: number
  /** How many of one IPv4 address or IPv6 /64. */
  perAddress: number
  port: number
  /** Proxies have the connections of many. */
  isExempt: (address: string) => boolean
  tell: (closed: { connections: number; closed: number }) => void
}

interface Connection {
  descriptor: number
  from: string
}

/** Keeps the number of connections within limits until it is stopped. Does nothing where the system offers no way to count. */
export function guardConnections(limits: ConnectionLimits): { stop: () => void } {
  const sockets = openSockets()
  if (!sockets) return { stop: () => undefined }
  const limit = descriptorLimit()
  const most = Math.max(1, Math.min(limits.most, limit - RESERVE))
  const quiet = Math.min(most, limits.perAddress)
  let timer: ReturnType<typeof setTimeout>
  const look = (): void => {
    const open = descriptors(limit)
    const isBusy = open.length > quiet
    if (isBusy) {
      const connections = open.flatMap((descriptor) => sockets.peerOf(descriptor, limits.port) ?? [])
      const past = excess(connections, { ...limits, most })
      for (const { descriptor } of past) sockets.shut(descriptor)
      if (past.length > 0) limits.tell({ connections: connections.length, closed: past.length })
    }
    timer = setTimeout(look, isBusy ? BUSY_MS : CALM_MS)
    timer.unref()
  }
  look()
  return { stop: () => clearTimeout(timer) }
}

/** The connections to close: those of an address past its limit, then those of whoever has many, until all fit. */
export function excess(
  connections: readonly Connection[],
  { most, perAddress, isExempt }: Pick<ConnectionLimits, 'most' | 'perAddress' | 'isExempt'>,
): Connection[] {
  const byAddress = new Map<string, Connection[]>()
  for (const each of connections) {
    const mine = byAddress.get(each.from)
    if (mine) mine.push(each)
    else byAddress.set(each.from, [each])
  }
  const exempt: Connection[] = []
  const others: Connection[][] = []
  for (const [from, mine] of byAddress) {
    if (isExempt(from)) exempt.push(...mine)
    else others.push(mine)
  }
  const past = others.flatMap((mine) => mine.splice(perAddress))
  const room = Math.max(0, most - exempt.length)
  let each = most
  const kept = (): number => others.reduce((sum, mine) => sum + Math.min(mine.length, each), 0)
  while (each > 1 && kept() > room) each = Math.floor(each * 0.9)
  const ofMany = others.flatMap((mine) => mine.splice(each))
  // Where one each is still too many, some find no room; a proxy gives way only to the limit of the system.
  return [...past, ...ofMany, ...others.flat().slice(room), ...exempt.slice(most)]
}

/** The system calls that Bun does not offer. Undefined where there is no `/proc` or no such library. */
function openSockets() {
  const name = { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 }
  const shutdown = { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 }
  const open = (library: string) => dlopen(library, { getpeername: name, getsockname: name, shutdown }).symbols
  const calls = process.platform === 'linux' ? firstOf(LIBRARIES, open) : undefined
  if (!calls) return undefined
  const address = new Uint8Array(ADDRESS_BYTES)
  const length = new Uint32Array(1)
  const read = (call: typeof calls.getpeername, descriptor: number): boolean => {
    length[0] = ADDRESS_BYTES
    // Of a socket without a name only the family is written, and what was there before must not pass for its port.
    address.fill(0)
    return call(descriptor, ptr(address), ptr(length)) === 0 && isInternet(address)
  }
  return {
    /** The connection that a descriptor has to a caller of our port. */
    peerOf(descriptor: number, port: number): Connection | undefined {
      if (!read(calls.getsockname, descriptor) || new DataView(address.buffer).getUint16(2) !== port) return undefined
      return read(calls.getpeername, descriptor) ? { descriptor, from: blockOf(address) } : undefined
    },
    shut: (descriptor: number): void => void calls.shutdown(descriptor, SHUT_BOTH_WAYS),
  }
}

function firstOf<T>(names: readonly string[], open: (name: string) => T): T | undefined {
  for (const name of names) {
    try {
      return open(name)
    } catch {}
  }
  return undefined
}

const [AF_INET, AF_INET6] = [2, 10]
const isInternet = (address: Uint8Array): boolean => address[0] === AF_INET || address[0] === AF_INET6

/** From a `sockaddr`: an IPv4 address, also where it is written as IPv6, or the first half of an IPv6 address. */
function blockOf(address: Uint8Array): string {
  if (address[0] === AF_INET) return address.slice(4, 8).join('.')
  const bytes = address.slice(8, 24)
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  if (isMapped) return bytes.slice(12).join('.')
  const groups = [0, 2, 4, 6].map((at) => new DataView(bytes.buffer).getUint16(at).toString(16))
  return `${groups.join(':')}::`
}

/** Whether a block of `blockOf` lies in a list of proxies: of IPv6 they are compared by their first half. */
export const isBlockOf = (isTrusted: (address: string) => boolean) => (block: string) =>
  isIPv4(block) ? isTrusted(block) : isTrusted(block) || isTrusted(`${block}1`)

/** The open descriptors. Reading their list takes one itself: where none is left, they are all of the numbers there can be. */
function descriptors(limit: number): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number)
  } catch {
    return Array.from({ length: Math.min(limit, MOST_DESCRIPTORS) }, (_, i) => i)
  }
}

function descriptorLimit(): number {
  const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return found === undefined ? Infinity : Number(found)
}

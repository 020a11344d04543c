import { isIPv4, isIPv6 } from 'node:net'
import type { Caller, Network } from './limit/limits.ts'

/**
 * The name under which an unauthenticated request is counted. One subscriber usually has a whole IPv6 /64, so counting
 * single addresses would limit nobody. All texts that are not addresses share one name, because otherwise each new text
 * that a proxy passes on would get a fresh quota.
 */
export function addressBlock(address: string): string {
  if (isIPv4(address)) return address
  const bare = address.replace(/%.*/, '')
  if (!isIPv6(bare)) return 'unknown'
  const groups = ipv6Groups(bare)
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) return embeddedIpv4(groups)
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

const MOST_NAMES = 10_000

/** Returns a function from addresses to the callers that requests without a credential are counted for. It remembers them. */
export function anonymousCallers(): (address: string) => Caller {
  const known = new Map<string, Caller>()
  return (address) => {
    let caller = known.get(address)
    if (caller === undefined) {
      if (known.size >= MOST_NAMES) known.clear()
      caller = callerAt(address)
      known.set(address, caller)
    }
    return caller
  }
}

/** Counts an address for its networks too: providers give a customer a /56 or a /48, and a firm often has a /24 of IPv4. */
function callerAt(address: string): Caller {
  const block = addressBlock(address)
  return { name: `address ${block}`, networks: networksAround(block) }
}

function networksAround(block: string): Network[] {
  if (isIPv4(block)) return [{ kind: 'network', name: `${block.split('.', 3).join('.')}.0/24` }]
  const [a = 0, b = 0, c = 0, d = 0] = block.split(':').map((group) => Number.parseInt(group, 16))
  if (!block.endsWith('/64')) return []
  const site = [a, b, c].map((group) => group.toString(16)).join(':')
  return [
    { kind: 'site', name: `${site}:${(d >> 8).toString(16)}00::/56` },
    { kind: 'network', name: `${site}::/48` },
  ]
}

/** The eight groups of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const left = groupsOf(head)
  if (tail === undefined) return left
  const right = groupsOf(tail)
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right]
}

function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

function embeddedIpv4(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

import { BlockList, isIP } from 'node:net'

/** The proxies whose word is taken, as addresses and ranges. */
export function trustedProxies(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Who is calling. `X-Forwarded-For` is the caller's own text unless the peer is a proxy we trust; then the
 * right-most hop that is not such a proxy is the caller.
 */
export function callerAddress(peer: string, forwarded: string | null, isTrusted: (address: string) => boolean): string {
  if (forwarded === null || !isTrusted(plain(peer))) return peer
  const hops = forwarded.split(',').map((hop) => plain(hop.trim()))
  const caller = hops.reverse().find((hop) => !isTrusted(hop))
  return caller !== undefined && isIP(caller) !== 0 ? caller : peer
}

/** An IPv4 peer on a dual-stack socket is spelled ::ffff:a.b.c.d. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

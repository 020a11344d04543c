import { BlockList, isIP } from 'node:net'

/** Whether an address is a trusted proxy, by a list of addresses and ranges. */
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
 * The address of the caller. `X-Forwarded-For` is ignored unless the peer is a trusted proxy; then the caller is
 * the right-most address in it that is not a trusted proxy.
 */
export function callerAddress(peer: string, forwarded: string | null, isTrusted: (address: string) => boolean): string {
  if (forwarded === null || !isTrusted(withoutPrefix(peer))) return peer
  const hops = forwarded.split(',').map((hop) => withoutPrefix(withoutPort(hop.trim())))
  const caller = hops.reverse().find((hop) => !isTrusted(hop))
  return caller !== undefined && isIP(caller) !== 0 ? copyOf(caller) : peer
}

/** An IPv4 peer on a dual-stack socket is written ::ffff:a.b.c.d. */
const withoutPrefix = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[([0-9a-f:.]+)\](?::\d{1,5})?$/i.exec(hop)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(hop)?.[1] ?? hop

/** A part of a text keeps all of the text in memory, and addresses are remembered. */
const copyOf = (address: string): string => Buffer.from(address, 'latin1').toString('latin1')

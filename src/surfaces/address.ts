import { isIP } from 'node:net'

/**
 * Who is calling. `X-Forwarded-For` is the caller's own text unless the peer is a proxy we trust; then the
 * right-most hop that is not such a proxy is the caller.
 */
export function callerAddress(peer: string, forwarded: string | null, trusted: readonly string[]): string {
  if (forwarded === null || !trusted.includes(plain(peer))) return peer
  const hops = forwarded.split(',').map((hop) => plain(hop.trim()))
  const caller = hops.reverse().find((hop) => !trusted.includes(hop))
  return caller !== undefined && isIP(caller) !== 0 ? caller : peer
}

/** An IPv4 peer on a dual-stack socket is spelled ::ffff:a.b.c.d. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

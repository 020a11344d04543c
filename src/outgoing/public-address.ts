import { BlockList, isIP } from 'node:net'

/** Ranges that are not public: RFC 6890 and the registries of special-purpose addresses. */
const NOT_PUBLIC_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]
/** The only public range is 2000::/3, except ranges that translate to other addresses or are for documents. */
const PUBLIC_6 = '2000::/3'
const NOT_PUBLIC_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const list = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const blocks = new BlockList()
  for (const range of ranges) {
    const [network, bits] = range.split('/') as [string, string]
    blocks.addSubnet(network, Number(bits), family)
  }
  return blocks
}
const notPublic4 = list(NOT_PUBLIC_4, 'ipv4')
const public6 = list([PUBLIC_6], 'ipv6')
const notPublic6 = list(NOT_PUBLIC_6, 'ipv6')
const loopback4 = list(['127.0.0.0/8'], 'ipv4')

/** Whether an address is public. Texts that are not addresses are not. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !notPublic4.check(address, 'ipv4')
  return isIP(address) === 6 && public6.check(address, 'ipv6') && !notPublic6.check(address, 'ipv6')
}

export const isLoopbackAddress = (address: string): boolean =>
  address === '::1' || (isIP(address) === 4 && loopback4.check(address, 'ipv4'))

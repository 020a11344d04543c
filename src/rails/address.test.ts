import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addressBlock } from './address.ts'

test('an IPv4 address stands for itself, also when written as IPv6', () => {
  for (const spelling of ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:c000:207', '0:0:0:0:0:ffff:192.0.2.7'])
    expect(addressBlock(spelling)).toBe('192.0.2.7')
})

test('an IPv6 address stands for its /64', () => {
  const block = '2001:db8:1:2::/64'
  for (const spelling of [
    '2001:db8:1:2::',
    '2001:db8:1:2:3:4:5:6',
    '2001:0DB8:0001:0002::192.0.2.1',
    '2001:db8:1:2::1%eth0',
  ])
    expect(addressBlock(spelling)).toBe(block)
  expect(addressBlock('2001:db8:1:3::1')).not.toBe(block)
  expect(addressBlock('::1')).toBe('0:0:0:0::/64')
  expect(addressBlock('1::')).toBe('1:0:0:0::/64')
})

test('hopping inside a /64 never leaves it', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  fc.assert(
    fc.property(
      fc.array(group, { minLength: 4, maxLength: 4 }),
      fc.array(group, { minLength: 8, maxLength: 8 }),
      (net, hosts) => {
        const hex = (groups: number[]) => groups.map((value) => value.toString(16)).join(':')
        fc.pre(net.some((value) => value !== 0))
        expect(addressBlock(`${hex(net)}:${hex(hosts.slice(0, 4))}`)).toBe(
          addressBlock(`${hex(net)}:${hex(hosts.slice(4))}`),
        )
      },
    ),
  )
})

test('what is not an address shares one name, so it buys no quota', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^[0-9a-f:.%]*$/i.test(text))
      expect(addressBlock(text)).toBe('unknown')
    }),
  )
  for (const text of ['', '999.0.0.1', '1.2.3', '1::2::3', 'localhost', '127.1'])
    expect(addressBlock(text)).toBe('unknown')
})

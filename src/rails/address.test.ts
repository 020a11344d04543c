import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { addressBlock, anonymousCallers } from './address.ts'

test('an IPv4 address is counted by itself, also when written as IPv6', () => {
  for (const spelling of ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:c000:207', '0:0:0:0:0:ffff:192.0.2.7'])
    expect(addressBlock(spelling)).toBe('192.0.2.7')
  expect(addressBlock('::ffff:203.5.113.9')).toBe('203.5.113.9')
})

test('an IPv6 address is counted by its /64', () => {
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

test('all addresses of a /64 share one name', () => {
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

test('all texts that are not addresses share one name, so a new text gets no new quota', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^[0-9a-f:.%]*$/i.test(text))
      expect(addressBlock(text)).toBe('unknown')
    }),
  )
  for (const text of ['', '999.0.0.1', '1.2.3', '1::2::3', 'localhost', '127.1'])
    expect(addressBlock(text)).toBe('unknown')
})

test('an address that only looks like an embedded IPv4 address is counted by its /64', () => {
  expect(addressBlock('1::ffff:192.0.2.7')).toBe('1:0:0:0::/64')
  expect(addressBlock('1::2:3:4:5:6:7')).toBe('1:0:2:3::/64')
})

test('an address is counted for the networks that it is in, and any other text for no network', () => {
  const callerAt = anonymousCallers()
  expect(callerAt('192.0.2.7')).toEqual({
    name: 'address 192.0.2.7',
    networks: [{ kind: 'network', name: '192.0.2.0/24' }],
  })
  expect(callerAt('2001:db8:1:a2f3::1')).toEqual({
    name: 'address 2001:db8:1:a2f3::/64',
    networks: [
      { kind: 'site', name: '2001:db8:1:a200::/56' },
      { kind: 'network', name: '2001:db8:1::/48' },
    ],
  })
  expect(callerAt('a proxy that lies')).toEqual({ name: 'address unknown', networks: [] })
})

test('the caller of an address is computed once, and ten thousand are kept', () => {
  const callerAt = anonymousCallers()
  const first = callerAt('192.0.2.1')
  for (let i = 1; i < 10_000; i++) callerAt(`2001:db8:${i.toString(16)}::`)
  expect(callerAt('192.0.2.1')).toBe(first)
  callerAt('192.0.2.2')
  expect(callerAt('192.0.2.1')).not.toBe(first)
})

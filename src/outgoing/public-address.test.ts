import { expect, test } from 'bun:test'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

test('addresses that anybody can be given are public', () => {
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '192.0.1.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])
    expect([address, isPublicAddress(address)]).toEqual([address, true])
})

test('no private, loopback, link-local, mapped, translated or documented address is public', () => {
  for (const address of [
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.255.254',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...[
      '192.0.0.1',
      '192.0.2.1',
      '192.88.99.1',
      '192.168.0.1',
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '224.0.0.1',
    ],
    ...[
      '240.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::127.0.0.1',
      '64:ff9b::7f00:1',
    ],
    ...[
      '64:ff9b:1::1',
      '100::1',
      '2001::1',
      '2001:db8::1',
      '2002:7f00:1::1',
      '3fff::1',
      'fc00::1',
      'fd12::1',
      'fe80::1',
    ],
    ...['fec0::1', 'ff02::1', '5f00::1', 'fe80::1%eth0', '0x7f.1', '2130706433', '127.1', 'localhost', ''],
  ])
    expect([address, isPublicAddress(address)]).toEqual([address, false])
})

test('this machine is known by its loopback addresses only', () => {
  for (const address of ['127.0.0.1', '127.8.9.10', '::1']) expect(isLoopbackAddress(address)).toBe(true)
  for (const address of ['10.0.0.1', '::ffff:127.0.0.1', 'localhost', '0.0.0.0', '::'])
    expect(isLoopbackAddress(address)).toBe(false)
})

import { expect, test } from 'bun:test'
import { ThriftReader } from './thrift-reader.ts'

const reader = (...bytes: number[]): ThriftReader => new ThriftReader(Uint8Array.from(bytes))
const [STRUCT, LIST, INT] = [0x1c, 0x19, 0x15]

test('numbers are read with their signs, and one that is longer than a file can be is refused', () => {
  expect([0, 1, 2, 3, 127].map((byte) => reader(byte).zigzag())).toEqual([0, -1, 1, -2, -64])
  expect(reader(0x80, 0x01).varint()).toBe(128)
  expect(reader(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f).varint()).toBe(2 ** 49 - 1)
  for (const length of [7, 8, 20])
    expect(() => reader(...Array<number>(length).fill(0xff), 0).varint()).toThrow('too long')
})

test('a struct has fields by their distance and types that we write, and no others', () => {
  expect([...reader(INT, 2, 0x25, 4, 0).struct()]).toEqual([
    [1, 1],
    [3, 2],
  ])
  // A field by its full number: another reader would take the next byte for that number, and not for the value.
  expect(() => reader(INT, 2, 0x05, 4, 0).struct()).toThrow('do not write')
  for (const type of [1, 2, 3, 4, 7, 10, 11, 13, 15])
    expect(() => reader(0x10 | type, 0x15, 2, 0, 0, 0).struct()).toThrow('do not write')
})

test('structs and lists stand in each other a few times and not more', () => {
  const structs = (depth: number): number[] => [
    ...Array<number>(depth).fill(STRUCT),
    ...Array<number>(depth + 1).fill(0),
  ]
  const lists = (depth: number): number[] => [LIST, ...Array<number>(depth).fill(LIST), 0x0c, 0]
  expect(reader(...structs(8)).struct()).toBeInstanceOf(Map)
  expect(() => reader(...Array<number>(30).fill(STRUCT), ...Array<number>(31).fill(0)).struct()).toThrow('do not write')
  const deep = [LIST, ...Array<number>(30).fill(0x19), 0x1c, INT, 2, 0, 0]
  expect(() => reader(...deep).struct()).toThrow('do not write')
  expect(reader(...lists(3)).struct()).toBeInstanceOf(Map)
})

test('a list or a text that is longer than the file is refused before it is made', () => {
  expect(() => reader(LIST, 0xf5, 0xc1, 0x84, 0x3d, 0).struct()).toThrow('too long')
  expect(() => reader(0x18, 5, 0x61, 0x62).struct()).toThrow('past the end')
})

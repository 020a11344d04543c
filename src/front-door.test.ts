import { expect, test } from 'bun:test'
import { FrontDoor } from './front-door.ts'
import type { Soon } from './soon.ts'

const pass = <T>(door: FrontDoor, who: string, answer: () => Soon<T>): Soon<T> =>
  door.isOpen() ? answer() : door.inLine(who, answer)

const spin = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a request is answered at once while there is little to do, without a promise', () => {
  const door = new FrontDoor()
  expect(pass(door, 'a', () => 1)).toBe(1)
  expect(pass(door, 'a', () => 2)).toBe(2)
})

test('when many come at once, a caller who asks for one thing is answered before one who asks for many', async () => {
  const door = new FrontDoor()
  const order: string[] = []
  const ask = (who: string, name: string) =>
    pass(door, who, async () => {
      spin(1)
      order.push(name)
    })
  spin(0)
  const crowd = Array.from({ length: 30 }, (_, i) => ask('crowd', `crowd ${i}`))
  const other = Array.from({ length: 30 }, (_, i) => ask('others', `others ${i}`))
  const one = ask('bystander', 'bystander')
  await one
  const before = order.length
  await Promise.all([...crowd, ...other])
  expect(order).toHaveLength(61)
  expect(before).toBeLessThan(15)
  const rest = order.slice(before).map((name) => name.split(' ')[0])
  // From here on the two take turns.
  expect(rest.slice(0, 40).filter((name) => name === 'crowd').length).toBeWithin(15, 26)
})

test('between answers new requests are looked at, and after the rush all is as before', async () => {
  const door = new FrontDoor()
  let rounds = 0
  const count = (): void => {
    rounds++
    if (rounds < 1_000) setImmediate(count)
  }
  setImmediate(count)
  const asked = Array.from({ length: 40 }, () => pass(door, 'a', async () => spin(1)))
  await Promise.all(asked)
  expect(rounds).toBeGreaterThan(5)
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  expect(pass(door, 'a', () => 'at once')).toBe('at once')
  expect(door.waiting).toBe(0)
})

test('a fault stays with who caused it', async () => {
  const door = new FrontDoor()
  pass(door, 'a', () => spin(10))
  const failed = pass(door, 'a', () => {
    throw new Error('no')
  })
  const fine = pass(door, 'a', () => 'yes')
  expect(await Promise.resolve(failed).catch((error: Error) => error.message)).toBe('no')
  expect(await fine).toBe('yes')
})

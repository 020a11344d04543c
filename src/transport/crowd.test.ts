import { expect, test } from 'bun:test'
import { Crowd } from './crowd.ts'

const crowd = (most: number, perAddress: number, descriptors = Infinity) => {
  const all = new Crowd<{ address: string }>(
    { most, perAddress, blockOf: (address) => address, isExempt: (address) => address === 'proxy' },
    descriptors,
  )
  const closed: string[] = []
  const come = (address: string, many = 1): void => {
    for (let i = 0; i < many; i++) {
      const gone = all.enter({ address })
      if (!gone) continue
      all.leave(gone)
      closed.push(gone.address)
    }
  }
  return { all, come, closed }
}

test('an address keeps as many connections as it may have, and a proxy all of them', () => {
  const { all, come, closed } = crowd(1_000, 10)
  come('a', 30)
  come('b', 3)
  come('proxy', 40)
  expect(closed).toEqual(Array(20).fill('a'))
  expect(all.size).toBe(53)
  expect([...all]).toHaveLength(53)
})

test('past the limit for all, those who have many give way to those who have few', () => {
  const { all, come, closed } = crowd(100, 1_000)
  come('a', 400)
  come('b', 300)
  for (let i = 0; i < 50; i++) come(`few ${i}`)
  expect(all.size).toBe(100)
  expect(closed.filter((address) => address.startsWith('few'))).toEqual([])
  expect([...all].filter(({ address }) => address === 'a').length).toBeGreaterThan(20)
  expect([...all].filter(({ address }) => address === 'b').length).toBeGreaterThan(20)
})

test('where more addresses come than there is room for, those who came first stay, and a proxy keeps its connections', () => {
  const { all, come, closed } = crowd(960, 10)
  come('proxy', 100)
  for (let i = 0; i < 900; i++) come(`address ${i}`)
  expect(closed).toHaveLength(40)
  come('proxy', 10)
  expect(closed.filter((address) => address === 'proxy')).toEqual([])
  expect(all.size).toBe(960)
  const alone = crowd(20, 10)
  alone.come('proxy', 30)
  expect([alone.all.size, alone.closed.length]).toEqual([20, 10])
})

test('some descriptors are left for files, and who has left has room again', () => {
  const { all, come, closed } = crowd(10_000, 10_000, 164)
  come('a', 120)
  expect([all.size, closed.length]).toEqual([100, 20])
  for (const member of [...all].slice(0, 50)) all.leave(member)
  come('a', 50)
  expect([all.size, closed.length]).toEqual([100, 20])
})

test('a proxy that leaves takes none of its neighbours with it', () => {
  const all = new Crowd<{ address: string }>({
    most: 10,
    perAddress: 5,
    blockOf: (address) => address.slice(0, 5),
    isExempt: (address) => address === 'block proxy',
  })
  const [proxy, neighbour] = [{ address: 'block proxy' }, { address: 'block other' }]
  for (const member of [proxy, neighbour]) all.enter(member)
  all.leave(proxy)
  expect([...all]).toEqual([neighbour])
  all.leave(neighbour)
  expect([all.size, [...all].length]).toEqual([0, 0])
})

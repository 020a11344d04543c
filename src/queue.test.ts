import { expect, test } from 'bun:test'
import { Problem } from './problem.ts'
import { CallerGone, inTurn, ourTurn, Queue } from './queue.ts'

/** Work that ends when the test says so. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = false
  const work = async (): Promise<string> => {
    begun = true
    await promise
    return 'done'
  }
  return { work, end: resolve, hasBegun: () => begun }
}

const small = (limits = {}) => new Queue({ atOnce: 1, waiting: 3, perCaller: 2, waitMs: 10_000, ...limits })
const refusal = (work: Promise<unknown>): Promise<unknown> => work.then(() => 'done').catch((error: unknown) => error)
const spin = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a few pieces of work run at once, the next waits for its turn', async () => {
  const queue = small()
  const [first, second] = [held(), held()]
  const answers = [queue.run('a', first.work), queue.run('b', second.work)]
  await Bun.sleep(1)
  expect([first.hasBegun(), second.hasBegun()]).toEqual([true, false])
  first.end()
  second.end()
  expect(await Promise.all(answers)).toEqual(['done', 'done'])
  expect(queue.size).toBe(0)
})

test('one caller cannot fill the queue: others still get a place', async () => {
  const queue = small()
  const jobs = Array.from({ length: 6 }, held)
  const greedy = jobs.slice(0, 5).map(({ work }) => refusal(queue.run('greedy', work)))
  const other = queue.run('other', (jobs[5] as ReturnType<typeof held>).work)
  for (const { end } of jobs) end()
  const answers = await Promise.all(greedy)
  expect(answers.map((answer) => (answer === 'done' ? answer : (answer as Problem).code))).toEqual([
    'done',
    'done',
    'unavailable',
    'unavailable',
    'unavailable',
  ])
  expect(await other).toBe('done')
})

test('past the bound everyone is refused, and told when to come back', async () => {
  const queue = small()
  const job = held()
  const running = ['a', 'b', 'c', 'd'].map((who) => queue.run(who, job.work))
  const refused = (await refusal(queue.run('e', job.work))) as Problem
  expect(refused).toBeInstanceOf(Problem)
  expect([refused.code, refused.extra.retryAfterSeconds]).toEqual(['unavailable', 5])
  job.end()
  expect(await Promise.all(running)).toHaveLength(4)
  expect(await queue.run('e', async () => 'now')).toBe('now')
})

test('callers take turns, however much one of them has asked for', async () => {
  const queue = small({ waiting: 10, perCaller: 5 })
  const order: string[] = []
  const first = held()
  const note = (name: string) => async () => void order.push(name)
  const work = [
    queue.run('a', first.work),
    ...['a1', 'a2', 'a3'].map((name) => queue.run('a', note(name))),
    queue.run('b', note('b1')),
    queue.run('c', note('c1')),
  ]
  first.end()
  await Promise.all(work)
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
})

test('who has waited too long is refused, and the place is free again', async () => {
  const queue = small({ waitMs: 20 })
  const first = held()
  const running = queue.run('a', first.work)
  const late = (await refusal(queue.run('b', async () => 'late'))) as Problem
  expect(late.code).toBe('unavailable')
  expect(queue.size).toBe(1)
  first.end()
  await running
})

test('a caller who hangs up while waiting gives up the place, and the work is never begun', async () => {
  const queue = small()
  const [first, second] = [held(), held()]
  const running = queue.run('a', first.work)
  const caller = new AbortController()
  const waiting = refusal(queue.run('b', second.work, caller.signal))
  caller.abort()
  expect(await waiting).toBeInstanceOf(CallerGone)
  expect(queue.size).toBe(1)
  first.end()
  await running
  expect(second.hasBegun()).toBe(false)
})

test('a caller who hangs up ends the work at its next turn, and frees its place', async () => {
  const queue = small()
  const caller = new AbortController()
  let pieces = 0
  const endless = async (): Promise<void> => {
    for (;;) {
      spin(3)
      pieces++
      await ourTurn()
    }
  }
  const work = refusal(queue.run('a', endless, caller.signal))
  setTimeout(() => caller.abort(), 20)
  expect(await work).toBeInstanceOf(CallerGone)
  const then = pieces
  expect(await queue.run('b', async () => 'mine')).toBe('mine')
  expect(pieces).toBe(then)
})

test('work that fails frees its place', async () => {
  const queue = small()
  expect(
    await refusal(
      queue.run('a', async () => {
        throw new Error('no')
      }),
    ),
  ).toBeInstanceOf(Error)
  expect(queue.size).toBe(0)
  expect(await queue.run('a', async () => 'yes')).toBe('yes')
})

test('long work lets others go first every few milliseconds, short pieces do not yield', async () => {
  const queue = small()
  let others = 0
  const count = setInterval(() => others++, 1)
  await queue.run('a', async () => {
    for (let i = 0; i < 1_000; i++) await ourTurn()
  })
  const [short] = [others]
  await queue.run('a', async () => {
    for (let i = 0; i < 20; i++) {
      spin(3)
      await ourTurn()
    }
  })
  clearInterval(count)
  expect(short).toBeLessThan(10)
  expect(others - short).toBeGreaterThanOrEqual(10)
})

test('however many pieces of work run at once, one of them goes on in a round of the event loop', async () => {
  const queue = small({ atOnce: 4 })
  let [pieces, most, isOver] = [0, 0, false]
  const watch = (): void => {
    most = Math.max(most, pieces)
    pieces = 0
    if (!isOver) setImmediate(watch)
  }
  const work = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) {
      spin(3)
      pieces++
      await ourTurn()
    }
  }
  setImmediate(watch)
  await Promise.all(['a', 'b', 'c', 'd'].map((who) => queue.run(who, work)))
  isOver = true
  expect(most).toBe(1)
})

async function aNewRound(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve))
}

test('light work is done at once while there is little to do', async () => {
  await aNewRound()
  let isDone = false
  const answer = inTurn('a', async () => {
    isDone = true
  })
  expect(isDone).toBe(true)
  await answer
})

test('when many come at once, a caller who asks for one thing does not wait for one who asks for many', async () => {
  const order: string[] = []
  const ask = (who: string) =>
    inTurn(who, async () => {
      spin(1)
      order.push(who)
    })
  const crowd = Array.from({ length: 30 }, () => ask('crowd'))
  const others = Array.from({ length: 30 }, () => ask('others'))
  await ask('bystander')
  const before = order.length
  await Promise.all([...crowd, ...others])
  expect(order).toHaveLength(61)
  expect(before).toBeLessThan(15)
  // From here on the two take turns.
  expect(order.slice(before, before + 40).filter((who) => who === 'crowd').length).toBeWithin(15, 26)
})

test('between light pieces of work new requests are looked at, and after the rush all is as before', async () => {
  let rounds = 0
  const count = (): void => {
    rounds++
    if (rounds < 1_000) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(Array.from({ length: 40 }, () => inTurn('a', async () => spin(1))))
  expect(rounds).toBeGreaterThan(5)
  await aNewRound()
  let isDone = false
  const answer = inTurn('a', async () => {
    isDone = true
  })
  expect(isDone).toBe(true)
  await answer
})

test('heavy work goes on beside light work that never stops, and light work goes first', async () => {
  const queue = small()
  let [isOver, light, pieces] = [false, 0, 0]
  const rush = async (who: string): Promise<void> => {
    while (!isOver)
      await inTurn(who, async () => {
        spin(2)
        light++
      })
  }
  const callers = ['a', 'b', 'c', 'd'].map(rush)
  await queue.run('heavy', async () => {
    for (; pieces < 5; pieces++) {
      spin(3)
      await ourTurn()
    }
  })
  isOver = true
  await Promise.all(callers)
  expect(pieces).toBe(5)
  expect(light).toBeGreaterThanOrEqual(pieces)
})

test('a fault stays with the caller whose work has failed', async () => {
  await inTurn('a', async () => spin(10))
  const failed = inTurn('a', async () => {
    throw new Error('no')
  })
  const fine = inTurn('a', async () => 'yes')
  expect(await failed.catch((error: Error) => error.message)).toBe('no')
  expect(await fine).toBe('yes')
})

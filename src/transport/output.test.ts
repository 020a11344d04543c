import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Output, sendReady } from './output.ts'

const roundEnd = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A socket that takes as much at once as it is told, and nothing when it is dead. */
class Socket {
  taken = ''
  deaths = 0
  isClosed = false
  readonly output = new Output(this, () => this.deaths++)

  constructor(readonly most: number) {}

  write(bytes: Uint8Array, from: number, length: number): number {
    if (this.isClosed) return -1
    const size = Math.min(length, this.most)
    this.taken += Buffer.from(bytes.subarray(from, from + size)).toString('latin1')
    return size
  }
}

const step = fc.record({
  who: fc.nat(3),
  what: fc.constantFrom('text', 'bytes', 'part', 'leave', 'flush', 'others', 'forget', 'drain', 'wait', 'die'),
  size: fc.oneof(fc.nat(200), fc.integer({ min: 30_000, max: 40_000 }), fc.integer({ min: 250_000, max: 300_000 })),
})

test('every socket gets its own bytes, all of them and in their order, and nothing of another', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.array(fc.integer({ min: 1_000, max: 400_000 }), { minLength: 4, maxLength: 4 }),
      async (steps, mosts) => {
        const sockets = mosts.map((most) => new Socket(most))
        const sent = sockets.map(() => '')
        const failed = new Set<number>()
        for (const { who, what, size } of steps) {
          if (failed.has(who)) continue
          const socket = sockets[who] as Socket
          const { output } = socket
          const piece = String.fromCharCode(65 + who).repeat(size)
          if (what === 'text' || what === 'bytes') {
            if (what === 'text') output.text(piece)
            else output.bytes(Buffer.from(piece))
            // Nobody else has a turn before it is left or flushed.
            output.leave()
            sent[who] += piece
          } else if (what === 'part') {
            // Longer work begins in the middle of it.
            output.text(piece)
            sendReady()
            output.bytes(Buffer.from(piece))
            output.leave()
            sent[who] += piece + piece
          } else if (what === 'others') sendReady()
          else if (what === 'leave' || what === 'flush') output[what]()
          else if (what === 'drain') output.drain()
          else if (what === 'wait') await roundEnd()
          else if (what === 'die') socket.isClosed = true
          else if (size < 10_000) {
            // A fault in the middle of an answer: nothing more is sent there, and the next one begins where this one began.
            output.text('?'.repeat(size))
            failed.add(who)
          }
        }
        await roundEnd()
        for (const socket of sockets) for (let i = 0; i < 50_000 && socket.output.isBlocked; i++) socket.output.drain()
        await roundEnd()
        sockets.forEach(({ taken, isClosed, output, deaths }, who) => {
          const whole = sent[who] as string
          if (isClosed) expect(whole.startsWith(taken)).toBeTrue()
          else expect(taken === whole).toBeTrue()
          expect(deaths).toBe(output.isDead ? 1 : 0)
        })
      },
    ),
    { numRuns: 300 },
  )
})

test('an answer does not wait for others longer than a moment', async () => {
  const [first, second] = [new Socket(1_000), new Socket(1_000)]
  first.output.text('a')
  first.output.leave()
  expect(first.taken).toBe('')
  const start = performance.now()
  while (performance.now() - start < 5);
  second.output.text('b')
  second.output.leave()
  expect([first.taken, second.taken]).toEqual(['a', 'b'])
})

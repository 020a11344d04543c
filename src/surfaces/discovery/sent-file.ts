// A large file on its way out. Its caller has one of a few places while it is sent.

import type { Queue } from '../../queue.ts'
import type { RenderedFile } from '../http/resource.ts'

/** A caller who reads nothing for so long loses its place. */
const IDLE_MS = 60_000

/** Opens a stream whose place in the queue is free again when it has ended, or when its caller has hung up. */
export const sentBy =
  (queue: Queue, open: () => AsyncIterable<Uint8Array>): RenderedFile['open'] =>
  (who, signal) =>
    new Promise((begin, refuse) => {
      const send = (): Promise<void> =>
        new Promise((ended) => {
          const pieces = open()[Symbol.asyncIterator]()
          let isOver = false
          const end = async (): Promise<void> => {
            isOver = true
            clearTimeout(idle)
            signal.removeEventListener('abort', end)
            ended()
            await pieces.return?.()
          }
          const idle = setTimeout(end, IDLE_MS)
          signal.addEventListener('abort', end)
          const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
            {
              async pull(controller) {
                try {
                  idle.refresh()
                  const { done, value } = await pieces.next()
                  if (!done) return controller.enqueue(value as Uint8Array<ArrayBuffer>)
                  // A file that was cut short must not pass for one that has come to its end.
                  if (isOver) controller.error()
                  else controller.close()
                } catch (error) {
                  controller.error(error)
                }
                await end()
              },
              cancel: end,
            },
            { highWaterMark: 0 },
          )
          begin(stream)
        })
      queue.run(who, send, signal).catch(refuse)
    })

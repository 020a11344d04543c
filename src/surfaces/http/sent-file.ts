// A large file on its way out. Its caller has one of a few places while it is sent: see `RenderedFile`.

import type { RequestHead } from './request.ts'
import type { RenderedFile } from './resource.ts'
import { ifUnchanged, matches, type Reply } from './response.ts'

interface AboutFile {
  type: string
  cache: string
  /** Whom the place is counted for. */
  who: string
}

/** Who takes nothing for so long does not keep a place from others. */
const IDLE_MS = 60_000

/** Nothing is opened for a caller who has the file, or asks only for its headers. */
export async function sendFile(
  { method, signal }: Pick<Request, 'method' | 'signal'>,
  { ifMatch, ifNoneMatch }: Pick<RequestHead, 'ifMatch' | 'ifNoneMatch'>,
  file: RenderedFile,
  { type, cache, who }: AboutFile,
): Promise<Reply> {
  const headers = { 'content-type': type, 'cache-control': cache, etag: file.etag }
  const bare = ifUnchanged({ status: 200, headers, body: null }, ifMatch)
  if (method === 'HEAD' || matches(ifNoneMatch, file.etag)) return bare
  return { ...bare, body: await openFor(who, file, signal) }
}

/** A stream whose place in the queue is free again when it has ended, or when its caller has hung up. */
function openFor(who: string, { queue, open }: RenderedFile, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  return new Promise((begin, refuse) => {
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
        const stream = new ReadableStream<Uint8Array>(
          {
            async pull(controller) {
              try {
                idle.refresh()
                const { done, value } = await pieces.next()
                if (!done) return controller.enqueue(value)
                // A file that was cut short must not pass for one that has come to its end.
                if (isOver) controller.error(new Error('the file was not taken in time'))
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
    queue.run(who, send, () => signal).catch(refuse)
  })
}

import type { PackedTile, TileText } from './bundle.ts'

export interface PackRequest {
  text: TileText
  firstBundle: number
}
export interface PackAnswer {
  packed: PackedTile
  /** The memory of the text, to be used again. */
  room: ArrayBuffer
}

/**
 * Packs tiles in a thread of its own. To hash and to pack rows takes longer than to make them: of two processors, one
 * does each. Answers come in the order of the requests.
 */
export class PackThread {
  readonly #worker = new Worker(new URL('./pack-worker.ts', import.meta.url).href)
  readonly #waiting: { resolve(packed: PackedTile): void; reject(error: unknown): void }[] = []
  readonly #rooms: ArrayBuffer[] = []

  constructor() {
    this.#worker.onmessage = ({ data: { packed, room } }: MessageEvent<PackAnswer>) => {
      this.#rooms.push(room)
      this.#waiting.shift()?.resolve(packed)
    }
    this.#worker.onerror = ({ message }) => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(message))
    }
  }

  /** The memory of the text belongs to the thread from then on. */
  pack(text: TileText, firstBundle: number): Promise<PackedTile> {
    const { promise, resolve, reject } = Promise.withResolvers<PackedTile>()
    this.#waiting.push({ resolve, reject })
    const request: PackRequest = { text, firstBundle }
    this.#worker.postMessage(request, [text.bytes.buffer as ArrayBuffer])
    return promise
  }

  /** Memory of a text that was packed, if there is any. */
  room(): Uint8Array | undefined {
    const room = this.#rooms.pop()
    return room && new Uint8Array(room)
  }

  close(): void {
    this.#worker.terminate()
  }
}

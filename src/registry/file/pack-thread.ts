import type { NewWords, StoredWords } from '../bundle/words.ts'
import type { PackedTile, TileText } from './bundle.ts'

/** A tile to be packed, or a file of which some bundles are to be read back. */
export type PackRequest =
  | {
      text: TileText
      firstBundle: number
      /** What was learned since the last tile that this thread got. */
      learned: StoredWords
    }
  | { path: string; from: number; to: number }

export type PackAnswer =
  | {
      packed: PackedTile
      /** The memory of the text, to be used again. */
      room: ArrayBuffer
    }
  | { sum: bigint }
  | { fault: string }

/**
 * Packs tiles in a thread of its own. To hash and to pack rows takes longer than to make them, so that of two processors
 * neither waits for the other. Answers come in the order of the requests.
 */
export class PackThread {
  readonly #worker = new Worker(new URL('./pack-worker.ts', import.meta.url).href)
  readonly #waiting: { resolve(answer: PackAnswer): void; reject(error: unknown): void }[] = []
  readonly #rooms: ArrayBuffer[] = []
  /** How many shapes and words the thread knows. */
  #told = { shapes: 0, words: 0 }

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<PackAnswer>) => this.#waiting.shift()?.resolve(data)
    this.#worker.onerror = ({ message }) => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(message))
    }
  }

  /** How many requests are not answered. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** The memory of the text belongs to the thread from then on. */
  async pack(text: TileText, firstBundle: number, words: NewWords): Promise<PackedTile> {
    const learned = words.since(this.#told)
    this.#told = { shapes: words.shapes.length, words: words.count }
    const answer = await this.#ask({ text, firstBundle, learned }, [text.bytes.buffer as ArrayBuffer])
    if (!('packed' in answer)) throw faultOf(answer)
    this.#rooms.push(answer.room)
    return answer.packed
  }

  /** As `sumOfBundles`. */
  async sumOfBundles(path: string, from: number, to: number): Promise<bigint> {
    const answer = await this.#ask({ path, from, to }, [])
    if (!('sum' in answer)) throw faultOf(answer)
    return answer.sum
  }

  #ask(request: PackRequest, transfer: ArrayBuffer[]): Promise<PackAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<PackAnswer>()
    this.#waiting.push({ resolve, reject })
    this.#worker.postMessage(request, transfer)
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

const faultOf = (answer: PackAnswer): Error =>
  new Error('fault' in answer ? answer.fault : 'the thread answered another question')

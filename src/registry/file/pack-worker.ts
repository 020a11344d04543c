// The thread of a `PackThread`: hashes and packs one tile after another, and reads what was written.

import { NewWords } from '../bundle/words.ts'
import { packTile } from './bundle.ts'
import type { PackAnswer, PackRequest } from './pack-thread.ts'
import { sumOfBundles } from './read-back-store.ts'

declare const self: Worker

const words = new NewWords()

const answer = (said: PackAnswer, transfer: ArrayBuffer[] = []): void => self.postMessage(said, transfer)

self.onmessage = async ({ data }: MessageEvent<PackRequest>) => {
  try {
    if ('path' in data) answer({ sum: await sumOfBundles(data.path, data.from, data.to) })
    else {
      words.add(data.learned)
      const packed = packTile(data.text, data.firstBundle, words)
      const room = data.text.bytes.buffer as ArrayBuffer
      answer({ packed, room }, [room, packed.leaves.buffer as ArrayBuffer, packed.bytes.buffer as ArrayBuffer])
    }
  } catch (error) {
    answer({ fault: error instanceof Error ? error.message : String(error) })
  }
}

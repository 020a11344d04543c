// The thread of a `PackThread`: hashes and packs one tile after another.

import { packTile } from './bundle.ts'
import type { PackAnswer, PackRequest } from './pack-thread.ts'

declare const self: Worker

self.onmessage = ({ data: { text, firstBundle } }: MessageEvent<PackRequest>) => {
  const answer: PackAnswer = { packed: packTile(text, firstBundle), room: text.bytes.buffer as ArrayBuffer }
  self.postMessage(answer, [answer.room, answer.packed.hashes.buffer as ArrayBuffer])
}

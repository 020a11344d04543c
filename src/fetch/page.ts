import { createHash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { conditionHeaders, conditionsOf } from '../outgoing/conditions.ts'
import type { Door, DoorAnswer } from './door.ts'
import { findPage, putPage } from './store.ts'
import { headersKept, type Step } from './way.ts'

/** A page, and how it was read. */
export interface ReadPage {
  html: string
  step: Step
}

const MOST_BYTES = 4 * 1024 ** 2

/** The pages of one run: several charts may be on one page, which is asked for once. */
export class Pages {
  readonly #pages = new Map<string, ReadPage>()

  constructor(readonly door: Door) {}

  /** Reads a page, by a conditional request if it was read before, and keeps its bytes. */
  async read(url: string, kind: Step['kind'], isOwn: (host: string) => boolean): Promise<ReadPage> {
    const page = this.#pages.get(url) ?? (await this.#read(url, kind, isOwn))
    this.#pages.set(url, page)
    return page
  }

  async #read(url: string, kind: Step['kind'], isOwn: (host: string) => boolean): Promise<ReadPage> {
    const { db, now } = this.door.parts
    const before = await findPage(db, url)
    const headers = before ? conditionHeaders(before) : {}
    const answer = await this.door.get(url, { isOwn, mostBytes: MOST_BYTES, headers })
    if (answer.status === 304 && before)
      return { html: textOf(zstdDecompressSync(before.body)), step: JSON.parse(before.step) as Step }
    const { bytes } = answer
    const step = stepOf(answer, kind, now(), createHash('sha256').update(bytes).digest('hex'))
    const page = { url, ...conditionsOf(answer.headers), sha256: step.sha256, step: JSON.stringify(step) }
    await putPage(db, page, new Uint8Array(zstdCompressSync(bytes)))
    return { html: textOf(bytes), step }
  }
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

export const stepOf = (answer: DoorAnswer, kind: Step['kind'], now: number, sha256: string): Step => ({
  kind,
  url: answer.url,
  status: answer.status,
  retrieved_at: new Date(now).toISOString(),
  sha256,
  bytes: answer.size,
  headers: headersKept(answer),
  redirections: answer.path,
})

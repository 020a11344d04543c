// Builders for the tests of this folder: a log to be witnessed, and a witness in a folder of its own.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { keyOf, type MemoryLog } from '../../src/proof/fixture.ts'
import { parseVerifierKey, type VerifierKey } from '../../src/proof/note/signed-note.ts'
import { consistencyPath } from '../../src/proof/tree/merkle.ts'
import { subtreesFromTiles, TILE_WIDTH } from '../../src/proof/tree/tiles.ts'
import { type RunningWitness, startWitness } from './serve.ts'
import { createWitness } from './witness-key.ts'

export const leaves = (from: number, to: number, mark = ''): Uint8Array[] =>
  Array.from({ length: to - from }, (_, i) => utf8(`${mark}${from + i}`))

/** The body that a log of this content sends to a witness that has `old` entries of it. */
export async function growth(log: MemoryLog, old: number, size = log.leaves.length): Promise<string> {
  const read = subtreesFromTiles(async (level, n) => {
    const entries = Math.floor(log.leaves.length / TILE_WIDTH ** level)
    return log.tile(level, n, Math.min(TILE_WIDTH, entries - n * TILE_WIDTH))
  })
  const path = old > 0 && old <= size ? await consistencyPath(old, size, read) : []
  return addBody(old, path.map(toBase64), await log.checkpoint(size))
}

export const addBody = (old: number | string, proof: readonly string[], checkpoint: string): string =>
  `old ${old}\n${proof.map((line) => `${line}\n`).join('')}\n${checkpoint}`

export class TestWitness {
  readonly dir = mkdtempSync(join(tmpdir(), 'atr-witness-'))
  readonly vkey = createWitness(this.dir, 'witness.example/w1')
  readonly clock = { now: 1_700_000_000_000 }
  readonly faults: unknown[] = []
  #running: RunningWitness | undefined

  constructor(readonly logs: readonly VerifierKey[]) {}

  static async follow(...logs: readonly MemoryLog[]): Promise<TestWitness> {
    const witness = new TestWitness(logs.map(({ signer }) => keyOf(signer)))
    await witness.start()
    return witness
  }

  async start(): Promise<void> {
    const { dir, logs, clock, faults } = this
    this.#running = await startWitness({ dir, logs, now: () => clock.now, observe: (error) => faults.push(error) })
  }

  get key(): VerifierKey {
    return parseVerifierKey(this.vkey) as VerifierKey
  }

  get url(): string {
    return this.#running?.url ?? ''
  }

  add(body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
    return fetch(`${this.url}/add-checkpoint`, { method: 'POST', body })
  }

  async status(body: string | Uint8Array<ArrayBuffer>): Promise<number> {
    const response = await this.add(body)
    await response.arrayBuffer()
    return response.status
  }

  async stop(): Promise<void> {
    await this.#running?.stop()
    this.#running = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    rmSync(this.dir, { recursive: true, force: true })
  }
}

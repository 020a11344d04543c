// Builders for the tests of this folder: keys, and a log that lives in memory.

import { toBase64 } from './bytes.ts'
import type { FiguresLogProof as LogProof } from './figures.ts'
import { cosign } from './note/cosignature.ts'
import {
  formatVerifierKey,
  type KeyType,
  type NoteSigner,
  parseVerifierKey,
  signNote,
  type VerifierKey,
} from './note/signed-note.ts'
import { formatTreeHead } from './note/tree-head.ts'
import { HASH_SIZE, type Hash, inclusionPath, leafHash, rangeRoot } from './tree/merkle.ts'
import { rootInTile, subtreesFromTiles, TILE_WIDTH } from './tree/tiles.ts'

export async function aSigner(name: string): Promise<NoteSigner> {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
  return {
    name,
    publicKey: new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)),
    sign: async (message) =>
      new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, new Uint8Array(message))),
  }
}

export function keyOf({ name, publicKey }: Pick<NoteSigner, 'name' | 'publicKey'>, type: KeyType = 1): VerifierKey {
  const key = parseVerifierKey(formatVerifierKey(name, publicKey, type))
  if (!key) throw new Error('the key of this test is not a key')
  return key
}

/** A witness that cosigns with ML-DSA-44: a second, tiny implementation of that form of c2sp.org/tlog-cosignature. */
export async function anMlDsaWitness(name: string) {
  const pair = (await crypto.subtle.generateKey('ML-DSA-44', true, ['sign', 'verify'])) as CryptoKeyPair
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw-public' as 'raw', pair.publicKey))
  const vkey = formatVerifierKey(name, publicKey, 6)
  const key = parseVerifierKey(vkey) as VerifierKey
  const big = (value: number): Buffer => Buffer.from(value.toString(16).padStart(16, '0'), 'hex')
  const counted = (text: string): Buffer => Buffer.from(`${String.fromCharCode(text.length)}${text}`, 'latin1')
  return {
    key,
    vkey,
    async cosign(text: string, seconds: number, cosigner = name): Promise<string> {
      const [origin = '', size = '', root = ''] = text.split('\n')
      const message = Buffer.concat([
        ...[Buffer.from('subtree/v1\n\0'), counted(cosigner), big(seconds), counted(origin)],
        ...[big(0), big(Number(size)), Buffer.from(root, 'base64')],
      ])
      const signature = Buffer.from(await crypto.subtle.sign('ML-DSA-44', pair.privateKey, message))
      return `\u2014 ${name} ${Buffer.concat([key.id, big(seconds), signature]).toString('base64')}\n`
    },
  }
}

/** A log in memory. Its tiles, like a real one's, hold nothing beyond the size that is asked for. */
export class MemoryLog {
  readonly leaves: Hash[] = []

  constructor(
    readonly signer: NoteSigner,
    readonly witnesses: NoteSigner[] = [],
    readonly seconds = 1_700_000_000,
  ) {}

  append(...bodies: readonly Uint8Array[]): this {
    this.leaves.push(...bodies.map(leafHash))
    return this
  }

  root(size = this.leaves.length): Promise<Hash> {
    return rangeRoot(0, size, this.#read())
  }

  async text(size = this.leaves.length): Promise<string> {
    return formatTreeHead({ origin: this.signer.name, size, root: await this.root(size) })
  }

  async checkpoint(size = this.leaves.length): Promise<string> {
    const text = await this.text(size)
    const lines = await Promise.all(this.witnesses.map((witness) => cosign(text, witness, this.seconds)))
    return (await signNote(text, [this.signer])) + lines.join('')
  }

  async prove(index: number, size = this.leaves.length): Promise<LogProof> {
    const inclusion = await inclusionPath(index, size, this.#read())
    return { index, inclusion: inclusion.map(toBase64), checkpoint: await this.checkpoint(size) }
  }

  /** The tile as of `width` hashes; throws where the log is not that large. */
  tile(level: number, n: number, width: number): Uint8Array {
    const hashes = new Uint8Array(width * HASH_SIZE)
    for (let i = 0; i < width; i++) hashes.set(this.#entry(level, n * TILE_WIDTH + i), i * HASH_SIZE)
    return hashes
  }

  #entry(level: number, index: number): Hash {
    if (level > 0) return rootInTile(this.tile(level - 1, index, TILE_WIDTH), 0, TILE_WIDTH)
    const leaf = this.leaves[index]
    if (!leaf) throw new RangeError('the log is not that large')
    return leaf
  }

  #read() {
    return subtreesFromTiles(async (level, n) => {
      const entries = Math.floor(this.leaves.length / TILE_WIDTH ** level)
      return this.tile(level, n, Math.min(TILE_WIDTH, entries - n * TILE_WIDTH))
    })
  }
}

// Copies of cited files by their digest: a link may die, and what was cited can still be shown.

import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MOST_MEMBER_BYTES, membersOf } from './members.ts'

export class SourceArchive {
  constructor(readonly folder: string) {}

  #pathOf(sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('a copy is named by a digest')
    return join(this.folder, sha256.slice(0, 2), sha256)
  }

  has(sha256: string): boolean {
    return existsSync(this.#pathOf(sha256))
  }

  /** Keeps a copy under the digest of its own bytes, whatever anybody says that they are. */
  async keep(path: string): Promise<string> {
    const sha256 = await digestOf(path)
    if (!this.has(sha256)) await this.#put(sha256, (to) => copyFileSync(path, to))
    return sha256
  }

  /** Whole or not at all: synced under another name, and then renamed. */
  async #put(sha256: string, write: (path: string) => void): Promise<void> {
    const target = this.#pathOf(sha256)
    mkdirSync(join(target, '..'), { recursive: true, mode: 0o700 })
    const temporary = `${target}.${crypto.randomUUID()}`
    try {
      write(temporary)
      const file = openSync(temporary, 'r+')
      fsyncSync(file)
      closeSync(file)
      renameSync(temporary, target)
    } finally {
      rmSync(temporary, { force: true })
    }
  }

  /** Keeps of a file that was loaded what is cited: the file itself, or members of the archive that it is. */
  async keepCited(path: string, cited: readonly string[]): Promise<void> {
    if (cited.includes(await digestOf(path))) return void (await this.keep(path))
    for await (const member of membersOf(path, ({ size }) => size <= MOST_MEMBER_BYTES)) {
      const sha256 = createHash('sha256').update(member).digest('hex')
      if (cited.includes(sha256) && !this.has(sha256))
        await this.#put(sha256, (to) => writeFileSync(to, member, { flag: 'wx' }))
    }
  }

  /** Whether the copy is still what its name says. */
  async isSound(sha256: string): Promise<boolean> {
    return this.has(sha256) && (await digestOf(this.#pathOf(sha256))) === sha256
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

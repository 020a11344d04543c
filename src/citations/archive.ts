// Copies of cited files by their digest, which can be shown when a link is dead.

import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digestOf } from '../db/file-folder.ts'
import { COPIES, S3Files } from '../db/s3-files.ts'
import { MOST_MEMBER_BYTES, membersOf } from './members.ts'

interface CopyStorage {
  has(sha256: string): Promise<boolean>
  /** Stores a copy, whole or not at all. */
  put(sha256: string, path: string): Promise<void>
  /** Writes a copy to a new file. False if there is no copy. */
  get(sha256: string, file: string): Promise<boolean>
  /** The actual digest of a copy; undefined if there is no copy. */
  digest(sha256: string): Promise<string | undefined>
}

export class SourceArchive {
  constructor(private readonly storage: CopyStorage) {}

  /** Opens an archive in a folder, or in object storage by `s3://bucket/prefix`. */
  static at(address: string): SourceArchive {
    return new SourceArchive(
      address.startsWith('s3://') ? new CopyBucket(new S3Files(address, {}, COPIES)) : new CopyFolder(address),
    )
  }

  has(sha256: string): Promise<boolean> {
    return this.storage.has(checkedDigest(sha256))
  }

  /** Keeps a copy under the digest of its actual bytes. A damaged copy is replaced. */
  async keep(path: string): Promise<string> {
    const sha256 = await digestOf(path)
    if (!(await this.isSound(sha256))) await this.storage.put(sha256, path)
    return sha256
  }

  /** Keeps the cited bytes of a loaded file: the file itself, or its members if it is an archive. */
  async keepCited(path: string, cited: readonly string[]): Promise<string[]> {
    if (cited.includes(await digestOf(path))) return [await this.keep(path)]
    const kept: string[] = []
    for await (const member of membersOf(path, ({ size }) => size <= MOST_MEMBER_BYTES)) {
      const sha256 = createHash('sha256').update(member).digest('hex')
      if (cited.includes(sha256)) kept.push(await inTemporary((file) => this.#keepMember(file, member)))
    }
    return kept
  }

  #keepMember(file: string, member: Uint8Array): Promise<string> {
    writeFileSync(file, member, { mode: 0o600, flag: 'wx' })
    return this.keep(file)
  }

  /** Writes a copy to a new file. False if there is none, or its bytes do not match its name. */
  async bring(sha256: string, file: string): Promise<boolean> {
    return (await this.storage.get(checkedDigest(sha256), file)) && (await digestOf(file)) === sha256
  }

  /** Whether a copy exists and its bytes match its name. */
  async isSound(sha256: string): Promise<boolean> {
    return (await this.storage.digest(checkedDigest(sha256))) === sha256
  }
}

function checkedDigest(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('a copy is named by a digest')
  return sha256
}

async function inTemporary<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'atr-copy-'))
  try {
    return await work(join(folder, 'file'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

class CopyFolder implements CopyStorage {
  constructor(readonly folder: string) {}

  #pathOf(sha256: string): string {
    return join(this.folder, sha256.slice(0, 2), sha256)
  }

  async has(sha256: string): Promise<boolean> {
    return existsSync(this.#pathOf(sha256))
  }

  /** Copies under another name, syncs and then renames, so that the copy is whole or missing. */
  async put(sha256: string, path: string): Promise<void> {
    const target = this.#pathOf(sha256)
    mkdirSync(join(target, '..'), { recursive: true, mode: 0o700 })
    const temporary = `${target}.${crypto.randomUUID()}`
    try {
      copyFileSync(path, temporary)
      const file = openSync(temporary, 'r+')
      fsyncSync(file)
      closeSync(file)
      renameSync(temporary, target)
    } finally {
      rmSync(temporary, { force: true })
    }
  }

  async get(sha256: string, file: string): Promise<boolean> {
    if (!existsSync(this.#pathOf(sha256))) return false
    copyFileSync(this.#pathOf(sha256), file)
    return true
  }

  async digest(sha256: string): Promise<string | undefined> {
    return existsSync(this.#pathOf(sha256)) ? digestOf(this.#pathOf(sha256)) : undefined
  }
}

/** Copies in object storage, compressed like the files of releases. */
export class CopyBucket implements CopyStorage {
  constructor(readonly files: S3Files) {}

  has(sha256: string): Promise<boolean> {
    return this.files.has(sha256)
  }

  put(sha256: string, path: string): Promise<void> {
    return inTemporary((packed) => this.files.put(sha256, path, packed))
  }

  get(sha256: string, file: string): Promise<boolean> {
    return this.files.get(sha256, file)
  }

  digest(sha256: string): Promise<string | undefined> {
    return inTemporary(async (file) => ((await this.files.get(sha256, file)) ? digestOf(file) : undefined))
  }
}

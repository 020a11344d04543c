import { DiskFault, StoreFault } from '../db/db.ts'
import { replaceFile } from '../db/replace-file.ts'
import { readSecret } from '../db/secret-file.ts'
import { fromBase64, toBase64 } from '../proof/bytes.ts'
import type { RetiredKey } from '../proof/note/policy.ts'
import { formatVerifierKey, type NoteSigner, parseVerifierKey } from '../proof/note/signed-note.ts'
import { parseLogKey } from './log-key.ts'

export interface LogKeys {
  /** The current key first; after a rotation, for a time, the previous one too. */
  signers: readonly [NoteSigner, ...NoteSigner[]]
  /** Keys that signed earlier, each with the newest checkpoint it may have signed. */
  retired: readonly RetiredKey[]
}

/**
 * The file with the keys of the logs, one on each line: private keys sign, newest first; a retired key is a public key
 * with the size and root of the last checkpoint that it may have signed. The file is read at each use, so that a process
 * that has served for months signs with the current keys. Write it under the store's write lock only.
 */
export class KeyFile {
  constructor(readonly path: string) {}

  keysOf(log: string): LogKeys {
    const isOurs = ({ name }: { name: string }): boolean => name.endsWith(`/log/${log}`)
    const lines = this.#lines().map(parseKey)
    const [first, ...others] = lines.flatMap((line) => ('sign' in line && isOurs(line) ? [line] : []))
    if (!first) throw damaged()
    return {
      signers: [first, ...others],
      retired: lines.flatMap((line) => ('key' in line && isOurs(line.key) ? [line] : [])),
    }
  }

  /** Puts private keys first, so that they are the current ones. */
  add(keys: readonly string[]): void {
    this.#write([...keys, ...this.#lines()])
  }

  /** Replaces private keys by their public halves and the last checkpoint that they may have signed. */
  retire(keys: readonly { signer: NoteSigner; size: number; root: string }[]): void {
    const publicHalf = (line: string): string => {
      const vkey = vkeyOf(parseLogKey(line))
      const found = keys.find(({ signer }) => vkey !== undefined && vkeyOf(signer) === vkey)
      return found ? `${vkey} ${found.size} ${found.root}` : line
    }
    this.#write(this.#lines().map(publicHalf))
  }

  #lines(): string[] {
    try {
      return readSecret(this.path, 'the log keys')
        .split('\n')
        .filter((line) => line !== '')
    } catch (cause) {
      if (cause instanceof StoreFault) throw cause
      throw new StoreFault('the log key cannot be read: check who owns it', { cause })
    }
  }

  #write(lines: readonly string[]): void {
    try {
      replaceFile(this.path, `${lines.join('\n')}\n`)
    } catch (cause) {
      throw new DiskFault('the log key file cannot be written, see SIGNING_KEY_FILE', cause)
    }
  }
}

const vkeyOf = (signer: NoteSigner | undefined): string | undefined =>
  signer && formatVerifierKey(signer.name, signer.publicKey)

function parseKey(line: string): NoteSigner | RetiredKey {
  const signer = parseLogKey(line)
  if (signer) return signer
  const [vkey = '', size = '', encoded = ''] = line.split(' ')
  const [key, root] = [parseVerifierKey(vkey), fromBase64(encoded)]
  if (!key || !root || line !== `${vkey} ${Number(size)} ${toBase64(root)}`) throw damaged()
  return { key, size: Number(size), root }
}

const damaged = (): StoreFault => new StoreFault('the log key file is damaged: restore it from a backup')

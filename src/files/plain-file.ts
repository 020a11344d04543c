import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { unreadable } from './unreadable.ts'

/** Why there is nothing to read at a path, in one sentence that does not repeat it; undefined where there is. */
export function whyUnreadable(path: string): string | undefined {
  try {
    // A pipe without a writer would be waited for; it is to be refused instead.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!fstatSync(fd).isFile()) return 'this is a folder, a pipe or a device: give a file'
      readSync(fd, new Uint8Array(1), 0, 1, 0)
      return undefined
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const code = String((error as { code?: unknown } | null)?.code)
    return /^(ENOENT|ENOTDIR|ENAMETOOLONG|ELOOP)$/.test(code) ? 'there is no such file' : 'the file may not be read'
  }
}

export function refuseUnreadable(path: string): void {
  const why = whyUnreadable(path)
  if (why) throw unreadable(why)
}

/** Refuses a file that was written to while it was read: what was read of it was never published. */
export function refuseChanged(before: Stats, after: Stats, read: number): void {
  if (read !== before.size || after.size !== before.size || after.mtimeMs !== before.mtimeMs)
    throw unreadable('the file was changed while it was read: load it again when it is complete')
}

/** All of a file of at most `limit` bytes. */
export function readWhole(path: string, limit: number, tooLarge: string): Uint8Array {
  const fd = openSync(path, 'r')
  try {
    const before = fstatSync(fd)
    if (before.size > limit) throw unreadable(tooLarge)
    const bytes = new Uint8Array(before.size + 1) // one more than there should be, to see that there is no more
    let read = 0
    for (;;) {
      const more = readSync(fd, bytes, read, bytes.length - read, null)
      read += more
      if (more === 0 || read === bytes.length) break
    }
    refuseChanged(before, fstatSync(fd), read)
    return bytes.subarray(0, read)
  } finally {
    closeSync(fd)
  }
}

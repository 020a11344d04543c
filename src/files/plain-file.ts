import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { unreadable } from './unreadable.ts'

/** Why a path cannot be read, in one sentence that does not repeat the path; undefined if it can. */
export function whyUnreadable(path: string): string | undefined {
  try {
    // Do not wait for the writer of a pipe: a pipe is refused.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!fstatSync(fd).isFile()) return 'this is a folder, a pipe or a device: name a file'
      readSync(fd, new Uint8Array(1), 0, 1, 0)
      return undefined
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const code = String((error as { code?: unknown } | null)?.code)
    return /^(ENOENT|ENOTDIR|ENAMETOOLONG|ELOOP)$/.test(code)
      ? 'there is no such file'
      : 'the file cannot be read: check its permissions'
  }
}

export function refuseUnreadable(path: string): void {
  const why = whyUnreadable(path)
  if (why) throw unreadable(why)
}

/** Refuses a file that changed while it was read: nobody has published these bytes. */
export function refuseChanged(before: Stats, after: Stats, read: number): void {
  if (read !== before.size || after.size !== before.size || after.mtimeMs !== before.mtimeMs)
    throw unreadable('the file was changed while it was read: load it again when it is complete')
}

/** Reads a file of at most `limit` bytes. */
export function readWhole(path: string, limit: number, tooLarge: string): Uint8Array {
  const fd = openSync(path, 'r')
  try {
    const before = fstatSync(fd)
    if (before.size > limit) throw unreadable(tooLarge)
    const bytes = new Uint8Array(before.size + 1) // one byte more than expected, to notice a file that grew
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

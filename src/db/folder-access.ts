import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreFault } from './fault.ts'

const MODES = { read: constants.R_OK | constants.X_OK, write: constants.R_OK | constants.W_OK | constants.X_OK }

/**
 * Why a folder cannot be used, as one sentence; undefined if it can, or does not exist. `instead` is what the operator could
 * name in its place. It is checked before the work begins, because a database does not say whether disk or owner is wrong.
 */
function whyNoAccess(folder: string, want: keyof typeof MODES, instead: string): string | undefined {
  const code = refused(() => accessSync(folder, MODES[want]))
  if (code === 'EROFS') return `the disk of ${folder} is read-only: make it writable, or name ${instead}`
  if (code !== 'EACCES' && code !== 'EPERM') return undefined
  let owner: number | undefined
  if (refused(() => (owner = statSync(folder).uid)) !== undefined) return whyNoAccess(dirname(folder), 'read', instead)
  return owner === process.getuid?.()
    ? `${folder} is closed to its own user: run \`chmod u+rwx ${folder}\``
    : `${folder} belongs to another user: run this as its owner (user id ${owner}), or name ${instead}`
}

/** Throws that sentence if a folder cannot be used. */
export function needFolder(...args: Parameters<typeof whyNoAccess>): void {
  const why = whyNoAccess(...args)
  if (why !== undefined) throw new StoreFault(why)
}

/** Throws if a folder cannot be made or used. A folder that does not exist needs the nearest existing one above it. */
export function needRoom(folder: string, instead: string): void {
  let existing = folder
  while (refused(() => statSync(existing)) === 'ENOENT' && dirname(existing) !== existing) existing = dirname(existing)
  needFolder(existing, 'write', instead)
}

function refused(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

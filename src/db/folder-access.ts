import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreFault } from './fault.ts'

/** What a program wants to do in a folder. */
const MODES = { read: constants.R_OK | constants.X_OK, write: constants.R_OK | constants.W_OK | constants.X_OK }

/**
 * Why a folder cannot be used, as one sentence; undefined if it can, or is not there. `instead` is what else could be named.
 * Asked before the work begins: what a database says of its folder does not tell a disk from an owner.
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

/** Fails with that sentence. */
export function needFolder(...asked: Parameters<typeof whyNoAccess>): void {
  const why = whyNoAccess(...asked)
  if (why !== undefined) throw new StoreFault(why)
}

/** The same for a folder that will be made if it is not there: it needs the nearest one above it that is. */
export function needRoom(folder: string, instead: string): void {
  let place = folder
  while (refused(() => statSync(place)) === 'ENOENT' && dirname(place) !== place) place = dirname(place)
  needFolder(place, 'write', instead)
}

function refused(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

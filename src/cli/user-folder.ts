import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'

const PACKAGE = resolve(import.meta.dir, '../..')
/** The npm scripts that run `atr`. */
const SCRIPTS = ['atr', 'start']
/** Settings that may be a path. */
const PATHS = ['DATA_DIR', 'RELEASES', 'ARCHIVE', 'SIGNING_KEY_FILE', 'PEPPER_FILE', 'LOCK_DIR'] as const

/**
 * Changes to the folder of the user. npm runs scripts in the folder of the package, but a user names files relative to their
 * own folder. Paths from the package itself stay relative to it: the default of DATA_DIR, and settings in its `.env`, which
 * Bun has read already.
 */
export function enterUserFolder(environment: Record<string, string | undefined>): void {
  const { INIT_CWD: from = '', npm_package_json = '', npm_lifecycle_event = '' } = environment
  const isOurScript = SCRIPTS.includes(npm_lifecycle_event) && isSame(npm_package_json, join(PACKAGE, 'package.json'))
  // A process that such a script starts inherits the changed folder.
  if (!isOurScript || !isSame(process.cwd(), PACKAGE) || !existsSync(from) || isSame(from, PACKAGE)) return
  const own = ownSettings()
  for (const name of PATHS) {
    const value = environment[name] || (name === 'DATA_DIR' ? './data' : undefined)
    const isOwn = own.has(name) || !environment[name]
    if (value !== undefined && isOwn && !value.includes('://')) environment[name] = resolve(PACKAGE, value)
  }
  process.chdir(from)
}

const isSame = (one: string, other: string): boolean => {
  try {
    return realpathSync(one) === realpathSync(other)
  } catch {
    return false
  }
}

/** The names that are set in files of the package. */
function ownSettings(): Set<string> {
  const files = ['.env', '.env.local'].map((file) => join(PACKAGE, file)).filter((file) => existsSync(file))
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  return new Set(lines.flatMap((line) => /^\s*(?:export\s+)?([A-Z_]+)\s*=/.exec(line)?.[1] ?? []))
}

// Programs that judge the service from outside and are too large for everyone's `npm ci`. Each set of them is a folder of
// `test/tools` with a lockfile. It is installed once per machine, and again when its lockfile changes.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isSkipped } from './skipping.ts'

const SETS = join(import.meta.dir, '../tools')
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'agent-trust-registry')

/** The folder of a set, with its `node_modules`. Undefined where it cannot be installed: its tests are skipped. */
export function tools(set: string): string | undefined {
  const lock = readFileSync(join(SETS, set, 'package-lock.json'))
  const folder = join(CACHE, `${set}-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  // Installed under another name first: a folder that exists is complete, whoever else installs it at the same time.
  const draft = mkdtempSync(join(CACHE, 'draft-'))
  cpSync(join(SETS, set), draft, { recursive: true })
  const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: draft,
    encoding: 'utf8',
  })
  if (status !== 0) {
    rmSync(draft, { recursive: true })
    isSkipped(`tests with the tools of ${set}`, `npm cannot install them: ${stderr.trim().split('\n')[0]}`)
    return undefined
  }
  try {
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** A Node that is new enough for all tools. */
export function newerNode(): string | undefined {
  const folder = tools('node')
  return folder && join(folder, `node_modules/node-linux-${process.arch}/bin/node`)
}

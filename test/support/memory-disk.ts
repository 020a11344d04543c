import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'bun'

const MEMORY = '/dev/shm'

/** The folder for files that need not survive: in memory, if there is this much room, else on the disk. */
export function memoryDisk(leastBytes: number): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize < leastBytes ? tmpdir() : MEMORY
  } catch {
    return tmpdir()
  }
}

const WHOLE_RUN_BYTES = 4 * 1024 ** 3

/**
 * A folder for everything that a run of the tests writes, to be removed at its end. Stores write thousands of times and wait
 * for the disk each time, so it is in memory, unless programs in it may not run.
 */
export function scratchFolder(): string {
  const disk = memoryDisk(WHOLE_RUN_BYTES)
  removeLeft(disk)
  const folder = mkdtempSync(join(disk, `atr-run-${process.pid}-`))
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  // As for every temporary folder: PostgreSQL and some tests run as another user.
  chmodSync(folder, 0o1777)
  if (canRun(program)) return folder
  rmSync(folder, { recursive: true })
  return mkdtempSync(join(tmpdir(), `atr-run-${process.pid}-`))
}

/** A folder for all tests of this process. Bun ends such a process at once, so that the next one removes what is left. */
export function processFolder(): string {
  removeLeft(tmpdir())
  return mkdtempSync(join(tmpdir(), `atr-run-${process.pid}-`))
}

/** Removes what processes have left that ended at once. */
function removeLeft(disk: string): void {
  for (const name of readdirSync(disk)) {
    const [, pid] = /^atr-run-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(disk, name), { recursive: true, force: true })
  }
}

function canRun(program: string): boolean {
  try {
    return spawnSync([program]).success
  } catch {
    return false
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

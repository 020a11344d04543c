// One measurement in a process of its own, so that the memory it reports is its own.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../src/db/sqlite.ts'
import { openHospitalFile } from '../src/ingest/hospital/file.ts'
import { load } from '../src/ingest/load.ts'

const [what, path = ''] = process.argv.slice(2)

/** To the last byte: every amount is tallied, and the digest of the file is known. */
async function parse(): Promise<number> {
  const { close } = await openHospitalFile(path, {}, new Map())
  close()
  return 0
}

async function stage(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'atr-bench-'))
  const db = await openSqlite(join(folder, 'registry.db'), { create: true })
  try {
    const { release } = await load(db, 'hospital-mrf', [path], {}, Date.now())
    return release.row_count ?? 0
  } finally {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const started = performance.now()
const rows = await (what === 'load' ? stage() : parse())
const seconds = (performance.now() - started) / 1000
/** The kernel's account of usage will not do: a child begins with what its parent had. */
const peak = /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
console.log(JSON.stringify({ seconds, rows, rss_mib: Math.round(Number(peak) / 1024) }))

// Loads each file that standard input names, one after the other, and tells what it is refused with and what that took. Run by
// the test of files that are made to break their reader, with limits on its own process.

import { readConfig } from '../../src/config.ts'
import { load } from '../../src/ingest/load.ts'
import { openInstallation } from '../../src/installation.ts'
import { Problem } from '../../src/problem.ts'
import { effort } from '../support/effort.ts'

export interface Bomb {
  name: string
  kind: string
  path: string
}

export interface Refused {
  name: string
  /** The code of the refusal; `staged` if it was not refused. */
  code: string
  detail: string
  cpu_ms: number
}

if (import.meta.main) {
  const { db } = await openInstallation(readConfig(process.env))
  for (const { name, kind, path } of (await Bun.stdin.json()) as Bomb[]) {
    const spent = effort()
    const tell = (code: string, detail: string): void =>
      console.log(JSON.stringify({ name, code, detail, cpu_ms: spent() } satisfies Refused))
    try {
      const { release } = await load(db, kind, [path], { edition: 'X', effective_from: '2026-10-01' }, Date.now())
      tell('staged', release.release_id)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      tell(error.code, error.detail)
    }
  }
  await db.close()
}

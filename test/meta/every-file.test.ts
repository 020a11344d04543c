import { expect } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { load } from '../../src/ingest/load.ts'
import { LOAD_KINDS } from '../../src/ingest/readers.ts'
import { PROBLEMS, Problem } from '../../src/problem.ts'
import { testApp } from '../support/harness.ts'
import { isLong } from '../support/long.ts'
import { published, SLOW, testOnPublished } from '../support/published-files.ts'

/** One word for what became of a file: staged, or the code of its refusal. Anything else is a crash, and fails the test. */
async function outcome(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'staged'
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect(PROBLEMS).toHaveProperty(error.code)
    expect(error.detail).toMatch(/^[^\n]{10,300}$/)
    return error.code
  }
}

/** Tests beside the readers load the larger ones, each as what it is. In the long form they are read as every kind too. */
const MOST_BYTES = isLong ? Number.POSITIVE_INFINITY : 250_000

testOnPublished(
  'every published file, read as every kind, is staged or refused with a documented code',
  ['PROVENANCE.md'],
  async () => {
    await using app = await testApp()
    const files = readdirSync(published('.'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => statSync(path).size < MOST_BYTES)
    expect(files.length).toBeGreaterThan(90)
    const staged: Record<string, number> = {}
    for (const path of files)
      for (const kind of LOAD_KINDS) {
        const said = await outcome(load(app.installation.db, kind, [path], {}, app.clock.now))
        if (said === 'staged') staged[kind] = (staged[kind] ?? 0) + 1
      }
    // The physician schedule takes two files at once; its tests are beside its reader.
    expect(staged).toEqual({
      'cms-anesthesia': 2,
      'cms-asc': isLong ? 2 : 1,
      'cms-asp': 1,
      ...(isLong && { 'cms-clfs': 2 }),
      'cms-dmepos': isLong ? 2 : 1,
      'cms-opps': isLong ? 3 : 2,
      'hospital-mrf': isLong ? 5 : 2,
      'ncci-mue-dme': 3,
      ...(isLong && { 'ncci-mue-outpatient': 3, 'ncci-mue-practitioner': 4 }),
      'zip-locality': isLong ? 2 : 1,
    })
  },
  SLOW,
)

import { test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where the files that CMS and hospitals publish are kept: they are not ours to distribute with the code. */
const FOLDER = process.env['ATR_SHARED_DATA'] ?? join(import.meta.dir, '../../../shared/data')

export const published = (file: string): string => join(FOLDER, file)

/** For a test that reads millions of rows: enough for a machine that does other work as well. */
export const SLOW = { timeout: 300_000 }

/** A test on published files. Without them it fails in CI, and elsewhere is skipped with one loud line. */
export function testOnPublished(
  name: string,
  files: readonly string[],
  run: () => void | Promise<void>,
  options: { timeout?: number } = {},
): void {
  const missing = files.filter((file) => !existsSync(published(file)))
  if (missing.length === 0) test(name, run, options)
  else if (process.env['CI'] === 'true')
    test(name, () => {
      throw new Error(`published files are missing: ${missing.join(', ')} (set ATR_SHARED_DATA to their folder)`)
    })
  else {
    console.log(`SKIPPED: ${name}, because ATR_SHARED_DATA does not hold ${missing.join(', ')}`)
    test.skip(name, run)
  }
}

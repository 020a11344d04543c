import { test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isSkipped } from './skipping.ts'

/** The folder of the files that CMS and hospitals publish: they are not ours to distribute with the code. */
const FOLDER = process.env['ATR_SHARED_DATA'] ?? join(import.meta.dir, '../../../shared/data')

export const published = (file: string): string => join(FOLDER, file)

/** Says why there are no published files here; undefined if there are. */
export const whyNoPublishedFiles = (): string | undefined =>
  existsSync(FOLDER) ? undefined : 'there is no folder of published files (ATR_SHARED_DATA names one)'

/** For a test that reads millions of rows: enough for a machine that does other work as well. */
export const SLOW = { timeout: 300_000 }

/** A test on published files. Without their folder it is skipped; in a folder that is there, a missing file is a failure. */
export function testOnPublished(
  name: string,
  files: readonly string[],
  run: () => void | Promise<void>,
  options: { timeout?: number } = {},
): void {
  const missing = files.filter((file) => !existsSync(published(file)))
  if (isSkipped('tests on published files', whyNoPublishedFiles())) test.skip(name, run)
  else if (missing.length === 0) test(name, run, options)
  else
    test(name, () => {
      throw new Error(`published files are missing in ${FOLDER}: ${missing.join(', ')}`)
    })
}

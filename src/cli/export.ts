import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Installation } from '../installation.ts'
import { Problem } from '../problem.ts'
import { type ExportSource, exportRelease, FORMATS, type Format } from '../registry/export/export.ts'
import { findRelease } from '../registry/release/store.ts'
import { findLogged } from '../registry/store.ts'
import { type Command, DONE, JSON_OPTION, openStore, show, UsageFault } from './command.ts'
import { ifInterrupted } from './interruption.ts'

/** Writes a whole release to a file, and its checksum to a second file in the form that `sha256sum -c` reads. */
export const exportCommand: Command = {
  usage: 'export RELEASE --format ndjson|csv|parquet --out FILE|FOLDER [--json]',
  summary: 'Writes a published or staged release to a file, with its row count and SHA-256',
  options: [
    ['--format F', 'ndjson, csv or parquet'],
    ['--out FILE|FOLDER', 'a new file, or a folder that exists; FILE.sha256 is written beside it'],
    JSON_OPTION,
  ],
  examples: [['export cms-pfs:RVU26D:1 --format parquet --out .', 'writes a file and its checksum into this folder']],
  async run(args, config) {
    const { values, positionals } = parseArgs({
      args,
      options: {
        format: { type: 'string' },
        out: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
    const [release_id, ...more] = positionals
    const format = FORMATS.find((known) => known === values.format)
    if (release_id === undefined || more.length > 0)
      throw new UsageFault('name one release, as `atr release list` shows it')
    if (!format) throw new UsageFault(`export needs --format: one of ${FORMATS.join(', ')}`)
    if (values.out === undefined) throw new UsageFault('export needs --out: a file, or a folder that exists')
    const { db } = await openStore(config)
    try {
      const release = await sourceOf(db, release_id)
      const file = fileFor(values.out, release_id, format)
      using stopping = ifInterrupted(
        'the file was not written. The same command writes it anew, over the part that ends in .partial',
      )
      const { bytes, sha256 } = await writeWhole(file, exportRelease(db, release, format))
      stopping.done()
      const { rows_root, row_count } = release
      const state = release.manifest === null ? 'staged' : 'published'
      const written = { release_id, state, format, file, rows: row_count, bytes, sha256, rows_root }
      const note =
        release.manifest === null ? '\nNOTE: the release is staged: it is in no log, and no proof covers it' : ''
      show(values.json, written, `${file}: ${row_count} rows, ${bytes} bytes\nsha256 ${sha256}${note}`)
      return DONE
    } finally {
      await db.close()
    }
  },
}

/** Finds a release that the public checkpoint covers, withdrawn or not; or a staged one, for the operator. */
async function sourceOf(db: Installation['db'], release_id: string): Promise<ExportSource> {
  const logged = await findLogged(db, release_id)
  if (logged) return { ...logged, rows_root: logged.manifest.rows_root }
  const staged = await findRelease(db, release_id)
  if (staged?.state !== 'staged' || staged.rows_root === null || staged.file === null)
    throw new Problem('release_not_found')
  return { ...staged, rows_root: staged.rows_root, file: staged.file, manifest: null }
}

function fileFor(out: string, release_id: string, format: Format): string {
  const isFolder = existsSync(out) && statSync(out).isDirectory()
  const file = isFolder ? join(out, `${release_id.replaceAll(/[^A-Za-z0-9._-]/g, '_')}.${format}`) : out
  if (existsSync(file))
    throw new Problem('invalid_parameter', 'a file of that name exists: remove it first, or choose another name')
  return file
}

/** Writes a file that gets its name when it is complete. A crash before that leaves a file ending in `.partial`. */
async function writeWhole(file: string, pieces: AsyncIterable<Uint8Array>): Promise<{ bytes: number; sha256: string }> {
  const partial = `${file}.partial`
  const hash = createHash('sha256')
  let bytes = 0
  const handle = await open(partial, 'w').catch((cause) => {
    throw new Problem('invalid_parameter', 'the file cannot be written there: check the folder and its permissions', {
      cause,
    })
  })
  try {
    for await (const piece of pieces) {
      hash.update(piece)
      await handle.writeFile(piece)
      bytes += piece.length
    }
    await handle.sync()
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  const sha256 = hash.digest('hex')
  await writeFile(`${file}.sha256`, `${sha256}  ${basename(file)}\n`)
  await rename(partial, file)
  return { bytes, sha256 }
}

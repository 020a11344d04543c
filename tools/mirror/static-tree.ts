import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { replaceFile } from '../../src/db/replace-file.ts'
import { equalBytes, utf8 } from '../../src/proof/bytes.ts'
import { tilePath } from '../../src/proof/tree/tiles.ts'
import { textOf } from '../monitor/fetcher.ts'

/** The folder in the folder that is not for readers: release files, the derived store, evidence. */
const PRIVATE = '.mirror'

/** A folder that any static host can serve, under the same paths as the service: docs/spec/mirror.md. */
export class StaticTree {
  constructor(readonly folder: string) {}

  path(name: string): string {
    return join(this.folder, ...name.split('/').filter((part) => part !== ''))
  }

  /** A file or folder that is not for readers. */
  inside(name: string): string {
    return join(this.folder, PRIVATE, name)
  }

  has(name: string): boolean {
    return existsSync(this.path(name))
  }

  read(name: string): Uint8Array | undefined {
    return this.has(name) ? new Uint8Array(readFileSync(this.path(name))) : undefined
  }

  text(name: string): string | undefined {
    return textOf(this.read(name))
  }

  /** Writes a file as a whole or not at all, also in a power cut. The same content is not written again. */
  write(name: string, content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? utf8(content) : content
    const there = this.read(name)
    if (there && equalBytes(there, bytes)) return
    mkdirSync(dirname(this.path(name)), { recursive: true, mode: 0o700 })
    // Not beside it, because readers should not see what a crash leaves. One process writes at a time.
    const temporary = this.inside('writing')
    rmSync(temporary, { force: true })
    replaceFile(this.path(name), bytes, temporary)
  }

  /** A tile or a bundle of at least a width: the partial one, or else the full one. */
  part(base: string, kind: number | 'entries', n: number, width: number): Uint8Array | undefined {
    return this.read(`${base}/${tilePath(kind, n, width)}`) ?? this.read(`${base}/${tilePath(kind, n)}`)
  }

  /** Removes partial tiles of other widths. Readers of older checkpoints find the full tile. */
  keepWidths(base: string, kind: number | 'entries', n: number, widths: readonly number[]): void {
    const folder = dirname(this.path(`${base}/${tilePath(kind, n, 1)}`))
    if (!existsSync(folder)) return
    for (const name of readdirSync(folder)) if (!widths.includes(Number(name))) rmSync(join(folder, name))
  }
}

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { inFiles } from './engines.ts'
import { temporaryFolder } from './folder.ts'

const PACKED = join(import.meta.dir, 'old-store/store.tar.gz')

/** The files that its releases cite are those of the sample. */
export const OLD_SOURCES = join(import.meta.dir, '../../sample')

/** A store of the older form, unpacked in a folder of its own: see `old-store/make.sh`. */
export class OldStore {
  readonly #folder = temporaryFolder()
  readonly environment = {
    DATA_DIR: this.file('data'),
    LOCK_DIR: this.file('lock'),
    PORT: '0',
    LOG_LEVEL: 'error',
    ...inFiles('the store of the older version is a file'),
  }

  constructor() {
    const { exitCode, stderr } = Bun.spawnSync(['tar', '-xzf', PACKED, '-C', this.#folder.path])
    if (exitCode !== 0) throw new Error(`the fixture cannot be unpacked: ${stderr}`)
  }

  file(name: string): string {
    return join(this.#folder.path, name)
  }

  /** The public checkpoint of the registry log, as readers have it. */
  checkpoint(): string {
    return this.#read<{ note: string }>("SELECT note FROM log_head WHERE log = 'registry'")[0]?.note ?? ''
  }

  /** The entries of the registry log. */
  entries(): string[] {
    return this.#read<{ body: Uint8Array }>("SELECT body FROM log_leaf WHERE log = 'registry' ORDER BY leaf_index").map(
      ({ body }) => new TextDecoder().decode(body),
    )
  }

  #read<Row>(sql: string): Row[] {
    using db = new Database(this.file('data/registry.db'), { readonly: true })
    return db.query(sql).all() as Row[]
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]()
  }
}

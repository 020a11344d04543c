// Builders for the tests of this folder: a log in its own store, and witnesses whose answers the test chooses.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testStore } from '../../test/support/engines.ts'
import { openStoreAt } from '../db/store-place.ts'
import { utf8 } from '../proof/bytes.ts'
import { CheckpointLock } from './checkpoint-lock.ts'
import { KeyFile } from './key-file.ts'
import { Log } from './log.ts'
import { generateLogKey } from './log-key.ts'
import { type Cosign, commitToLog, noWitnesses } from './publication.ts'

export const NOW = Date.parse('2026-11-15T12:00:00Z')
const ORIGIN = 'registry.test/log/registry'

/** A registry log, begun and empty. */
export async function openLog() {
  const folder = mkdtempSync(join(tmpdir(), 'atr-log-'))
  const keyFile = new KeyFile(join(folder, 'log-keys'))
  writeFileSync(keyFile.path, `${generateLogKey(ORIGIN)}\n`, { mode: 0o600 })
  const store = await testStore()
  const { db } = store
  const lock = new CheckpointLock(join(folder, 'lock'))
  const log = new Log({ name: 'registry', keys: () => keyFile.keysOf('registry'), lock })
  await db.transaction((tx) => log.create(tx, NOW))
  return {
    folder,
    keyFile,
    db,
    log,
    /** Opens the same store a second time, as another process would. */
    openAgain: () => openStoreAt(store.place, { files: db.files }),
    publish: (entry: string, cosign: Cosign = noWitnesses): Promise<number> =>
      commitToLog({ db, log, cosign }, NOW, (_, append) => append([utf8(entry)])),
    async [Symbol.asyncDispose](): Promise<void> {
      await store[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
export type OpenLog = Awaited<ReturnType<typeof openLog>>

/** Starts a web server that answers every request with `answer`. */
export function answering(answer: (request: Request, body: string) => Response | Promise<Response>) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => answer(request, await request.text()),
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.dispose]: (): void => void server.stop(true),
  }
}

/** The text of the checkpoint in the body of an add-checkpoint request. */
export const checkpointText = (body: string): string => {
  const note = body.slice(body.indexOf('\n\n') + 2)
  return note.slice(0, note.indexOf('\n\n') + 1)
}

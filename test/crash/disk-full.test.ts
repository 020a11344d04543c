import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { spawn } from 'bun'
import { recheck } from '../../src/cli/fsck.ts'
import { readConfig } from '../../src/config.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { inFiles } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'

const BUN = join(import.meta.dir, '../../node_modules/.bin/bun')
const NOTHING = 'the disk is full or failing: nothing was changed'
const KEPT =
  'what was to be published is signed and kept, and not public yet; make room, and run `atr log publish`, which makes it public'

test.each([
  ['before the commit', 4, NOTHING, 1],
  ['before the lock moves', 5, `the checkpoint lock of the registry log cannot be written, see LOCK_DIR: ${KEPT}`, 3],
  ['after the lock has moved', 6, `the disk is full or failing: ${KEPT}`, 3],
  ['after witnesses have cosigned', 7, `the disk is full or failing: ${KEPT}`, 3],
])('a disk that fills %s is told as what it is, and the next command does the rest', async (_, step, said, size) => {
  using folder = temporaryFolder()
  const env = {
    DATA_DIR: join(folder.path, 'data'),
    ...inFiles('the disk of a database server is not that of the process: see db/postgres/fault.ts'),
  }
  const config = readConfig(env)
  await createInstallation(config, { origin: 'full.example', now: Date.now() }, async () => undefined)
  // The signal that comes with the limit is ignored, as it is where a disk is really full.
  const script = join(import.meta.dir, 'disk-full-child.ts')
  const child = spawn(['bash', '-c', `trap '' XFSZ; exec ${BUN} ${script} ${step}`], {
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  expect(await new Response(child.stdout).text()).toBe(said)
  const after = await openInstallation(config)
  expect((await after.registryLog.head(after.db)).size).toBe(size)
  expect((await recheck(after, Date.now())).faults).toEqual([])
  await after.db.close()
})

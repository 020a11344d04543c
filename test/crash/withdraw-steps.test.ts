import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { spawn } from 'bun'
import { recheck } from '../../src/cli/fsck.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { releasesInForce } from '../../src/registry/store.ts'
import { aRelease } from '../support/builders.ts'
import { storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { isLong } from '../support/long.ts'

const BUN = join(import.meta.dir, '../../node_modules/.bin/bun')
const STEPS = 8
const LAST_BEFORE_COMMIT = 4
const RUNS_PER_STEP = isLong ? 3 : 1

async function dieAt(step: number, release_id: string, env: Record<string, string>): Promise<void> {
  const child = spawn([BUN, join(import.meta.dir, 'withdraw-child.ts'), release_id, String(step)], {
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  await child.exited
  expect([child.signalCode, said]).toEqual(['SIGKILL', ''])
}

/** Publishes one more edition, the newest of them all. */
async function publishNext(config: Config, n: number): Promise<string> {
  const { db, registryLog, cosign } = await openInstallation(config)
  const { rows, ...release } = aRelease({ edition: `E${n}` })
  const staged = await stage(db, release, rows, new Map(), Date.now())
  const publisher = { db, log: registryLog, cosign }
  const overrides = overrideAll('sample_data')
  const { release_id } = await publish(publisher, staged.release.release_id, Date.now(), overrides)
  await db.close()
  return release_id
}

async function stateOf(config: Config, at: number): Promise<{ size: number; inForce: string | undefined }> {
  const installation = await openInstallation(config)
  const { faults } = await recheck(installation, at)
  expect(faults).toEqual([])
  const { db, registryLog } = installation
  const [release] = await releasesInForce(db, '2030-01-01')
  const { size } = await registryLog.head(db)
  expect((await registryLog.signed(db)).size).toBe(size)
  await db.close()
  return { size, inForce: release?.release_id }
}

test(`a withdrawal killed at each of its ${STEPS} steps has happened or has not`, async () => {
  using folder = temporaryFolder()
  const env = await storeEnvironment(join(folder.path, 'data'))
  const config = readConfig(env)
  await createInstallation(config, { origin: 'withdraw.example', now: Date.now() }, async () => undefined)
  const first = await publishNext(config, 0)
  let standing = first
  for (let run = 1; run <= STEPS * RUNS_PER_STEP; run++) {
    const step = 1 + (run % STEPS)
    const release_id = await publishNext(config, run)
    const before = await stateOf(config, 2 * run)
    expect(before.inForce).toBe(release_id)
    await dieAt(step, release_id, env)
    const after = await stateOf(config, 2 * run + 1)
    const happened = step > LAST_BEFORE_COMMIT
    expect([step, after.size]).toEqual([step, before.size + (happened ? 2 : 0)])
    expect([step, after.inForce]).toEqual([step, happened ? standing : release_id])
    if (!happened) standing = release_id
  }
})

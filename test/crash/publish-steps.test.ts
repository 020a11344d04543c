import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { spawn } from 'bun'
import { recheck } from '../../src/cli/fsck.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { releasesInForce } from '../../src/registry/store.ts'
import { ENGINES, storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { isLong } from '../support/long.ts'

const BUN = join(import.meta.dir, '../../node_modules/.bin/bun')
const STEPS = 8
const LAST_BEFORE_COMMIT = 4
const RUNS_PER_STEP = isLong ? 38 : 1
const KILLS_PER_STORE = 3 * STEPS
const ROWS = 20

async function dieAt(step: number, edition: number, env: Record<string, string>): Promise<void> {
  const child = spawn([BUN, join(import.meta.dir, 'crash-child.ts'), String(ROWS), String(edition), String(step)], {
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  await child.exited
  expect([child.signalCode, said]).toEqual(['SIGKILL', ''])
}

/** What a stranger sees after the crash, once the next command has opened the store. */
async function stateOf(
  config: Config,
  at: number,
): Promise<{ size: number; inForce: string | undefined; rows: number }> {
  const installation = await openInstallation(config)
  const { db, registryLog } = installation
  const { faults } = await recheck(installation, at)
  expect(faults).toEqual([])
  const [release] = await releasesInForce(db, '2030-01-01')
  const { size } = await registryLog.head(db)
  expect((await registryLog.signed(db)).size).toBe(size)
  await db.close()
  return { size, inForce: release?.manifest.edition, rows: release?.row_count ?? 0 }
}

async function crashThrough(steps: readonly number[], env: Record<string, string>): Promise<void> {
  const config = readConfig(env)
  await createInstallation(config, { origin: 'steps.example', now: Date.now() }, async () => undefined)
  let before = await stateOf(config, 0)
  for (const [i, step] of steps.entries()) {
    const edition = i + 1
    await dieAt(step, edition, env)
    const after = await stateOf(config, edition)
    const committed = step > LAST_BEFORE_COMMIT
    expect([step, after.size]).toEqual([step, before.size + (committed ? 2 : 0)])
    expect([step, after.inForce]).toEqual([step, committed ? `E${edition}` : before.inForce])
    if (after.inForce) expect(after.rows).toBe(ROWS)
    before = after
  }
}

test.each(ENGINES.map((engine) => [engine]))(
  `on %s a publisher killed ${STEPS * RUNS_PER_STEP} times, at each of its ${STEPS} steps, leaves the old state or the new one`,
  async (engine) => {
    using folder = temporaryFolder()
    const steps = Array.from({ length: STEPS * RUNS_PER_STEP }, (_, i) => 1 + (i % STEPS))
    // A new store now and then: everything in it is derived again after each kill.
    for (let first = 0; first < steps.length; first += KILLS_PER_STORE) {
      const env = await storeEnvironment(join(folder.path, String(first)), engine)
      await crashThrough(steps.slice(first, first + KILLS_PER_STORE), env)
    }
  },
)

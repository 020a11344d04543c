import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { spawn } from 'bun'
import { recheck } from '../../src/cli/fsck.ts'
import { readConfig } from '../../src/config.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { listReleases } from '../../src/registry/release/store.ts'
import { storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { isLong } from '../support/long.ts'
import { state } from '../support/release-file.ts'

const BUN = join(import.meta.dir, '../../node_modules/.bin/bun')
/** At random. Each step has its own kills in publish-steps.test.ts. */
const KILLS = isLong ? 30 : 8
const ROWS = 700

/** As the crash left them: opening the store removes what was being loaded. */
async function countUnpublished(env: { DATA_DIR: string }): Promise<number> {
  const [left] = await state<{ n: number }>(env, "SELECT COUNT(*) AS n FROM release WHERE state <> 'published'")
  return left?.n ?? 0
}

test(`a publisher killed ${KILLS} times at random moments leaves a sound log and whole releases`, async () => {
  using folder = temporaryFolder()
  const env = await storeEnvironment(join(folder.path, 'data'))
  const config = readConfig(env)
  await createInstallation(config, { origin: 'crash.example', now: Date.now() }, async () => undefined)
  let published = 0
  let interrupted = 0
  /** Within how many milliseconds a kill falls. On a busy machine publishing takes longer. */
  let reach = 250
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn([BUN, join(import.meta.dir, 'crash-child.ts'), String(ROWS), String(published + 1)], {
      env: { ...process.env, ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    // The first word shows that it is at work; what it then says it has published must still be there.
    const reader = child.stdout.getReader()
    let said = new TextDecoder().decode((await reader.read()).value)
    await Bun.sleep(Math.random() * reach)
    child.kill('SIGKILL')
    await child.exited
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
      said += new TextDecoder().decode(chunk.value)
    expect(await new Response(child.stderr).text()).toBe('')
    const acknowledged = [...said.matchAll(/published (\d+)/g)].map(([, n]) => Number(n)).at(-1) ?? published

    if ((await countUnpublished(env)) > 0) interrupted++
    const installation = await openInstallation(config)
    const { faults } = await recheck(installation, Date.now() + kill)
    expect(faults).toEqual([])
    const releases = await listReleases(installation.db)
    const whole = releases.filter(({ state }) => state === 'published')
    for (const release of whole) expect(Number(release.row_count)).toBe(ROWS)
    const { size } = await installation.registryLog.head(installation.db)
    // The state that the log began with, and a manifest and a state for each release.
    expect(size).toBe(1 + 2 * whole.length)
    // Nothing that was acknowledged is lost, and at most the one under way has come on top.
    expect(whole.length).toBeGreaterThanOrEqual(acknowledged)
    expect(whole.length).toBeLessThanOrEqual(acknowledged + 1)
    if (whole.length === published) reach = Math.min(8_000, reach * 1.2)
    published = whole.length
    await installation.db.close()
  }
  expect([published > KILLS / 8, interrupted > KILLS / 8]).toEqual([true, true])
})

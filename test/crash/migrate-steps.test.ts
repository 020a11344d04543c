import { expect } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'bun'
import { MOVING_STEPS } from '../../src/cli/migrate.ts'
import { readConfig } from '../../src/config.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { stage } from '../../src/registry/release/staging.ts'
import { aRelease } from '../support/builders.ts'
import { storeEnvironment, testOnPostgres } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { isLong } from '../support/long.ts'
import { postgresServer } from '../support/postgres.ts'
import { atr } from '../support/service.ts'

const BUN = join(import.meta.dir, '../../node_modules/.bin/bun')
const SETTLED = MOVING_STEPS.indexOf('set aside')

type Environment = { DATA_DIR: string; DATABASE_URL: string }

const headOf = async (env: Environment): Promise<string> => {
  const { db, registryLog } = await openInstallation(readConfig(env))
  return registryLog
    .head(db)
    .then(({ note }) => note)
    .finally(() => db.close())
}

async function dieAt(step: string, env: Environment, to: string): Promise<void> {
  const child = spawn([BUN, join(import.meta.dir, 'migrate-child.ts'), to, step], {
    env: { ...process.env, ...env },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  await child.exited
  expect([step, child.signalCode, said]).toEqual([step, 'SIGKILL', ''])
}

testOnPostgres(
  'a move killed after any of its steps leaves one store to serve or none, never two, and the next attempt finishes it',
  async () => {
    using folder = temporaryFolder()
    const file = await storeEnvironment(join(folder.path, 'data'), 'sqlite')
    const base: Environment = { ...file, DATABASE_URL: await (await postgresServer()).database() }
    const config = readConfig(file)
    await createInstallation(
      config,
      { origin: 'move.example', now: Date.now() },
      async ({ db, registryLog, cosign }) => {
        const { rows, ...release } = aRelease()
        const { release_id } = (await stage(db, release, rows, new Map(), Date.now())).release
        await publish({ db, log: registryLog, cosign }, release_id, Date.now(), overrideAll('sample_data'))
      },
    )
    const head = await headOf(file)
    let [from, to, address] = [file, base, base.DATABASE_URL]
    // Each step in one direction, and in both in the long form.
    for (const [i, step] of [...MOVING_STEPS, ...(isLong ? MOVING_STEPS : [])].entries()) {
      await dieAt(step, from, address)
      const isSettled = i % MOVING_STEPS.length >= SETTLED
      // What may be served afterwards: the old store until it was set aside, then none until the new one is in its place.
      const served = await Promise.all([from, to].map((each) => headOf(each).catch((error: Error) => error.message)))
      expect([step, served]).toEqual([
        step,
        [
          isSettled ? expect.stringContaining('the store was moved from here') : head,
          step === 'in place'
            ? head
            : ['whole', 'set aside'].includes(step)
              ? expect.stringContaining('was interrupted')
              : expect.stringMatching(/is missing|was moved/),
        ],
      ])
      const again = await atr(['migrate', '--to', address, '--json'], from)
      expect([step, again.code, again.err]).toEqual([step, 0, ''])
      const left = { resumed: step === 'set aside', already: step === 'in place' }
      expect(JSON.parse(again.out)).toMatchObject({ ...left, release_files: 1, log_sizes: [3, 1] })
      expect([step, await headOf(to)]).toEqual([step, head])
      ;[from, to, address] = [to, from, from === file ? file.DATA_DIR : base.DATABASE_URL]
    }
    expect(readdirSync(file.DATA_DIR).filter((name) => /building|whole/.test(name))).toEqual([])
    expect(await atr(['fsck'], from)).toMatchObject({ code: 0 })
  },
)

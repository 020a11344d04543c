import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { spawn } from 'bun'
import { recheck } from '../../src/cli/fsck.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { createInstallation, type Installation, openInstallation } from '../../src/installation.ts'
import { discard, STAGING_STEPS, stage } from '../../src/registry/release/staging.ts'
import { listReleases, unstage } from '../../src/registry/release/store.ts'
import { openRelease } from '../../src/registry/rows/release-file-store.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { releaseFile, releaseFiles } from '../support/release-file.ts'

const BUN = join(import.meta.dir, '../../node_modules/.bin/bun')

async function withInstallation(work: (config: Config) => Promise<void>): Promise<void> {
  using folder = temporaryFolder()
  const config = readConfig(await storeEnvironment(join(folder.path, 'data')))
  await createInstallation(config, { origin: 'staging.example', now: Date.now() }, async () => undefined)
  await work(config)
}

/** Opens the store as every command does, and looks at what a crash has left. */
async function opened<T>(config: Config, work: (installation: Installation) => Promise<T>): Promise<T> {
  const installation = await openInstallation(config)
  try {
    return await work(installation)
  } finally {
    await installation.db.close()
  }
}

test(
  'a load killed at any step leaves nothing that the next command does not remove',
  () =>
    withInstallation(async (config) => {
      for (const step of STAGING_STEPS) {
        const child = spawn([BUN, join(import.meta.dir, 'stage-child.ts'), step.replaceAll(' ', '-'), step], {
          env: { ...process.env, ...(await storeEnvironment(config.DATA_DIR)) },
          stdout: 'ignore',
          stderr: 'inherit',
        })
        await child.exited
        expect([step, child.signalCode]).toEqual([step, 'SIGKILL'])
        expect([step, releaseFiles(config).length]).toEqual([step, 1])
        await opened(config, async (installation) => {
          const releases = await listReleases(installation.db)
          const whole = step === 'staged'
          expect([step, releases.map(({ state }) => state)]).toEqual([step, whole ? ['staged'] : []])
          const named = releases.map(({ file }) => `${file}.atr`)
          expect([step, releaseFiles(config)]).toEqual([step, named])
          expect((await recheck(installation, Date.now())).faults).toEqual([])
        })
      }
    }),
  180_000,
)

const RELEASE = aRelease({ rows: [aPrice()] })

test('discarding gives the space back at once, and keeps a file that another release has too', () =>
  withInstallation((config) =>
    opened(config, async ({ db }) => {
      const staged = async (edition: string, rows = RELEASE.rows) =>
        (await stage(db, { ...RELEASE, edition, source_digest: edition }, rows, new Map(), 0)).release
      const [one, same, other] = [await staged('A'), await staged('B'), await staged('C', [aPrice({ code: '99999' })])]
      expect(one.file).toBe(same.file)
      expect(releaseFiles(config)).toHaveLength(2)
      await discard(db, one)
      expect(existsSync(await releaseFile(config, same.release_no))).toBe(true)
      await discard(db, same)
      expect(releaseFiles(config)).toEqual([basename(await releaseFile(config, other.release_no))])
    }),
  ))

test('after a discard the disk has as much room as before the load, though the rows were read meanwhile', () =>
  withInstallation((config) =>
    opened(config, async ({ db }) => {
      const rows = Array.from({ length: 3_000 }, (_, i) => aPrice({ code: String(10_000 + i) }))
      const used = (): number =>
        readdirSync(config.DATA_DIR, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
      const before = used()
      const { release } = await stage(db, RELEASE, rows, new Map(), 0)
      const file = await releaseFile(config, release.release_no)
      const size = statSync(file).size
      expect(size).toBeGreaterThan(100_000)
      expect(openRelease(db, release).rowsAt(0, 3_000)).toHaveLength(3_000)
      await discard(db, release)
      // A few pages of the store say that there was a release, and no descriptor keeps the removed file.
      expect(used() - before).toBeLessThan(size / 2)
      const open = readdirSync('/proc/self/fd').map((fd) => readLink(`/proc/self/fd/${fd}`))
      expect(open.filter((path) => path.startsWith(file))).toEqual([])
    }),
  ))

/** Empty for a descriptor that is closed meanwhile. */
function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

test('a discard that was killed after it removed the file is finished by the next command', () =>
  withInstallation(async (config) => {
    await opened(config, async ({ db }) => {
      const { release } = await stage(db, RELEASE, RELEASE.rows, new Map(), 0)
      await unstage(db, release.release_no)
      rmSync(await releaseFile(config, release.release_no))
    })
    await opened(config, async ({ db }) => expect(await listReleases(db)).toEqual([]))
  }))

test('release files are where RELEASES says, and the rest of the installation is not', async () => {
  using folder = temporaryFolder()
  const config = readConfig({
    ...(await storeEnvironment(join(folder.path, 'data'))),
    RELEASES: join(folder.path, 'elsewhere'),
  })
  await createInstallation(config, { origin: 'staging.example', now: Date.now() }, async ({ db }) => {
    await stage(db, RELEASE, RELEASE.rows, new Map(), 0)
  })
  expect(existsSync(join(config.DATA_DIR, 'releases'))).toBe(false)
  await opened(config, async ({ db }) => {
    const [release] = await listReleases(db)
    expect(readdirSync(config.releasesDir)).toEqual([`${release?.file}.atr`])
    expect(release && openRelease(db, release).rowCount).toBe(1)
  })
})

test('a load that fails half way leaves neither release nor file', () =>
  withInstallation((config) =>
    opened(config, async ({ db }) => {
      const failing = {
        trace: (step: string) => {
          if (step === 'rows written') throw new Error('as if the disk had failed')
        },
      }
      await expect(stage(db, RELEASE, RELEASE.rows, new Map(), 0, failing)).rejects.toThrow('as if the disk had failed')
      expect([await listReleases(db), releaseFiles(config)]).toEqual([[], []])
    }),
  ))

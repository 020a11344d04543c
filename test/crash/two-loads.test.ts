import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Subprocess, spawn } from 'bun'
import { recheck } from '../../src/cli/fsck.ts'
import { readConfig } from '../../src/config.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { getRelease } from '../../src/registry/release/check.ts'
import { listReleases } from '../../src/registry/release/store.ts'
import { openRelease } from '../../src/registry/rows/release-file-store.ts'
import { forgetLocks, storeEnvironment } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { releaseFiles } from '../support/release-file.ts'
import { atr } from '../support/service.ts'

const BUN = join(import.meta.dir, '../../node_modules/.bin/bun')
/** More than one batch, so that a load that stops before its last row has written some. */
const ROWS = 9_000

type Child = Subprocess<'pipe', 'pipe', 'inherit'>

const start = (env: Record<string, string>, amount: string): Child =>
  spawn([BUN, join(import.meta.dir, 'load-child.ts'), amount, String(ROWS)], {
    env: { ...process.env, ...env },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })

async function nextWord(child: Child): Promise<string> {
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  return new TextDecoder().decode(value).trim()
}

async function goOn(child: Child): Promise<string> {
  child.stdin.write('\n')
  await child.stdin.end()
  return nextWord(child)
}

async function withInstallation(work: (env: { DATA_DIR: string }) => Promise<void>): Promise<void> {
  using folder = temporaryFolder()
  const env = await storeEnvironment(join(folder.path, 'data'))
  await createInstallation(readConfig(env), { origin: 'loads.example', now: Date.now() }, async () => undefined)
  await work(env)
}

/** What the one published release cites, and the prices that stand in it. */
async function published(env: { DATA_DIR: string }) {
  const installation = await openInstallation(readConfig(env))
  const { db } = installation
  expect((await recheck(installation, Date.now())).faults).toEqual([])
  const releases = await listReleases(db)
  expect(releases.map(({ state }) => state)).toEqual(['published'])
  const [release] = releases
  const rows = release ? openRelease(db, release).rowsAt(0, ROWS + 1) : []
  const amounts = rows.map(({ body }) => (JSON.parse(body) as { price: { amount: string } }).price.amount)
  await db.close()
  const [citation] = JSON.parse(release?.citations ?? '[]') as { file: string }[]
  return { file: citation?.file, rows: rows.length, amounts: [...new Set(amounts)] }
}

test(
  'a load is refused while a living process loads the same edition, and that one is not disturbed',
  () =>
    withInstallation(async (env) => {
      const first = start(env, '1.00')
      expect(await nextWord(first)).toBe('waiting')
      const second = start(env, '2.00')
      expect(await nextWord(second)).toBe('refused load_in_progress')
      expect(await atr(['release', 'discard', 'cms-pfs:TEST1:1'], env)).toMatchObject({
        code: 1,
        err: expect.stringContaining('refused: load_in_progress'),
      })
      expect(await goOn(first)).toBe('published 1')
      await Promise.all([first.exited, second.exited])
      expect(await published(env)).toEqual({ file: '1.00.csv', rows: ROWS, amounts: ['1.00'] })
      expect(readdirSync(env.DATA_DIR).filter((name) => name.includes('loading'))).toEqual([])
    }),
  60_000,
)

test(
  'what a killed load left is removed by the next one, and its number is not used again',
  () =>
    withInstallation(async (env) => {
      const first = start(env, '1.00')
      expect(await nextWord(first)).toBe('waiting')
      first.kill('SIGKILL')
      await first.exited
      const second = start(env, '2.00')
      expect(await nextWord(second)).toBe('waiting')
      expect(await goOn(second)).toBe('published 2')
      await second.exited
      expect(await published(env)).toEqual({ file: '2.00.csv', rows: ROWS, amounts: ['2.00'] })
    }),
  60_000,
)

test(
  'a load whose release was taken away writes nothing more, whoever has begun another since',
  () =>
    withInstallation(async (env) => {
      const first = start(env, '1.00')
      expect(await nextWord(first)).toBe('waiting')
      const { db } = await openInstallation(readConfig(env))
      // As if it were forgotten who loads: the second load finds nothing in its way and dies half way.
      await db.query('DELETE FROM release')
      await forgetLocks(env)
      const second = start(env, '2.00')
      expect(await nextWord(second)).toBe('waiting')
      second.kill('SIGKILL')
      await second.exited
      expect(await goOn(first)).toBe('refused release_conflict')
      await first.exited
      expect(await getRelease(db, 'cms-pfs:TEST1:1')).toMatchObject({ release_no: 2, state: 'loading' })
      expect(await db.query('SELECT release_no, file FROM release')).toEqual([{ release_no: 2, file: null }])
      await db.close()
      // The next command removes what the second one left; nothing is left of the first.
      expect(await atr(['release', 'list', '--json'], env)).toMatchObject({ out: '[]\n' })
      expect(releaseFiles(env)).toEqual([])
    }),
  60_000,
)

test(
  'an operator discards what is staged and what a dead load left, and never what is published',
  () =>
    withInstallation(async (env) => {
      const left = start(env, '1.00')
      expect(await nextWord(left)).toBe('waiting')
      left.kill('SIGKILL')
      await left.exited
      const discard = (id: string) => atr(['release', 'discard', id], env)
      // The command removes it when it opens the store, before it looks for what to discard.
      expect(await discard('cms-pfs:TEST1:1')).toMatchObject({
        code: 1,
        err: expect.stringContaining('release_not_found'),
      })
      expect(await atr(['release', 'list', '--json'], env)).toMatchObject({ out: '[]\n' })
      expect(releaseFiles(env)).toEqual([])

      const files = ['PPRRVU-SAMPLE26A.csv', 'GPCI-SAMPLE26.csv'].map((name) =>
        join(import.meta.dir, '../../sample', name),
      )
      const load = async (...more: string[]) => {
        const args = ['--edition', 'S', '--effective-from', '2026-01-01', '--sample', '--json', ...more]
        const loaded = await atr(['load', 'cms-pfs', ...files, ...args], env)
        expect(loaded.err).toBe('')
        return JSON.parse(loaded.out) as { release_id: string }
      }
      expect((await load()).release_id).toBe('cms-pfs:S:1')
      expect(releaseFiles(env)).toHaveLength(1)
      expect((await discard('cms-pfs:S:1')).code).toBe(0)
      expect(releaseFiles(env)).toEqual([])
      // A name that an operator has seen is not given to another release.
      const all = ['rejected_share', 'conflicting_keys'].flatMap((rule) => ['--override', rule])
      const again = await load('--publish', ...all, '--reason', 'sample_data')
      expect(again).toMatchObject({ release_id: 'cms-pfs:S:2', state: 'published' })
      expect(await discard('cms-pfs:S:2')).toMatchObject({
        code: 1,
        err: expect.stringContaining('refused: release_conflict'),
      })
      expect((await atr(['fsck'], env)).code).toBe(0)
      expect(releaseFiles(env)).toHaveLength(1)
    }),
  60_000,
)

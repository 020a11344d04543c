import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { inFiles } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { ATR, atr } from '../support/service.ts'
import { isSkipped } from '../support/skipping.ts'

// Disks that are read-only, full or another user's, as the system really shows them: in mounts of a process of its own.

const ROOT = join(import.meta.dir, '../..')
const isRoot = process.getuid?.() === 0
const UNSHARE = isRoot ? ['unshare', '-m'] : ['unshare', '-rm']
const canMount =
  Bun.which('unshare') !== null && Bun.spawnSync([...UNSHARE, 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).exitCode === 0
const noMounts = isSkipped('disks that are full or read-only', canMount ? undefined : 'mounts cannot be made here')
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
const canLeaveRoot = isRoot && Bun.which('setpriv') !== null && Bun.spawnSync([...NOBODY, 'test', '-r', ROOT]).success
const noOtherUser = isSkipped(
  'folders of another user',
  canLeaveRoot ? undefined : 'only root can be another user, in a checkout that the other user can read',
)

const sample = (file: string): string => join(ROOT, 'sample', file)
const EDITION = ['--edition', 'A', '--effective-from', '2026-10-01', '--effective-to', '2099-12-31', '--sample']
const LOAD = ['load', 'cms-clfs', sample('CLFS-SAMPLE26Q4.csv'), ...EDITION]
const LOAD_MORE = ['load', 'cms-asp', sample('ASP-SAMPLE26Q4.csv'), ...EDITION]
const PUBLISH = ['release', 'publish', 'cms-clfs:A:1', '--override', 'w03_short', '--reason', 'sample_data']

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')
type Run = { words: readonly string[]; env: Record<string, string> }

/** A report, which is printed on standard output. */
const isReport = ([name]: readonly string[]): boolean => name === 'doctor'

/** Runs commands one after the other where `prepare` has been done, and returns what each said and its exit code. */
async function said(before: readonly string[], prepare: string, runs: readonly Run[]): Promise<string[]> {
  const lines = runs.map(({ words, env }) => {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
    return `${quoted(['env', ...settings, ...ATR, ...words])} 2>&1 ${isReport(words) ? '' : '>/dev/null'}; echo "exit $?"; echo ---`
  })
  const child = Bun.spawn([...before, 'bash', '-c', ['set -e', prepare, 'set +e', ...lines].join('\n')], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', ...inFiles('the disk is that of the file of the store') },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return (await new Response(child.stdout).text()).split('---\n').slice(0, -1)
}

const installed = async (folder: string): Promise<string> => {
  const DATA_DIR = join(folder, 'data')
  for (const words of [['init'], LOAD]) expect((await atr(words, { DATA_DIR, ...inFiles('') })).code).toBe(0)
  return DATA_DIR
}

test.skipIf(noMounts)('on a read-only disk every command says so in one sentence', async () => {
  using folder = temporaryFolder()
  const DATA_DIR = await installed(folder.path)
  const there = { DATA_DIR }
  const runs = [['serve'], LOAD_MORE, PUBLISH, ['backup', join(folder.path, 'copy.db')]].map((words) => ({
    words,
    env: there,
  }))
  const prepare = `mount --bind ${folder.path} ${folder.path} && mount -o remount,ro,bind ${folder.path}`
  const fresh = { DATA_DIR: join(folder.path, 'fresh') }
  const all = await said(UNSHARE, prepare, [
    ...runs,
    { words: ['init'], env: fresh },
    { words: ['doctor'], env: there },
  ])
  const sentence = (path: string): string =>
    `the disk of ${path} is read-only: make it writable, or name another folder with DATA_DIR\n`
  const fault = (path: string): string => `atr: ${sentence(path)}exit 3\n`
  expect(all.slice(0, -1)).toEqual([...runs.map(() => fault(DATA_DIR)), fault(folder.path)])
  expect(all.at(-1)).toContain(`fail  store_unusable: ${sentence(DATA_DIR)}`)
})

test.skipIf(noOtherUser)('in the folder of another user every command says whose it is', async () => {
  using folder = temporaryFolder()
  const DATA_DIR = await installed(folder.path)
  chmodSync(folder.path, 0o755)
  const runs = [['serve'], LOAD_MORE, ['backup', '/tmp/never.db'], ['fsck']].map((words) => ({
    words,
    env: { DATA_DIR },
  }))
  const fresh = { DATA_DIR: join(folder.path, 'fresh') }
  const doctor = { words: ['doctor'], env: { DATA_DIR } }
  const all = await said(NOBODY, '', [...runs, { words: ['init'], env: fresh }, doctor])
  const sentence = (path: string): string =>
    `${path} belongs to another user: run this as its owner (user id 0), or name another folder with DATA_DIR\n`
  const fault = (path: string): string => `atr: ${sentence(path)}exit 3\n`
  expect(all.slice(0, -1)).toEqual([...runs.map(() => fault(DATA_DIR)), fault(folder.path)])
  expect(all.at(-1)).toContain(`fail  store_unusable: ${sentence(DATA_DIR)}`)
})

test.skipIf(noMounts)('on a full disk every command says so, and changes nothing', async () => {
  using folder = temporaryFolder()
  const [small, large] = ['small', 'large'].map((name) => join(folder.path, name)) as [string, string]
  for (const path of [small, large]) mkdirSync(path)
  const prepare = [
    `mount -t tmpfs -o size=64k tmpfs ${small}`,
    `mount -t tmpfs -o size=3m tmpfs ${large}`,
    ...[['init'], LOAD].map((words) => `${quoted(['env', `DATA_DIR=${large}/data`, ...ATR, ...words])} >/dev/null`),
  ].join('\n')
  const [tiny, full] = [{ DATA_DIR: join(small, 'data') }, { DATA_DIR: join(large, 'data') }]
  const fill = `dd if=/dev/zero of=${large}/fill bs=1k 2>/dev/null || true`
  const all = await said(UNSHARE, `${prepare}\n${fill}`, [
    { words: ['init'], env: tiny },
    { words: ['backup', join(small, 'copy.db')], env: full },
    { words: LOAD_MORE, env: full },
    { words: PUBLISH, env: full },
    { words: ['serve'], env: full },
  ])
  const sentence =
    'atr: the disk is full or failing: nothing was changed. Make room, and run the command again\nexit 3\n'
  expect(all).toEqual(all.map(() => sentence))
  expect(all.length).toBe(5)
  expect([existsSync(join(small, 'data')), readdirSync(large)]).toEqual([false, []]) // the mounts were of that process only
})

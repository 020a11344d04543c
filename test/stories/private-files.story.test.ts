import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { replaceFile } from '../../src/db/replace-file.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { temporaryFolder } from '../support/folder.ts'
import { atr, DemoService } from '../support/service.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** Every file and folder below a folder. */
const below = (folder: string): string[] =>
  readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))

test('what a service writes, nobody but its owner can read', async () => {
  using folder = temporaryFolder()
  const service = await DemoService.startNew({}, folder)
  await fetch(`${service.url}/api/agent-rails/challenge`, {
    method: 'POST',
    headers: { 'x-agent-key': service.demoKey },
  })
  const paths = [join(folder.path, 'data'), ...below(join(folder.path, 'data'))]
  expect(paths.some((path) => path.includes('.atr'))).toBe(true)
  expect(paths.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([])
  await service.stop()
})

test('a store that others could read is closed to them when it is opened', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'registry.db')
  await (await openSqlite(path, { create: true })).close()
  expect(modeOf(path)).toBe('600')
  chmodSync(path, 0o644)
  const db = await openSqlite(path)
  await db.query('UPDATE rails_event_number SET last_no = 1')
  expect(['', '-wal', '-shm'].map((end) => modeOf(path + end))).toEqual(['600', '600', '600'])
  await db.close()
})

test('secrets that others can read are refused with a sentence that says what to do', async () => {
  using folder = temporaryFolder()
  const config = readConfig({ DATA_DIR: join(folder.path, 'data') })
  await createInstallation(config, { origin: 'registry.example', now: Date.now() }, async () => undefined)
  for (const file of [config.pepperFile, config.signingKeyFile]) {
    chmodSync(file, 0o644)
    expect(openInstallation(config)).rejects.toThrow(`run \`chmod 600 ${file}\``)
    chmodSync(file, 0o600)
  }
  await (await openInstallation(config)).db.close()
})

test('a temporary name cannot be guessed, and what stands in the way is not written over', () => {
  using folder = temporaryFolder()
  const [path, victim] = [join(folder.path, 'file'), join(folder.path, 'victim')]
  writeFileSync(victim, 'mine')
  symlinkSync(victim, `${path}.${process.pid}`)
  replaceFile(path, 'new')
  expect(Bun.file(victim).size).toBe(4)
  expect(readdirSync(folder.path).sort()).toEqual(['file', `file.${process.pid}`, 'victim'])
  const blocked = join(folder.path, 'blocked')
  mkdirSync(join(blocked, 'full'), { recursive: true })
  expect(() => replaceFile(blocked, 'new')).toThrow()
  expect(readdirSync(folder.path)).toHaveLength(4)
})

test('with --json, a failure is JSON too, whatever failed', async () => {
  using folder = temporaryFolder()
  const env = { DATA_DIR: join(folder.path, 'data') }
  const failed = async (...args: string[]) => {
    const { code, err } = await atr([...args, '--json'], env)
    return { exit: code, ...(JSON.parse(err) as { error: { code: string; message: string } }).error }
  }
  expect(await failed('keys', 'list')).toMatchObject({
    exit: 3,
    code: 'fault',
    message: expect.stringContaining('init'),
  })
  expect(await failed('nothing')).toMatchObject({ exit: 2, code: 'usage' })
  expect(await failed('keys', 'list', '--wrong')).toMatchObject({ exit: 2, code: 'usage' })
  expect(existsSync(env.DATA_DIR)).toBe(false)
})

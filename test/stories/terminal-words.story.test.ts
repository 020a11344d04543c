import { expect, spyOn, test } from 'bun:test'
import { existsSync, realpathSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { spawn } from 'bun'
import type { Command } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { explain } from '../../src/cli/failure.ts'
import { enterUserFolder } from '../../src/cli/user-folder.ts'
import { readConfig } from '../../src/config.ts'
import { aSigner } from '../../src/proof/fixture.ts'
import { formatVerifierKey } from '../../src/proof/note/signed-note.ts'
import { inFiles } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { atr } from '../support/service.ts'

const ROOT = resolve(import.meta.dir, '../..')

/** What is on standard error, and the exit code, if a command is run with these words and `--json`. */
async function failureOf(name: string, args: readonly string[], DATA_DIR: string): Promise<[number, unknown]> {
  const lines: string[] = []
  const printed = spyOn(console, 'error').mockImplementation((line) => void lines.push(String(line)))
  process.argv.push('--json')
  try {
    const command = await (COMMANDS[name] as () => Promise<Command>)()
    const code = await command
      .run([...args, '--json'], readConfig({ DATA_DIR }))
      .catch((error: unknown) => explain(error, name, command))
    return [code, JSON.parse(lines.join('\n'))]
  } finally {
    process.argv.pop()
    printed.mockRestore()
  }
}

test.each(Object.keys(COMMANDS))('with --json, what is wrong with the words of atr %s is JSON', async (name) => {
  using folder = temporaryFolder()
  const { actions = {} } = await (COMMANDS[name] as () => Promise<Command>)()
  for (const action of [[], ['nothing'], ...Object.keys(actions).map((each) => [each])]) {
    const failed = await failureOf(name, [...action, '--no-such-option'], join(folder.path, 'data'))
    expect([action, failed]).toEqual([action, [2, { error: { code: 'usage', message: expect.any(String) } }]])
  }
  expect(existsSync(join(folder.path, 'data'))).toBe(false)
})

test('with --json, what a command warns of is JSON too', async () => {
  using folder = temporaryFolder()
  const lines: string[] = []
  const printed = spyOn(console, 'error').mockImplementation((line) => void lines.push(String(line)))
  process.argv.push('--json')
  try {
    const { figures } = await import('../../src/cli/figures.ts')
    const asked = figures.run(['release', '--exact', '--json'], readConfig({ DATA_DIR: join(folder.path, 'data') }))
    expect(asked).rejects.toThrow('figures_held')
    await asked.catch(() => undefined)
    expect(lines.map((line) => Object.keys(JSON.parse(line) as object))).toEqual([['notice']])
  } finally {
    process.argv.pop()
    printed.mockRestore()
  }
})

test('a file that is not there is called by its option, and its name is not repeated', async () => {
  using folder = temporaryFolder()
  const [there, missing] = ['there', 'missing'].map((name) => join(folder.path, name)) as [string, string]
  const log = formatVerifierKey('log.example/log/registry', (await aSigner('log.example/log/registry')).publicKey)
  writeFileSync(there, `log ${log}\nquorum none\n`)
  const url = 'http://127.0.0.1:9'
  for (const [name, words, which] of [
    ['verify', [missing, '--policy', there], 'to verify'],
    ['verify', [missing, there, '--policy', there], 'to verify'],
    ['verify', [there, '--policy', missing], 'of --policy'],
    ['verify', [there, '--policy', there, '--since', missing], 'of --since'],
    ['verify', [there, '--policy', there, '--rails', missing], 'of --rails'],
    ['verify', [there, '--policy', there, '--lines', missing], 'of --lines'],
    ['monitor', [url, '--policy', missing], 'of --policy'],
    ['monitor', [url, '--policy', there, '--charts', missing], 'of --charts'],
    ['monitor', [url, '--policy', there, '--answer', missing], 'of --answer'],
    ['mirror', [url, join(folder.path, 'mirror'), '--policy', missing], 'of --policy'],
  ] as const) {
    const message = `the file ${which} does not exist or cannot be read`
    const failed = await failureOf(name, words, join(folder.path, 'data'))
    expect([name, words, failed]).toEqual([name, words, [2, { error: { code: 'usage', message } }]])
  }
})

test('a port that is in use is named, with what to type, also to a witness', async () => {
  using folder = temporaryFolder()
  using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  const { witness } = await import('../../tools/witness/command.ts')
  const printed = spyOn(console, 'log').mockImplementation(() => undefined)
  const run = (...words: string[]) => witness.run([...words, '--dir', join(folder.path, 'witness')], readConfig({}))
  await run('init', '--name', 'witness.example/w')
  printed.mockRestore()
  const log = formatVerifierKey('log.example/log/registry', (await aSigner('log.example/log/registry')).publicKey)
  const { port } = taken
  expect(run('serve', '--log', log, '--port', String(port))).rejects.toThrow(
    `port ${port} is in use: stop what listens there, or choose another one with --port ${port + 1}`,
  )
})

test('where the port of the metrics is in use, the service ends, and its setting is named', async () => {
  using folder = temporaryFolder()
  using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  const env = { DATA_DIR: join(folder.path, 'data'), PORT: '0', ADMIN_PORT: String(taken.port) }
  expect((await atr(['init'], env)).code).toBe(0)
  const next = `ADMIN_PORT=${taken.port + 1}`
  expect(await atr(['serve'], env)).toEqual({
    code: 3,
    out: '',
    err: `atr: port ${taken.port} is in use: stop what listens there, or choose another one with ${next}\n`,
  })
})

test('npm runs a script in its own folder, but files are named from where the user stands', async () => {
  using folder = temporaryFolder()
  const path = realpathSync(folder.path)
  const npmAtr = async (...words: string[]): Promise<[number, string]> => {
    const child = spawn(['npm', 'run', '-s', '--prefix', ROOT, 'atr', '--', ...words], {
      cwd: path,
      env: { ...process.env, DATA_DIR: './mine', ...inFiles('the files of a store are looked for') },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    return [await child.exited, await new Response(child.stderr).text()]
  }
  expect(await npmAtr('init')).toEqual([0, ''])
  expect(await npmAtr('backup', 'copy.db')).toEqual([0, ''])
  expect(['mine/registry.db', 'copy.db'].map((file) => existsSync(join(path, file)))).toEqual([true, true])
})

test('without a setting the store stays in the folder of the checkout, wherever npm was called', () => {
  using folder = temporaryFolder()
  const path = realpathSync(folder.path)
  const script = { INIT_CWD: path, npm_package_json: join(ROOT, 'package.json'), npm_lifecycle_event: 'atr' }
  const stood = process.cwd()
  const standing = (environment: Record<string, string | undefined>): string => {
    process.chdir(ROOT)
    enterUserFolder(environment)
    const now = process.cwd()
    process.chdir(stood)
    return now
  }
  const unset: Record<string, string | undefined> = { ...script }
  expect([standing(unset), unset['DATA_DIR']]).toEqual([path, join(ROOT, 'data')])
  const set: Record<string, string | undefined> = { ...script, DATA_DIR: './mine', RELEASES: 's3://bucket/releases' }
  expect([standing(set), set['DATA_DIR'], set['RELEASES']]).toEqual([path, './mine', 's3://bucket/releases'])
  // A script of another package that runs `atr` is where it wants to be, and so are the tests of this one.
  expect(standing({ ...script, npm_package_json: join(path, 'package.json') })).toBe(ROOT)
  expect(standing({ ...script, npm_lifecycle_event: 'test' })).toBe(ROOT)
})

import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, type Help, nearest, UsageFault } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { helpFor, widthOf } from '../../src/cli/help.ts'
import { ConfigFault } from '../../src/config.ts'
import { StoreFault } from '../../src/db/db.ts'
import { refusalOf } from '../../src/operation.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { PublisherSite } from '../support/publisher-site.ts'
import { ATR, atr } from '../support/service.ts'

const NAMES = Object.keys(COMMANDS)
const commands = Object.fromEntries(
  await Promise.all(NAMES.map(async (name) => [name, await (COMMANDS[name] as () => Promise<Command>)()] as const)),
)
/** Each command without actions, and each action of the others. */
const HELPS = NAMES.flatMap((name): [string, Help][] => {
  const { actions, ...command } = commands[name] as Command
  return actions
    ? Object.entries(actions).map(([action, help]) => [`${name} ${action}`, help])
    : [[name, command as Help]]
})

test.each(HELPS)(
  'atr help %s says how it is used, what its options mean, and shows an example',
  async (words, help) => {
    const text = await helpFor(words.split(' '), 80)
    expect(help.usage.startsWith(words)).toBe(true)
    for (const [option, meaning] of help.options ?? []) {
      expect(text).toContain(option)
      expect(meaning.length).toBeGreaterThan(3)
    }
    // What the usage names is explained, but for the parts of a question, which stand under --cpt.
    const named = [...help.usage.matchAll(/--[a-z-]+/g)].map(([option]) => option)
    const explained = (help.options ?? []).map(([option]) => option.split(' ')[0])
    const parts = ['--region', '--npi', '--modifier', '--setting', '--basis']
    expect(named.filter((option) => !explained.includes(option) && !parts.includes(option))).toEqual([])
    expect(help.examples?.length ?? 0).toBeGreaterThan(0)
    for (const [example] of help.examples ?? []) expect(example.startsWith(words)).toBe(true)
  },
)

test.each([40, 60, 80, 100])('every help fits a terminal of %d columns', async (width) => {
  const texts = await Promise.all(
    [[], ...NAMES.map((name) => [name]), ...HELPS.map(([words]) => words.split(' '))].map((words) =>
      helpFor(words, width),
    ),
  )
  const lines = texts.flatMap((text) => text.split('\n'))
  // An address cannot be broken: it has a line for itself.
  expect(lines.filter((line) => line.length > width && !/^ *'https:[^ ]* \\$/.test(line))).toEqual([])
})

test('the width is that of COLUMNS, else of the terminal, else 80', () => {
  expect([widthOf('40', 120), widthOf(undefined, 72), widthOf(undefined, undefined)]).toEqual([40, 72, 80])
  expect([widthOf('', 90), widthOf('wide', undefined), widthOf('0', undefined), widthOf('5', 80)]).toEqual([
    90, 80, 80, 30,
  ])
})

let app: TestApp
let server: ReturnType<typeof Bun.serve>
/** A publisher without pages. */
let publisher: PublisherSite
const stood = process.cwd()

beforeAll(async () => {
  app = await testApp({ today: new Date().toISOString().slice(0, 10) })
  await app.publish(aRelease({ rows: [aPrice({ code: '99213' })] }))
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => app.app.fetch(request, '192.0.2.1') })
  const folder = mkdtempSync(join(realpathSync(app.folder.path), 'user-'))
  writeFileSync(join(folder, 'policy.txt'), await (await app.request('/log/policy')).text())
  const answer = await app.request('/reference?cpt=99213&as_of=2026-11-15')
  writeFileSync(join(folder, 'answer.json'), await answer.text())
  writeFileSync(join(folder, 'rows.parquet'), 'PAR1')
  writeFileSync(join(folder, 'row.json'), '{}')
  mkdirSync(join(folder, 'price-lists'))
  writeFileSync(join(folder, 'statement.csv'), 'Code,Billed,Day\n99213,5.00,2026-11-15')
  mkdirSync(join(folder, 'papers'))
  mkdirSync(join(folder, 'downloads'))
  publisher = new PublisherSite(app.clock)
  const { charts, ...table } = publisher.table
  // One chart: a program waits a second between two requests to a host.
  writeFileSync(join(folder, 'publishers.json'), JSON.stringify({ ...table, charts: { 'cms-pfs': charts['cms-pfs'] } }))
  process.chdir(folder)
})

afterAll(async () => {
  process.chdir(stood)
  await server.stop(true)
  await publisher[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** Nothing listens there. */
const AWAY = 'postgres://atr@127.0.0.1:1/registry'

/** As a shell would split it. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, word]) => single ?? double ?? word ?? '')

const EXAMPLES = HELPS.flatMap(([, { examples = [] }]) => examples.map(([line]) => line))

/** These run until they are stopped, or talk on standard input: the next test is about them. */
const LASTING = ['serve', 'serve --demo', 'mcp', 'monitor https://registry.example --policy policy.txt --every 10m']

const isLoad = (line: string): boolean => line.startsWith('load ')

test.each(EXAMPLES.filter((line) => !LASTING.includes(line) && !isLoad(line)))(
  'the example `atr %s` is one that works',
  async (line) => {
    const [name = '', ...args] = wordsOf(
      line
        .replaceAll('https://registry.example', `http://127.0.0.1:${server.port}`)
        .replace('postgres://atr@db/registry', AWAY)
        .replace('~/', `${process.cwd()}/`),
    )
    const printed = [spyOn(console, 'log'), spyOn(console, 'error')].map((spy) =>
      spy.mockImplementation(() => undefined),
    )
    const stopping = line.startsWith('witness serve') && setInterval(() => process.emit('SIGINT'), 50)
    try {
      // A store is moved to the engine that it is not on.
      const database = line === 'migrate --to ./data' ? AWAY : undefined
      const here = { ...app.config, PUBLISHERS: 'publishers.json' }
      const config = name === 'migrate' ? { ...here, DATABASE_URL: database } : here
      await (commands[name] as Command).run(args, config)
    } catch (error) {
      // What it names is not here: there is no such release, key or file. But every word of it was understood.
      const isUnderstood = refusalOf(error) !== undefined || error instanceof StoreFault || error instanceof ConfigFault
      if (!isUnderstood || error instanceof UsageFault) throw error
    } finally {
      for (const spy of printed) spy.mockRestore()
      if (stopping) clearInterval(stopping)
    }
  },
)

test.each(EXAMPLES.filter(isLoad))('the example `atr %s`, in a process of its own, is one that works', async (line) => {
  const env = { ...process.env, DATA_DIR: app.config.DATA_DIR, DATABASE_URL: app.config.DATABASE_URL }
  const child = Bun.spawn([...ATR, ...wordsOf(line)], { env, stdout: 'ignore', stderr: 'pipe' })
  const err = await new Response(child.stderr).text()
  expect([await child.exited, err]).toEqual([
    1,
    expect.stringMatching(/^refused: source_unreadable: .*(not exist|no such)/),
  ])
})

test('the examples of what runs until it is stopped are understood', async () => {
  const nowhere = { DATA_DIR: join(app.folder.path, 'none'), HOST: '127.0.0.1', PORT: String(server.port) }
  expect((await atr(['serve'], nowhere)).err).toContain('there is no registry store here')
  expect((await atr(['serve', '--demo'], nowhere)).err).toContain(`port ${server.port} is in use`)
  expect(await atr(['mcp'], { ATR_BASE_URL: 'http://127.0.0.1:1' })).toEqual({ code: 0, out: '', err: '' })
  expect(EXAMPLES).toContain(LASTING[3] as string)
})

test('help is found however it is asked for, and a slip of the hand is guessed', async () => {
  const said = async (...words: string[]) => {
    const { code, out, err } = await atr(words, { COLUMNS: '50' })
    return { code, text: out + err }
  }
  const publish = { code: 0, text: `${await helpFor(['release', 'publish'], 50)}\n` }
  expect(publish.text).toContain('atr release publish ID')
  expect(publish.text).not.toContain('atr release list')
  expect(await said('help', 'release', 'publish')).toEqual(publish)
  expect(await said('release', 'publish', 'x', '--help')).toEqual(publish)
  expect((await said()).code).toBe(2)
  expect(await said('lod')).toEqual({
    code: 2,
    text: 'atr: there is no such command: did you mean `atr load`? `atr help` lists them all\n',
  })
  expect(helpFor(['relaese'], 80)).rejects.toThrow('did you mean `atr release`?')
  expect((await said('release', 'pubilsh', 'x')).text).toContain('did you mean `atr release publish`?')
  expect((await said('keys', 'create', '--nam', 'x')).text).toBe(
    'atr: the options of this command are not valid: check --nam. Did you mean --name? See `atr help keys`\n',
  )
  expect((commands['load'] as Command).run(['cms-psf', 'x.csv'], app.config)).rejects.toThrow('did you mean cms-pfs?')
})

test('a word is guessed only where it is near', () => {
  expect(nearest('bakcup', NAMES)).toBe('backup')
  expect(nearest('stat', NAMES)).toBe('status')
  expect(nearest('sing', NAMES)).toBeUndefined()
  expect(nearest('x', NAMES)).toBeUndefined()
})

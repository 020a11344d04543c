import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { ARROWS } from '../support/arrows.ts'
import { files, imports, loadedWith, own, partOf, ROOT, sources, text } from '../support/imports.ts'

test('imports go one way', () => {
  const wrong = own.filter(({ from, to }) => {
    const [here, there] = [partOf(from), partOf(to)]
    return here !== there && !ARROWS[here]?.includes(there)
  })
  expect(wrong).toEqual([])
  expect(sources.map(partOf).filter((part) => !(part in ARROWS))).toEqual([])
})

test('a witness needs nothing of the registry but how keys are written', () => {
  const used = own.filter(({ from, to }) => from.startsWith('tools/witness/') && partOf(to) === 'integrity')
  expect([...new Set(used.map(({ to }) => to))]).toEqual(['integrity/log-key.ts'])
})

test('a monitor needs nothing of the service but the proofs, the way out, and how a file is replaced', () => {
  const isMonitor = (file: string): boolean => /^tools\/monitor\/(?!command|rounds|sources)/.test(file)
  const used = own.filter(({ from, to }) => isMonitor(from) && !['proof', 'tools'].includes(partOf(to)))
  expect([...new Set(used.map(({ to }) => to))].sort()).toEqual(['db/replace-file.ts', 'outgoing/outgoing.ts'])
})

test('proof/ imports nothing but the tables, of ours or of anyone\u2019s, and tables/ nothing but their files', () => {
  expect(imports.filter(({ from, to }) => partOf(from) === 'proof' && !/^(proof|tables)\//.test(to))).toEqual([])
  const isTable = (to: string): boolean => /^\.\.\/docs\/spec\/tables\/[a-z-]+\.json$/.test(to)
  expect(
    imports.filter(({ from, to }) => isTable(to) !== (partOf(from) === 'tables' && !/^tables\//.test(to))),
  ).toEqual([])
  for (const file of sources.filter((each) => ['proof', 'tables'].includes(partOf(each))))
    expect([file, /\b(require|import)\(|(?<!Array)Buffer\b/.test(text(file))]).toEqual([file, false])
})

test('frameworks, drivers and the environment stay where they belong', () => {
  const allowed: [RegExp, RegExp][] = [
    [/^hono/, /^surfaces\//],
    [/^bun(:sqlite)?$/, /^db\//],
    [/^(@modelcontextprotocol|@a2a-js)/, /^surfaces\//],
  ]
  const listens = sources.filter((file) => /\bBun\.(listen|serve)\b/.test(text(file)) && !file.endsWith('fixture.ts'))
  expect(listens).toEqual(['listen.ts'])
  for (const [what, where] of allowed)
    expect(imports.filter(({ from, to }) => what.test(to) && !where.test(from))).toEqual([])
  expect(sources.filter((file) => /\bBun\.SQL\b/.test(text(file)) && partOf(file) !== 'db')).toEqual([])
  const readsEnvironment = sources.filter((file) => /process\.env/.test(text(file)))
  expect(readsEnvironment.filter((file) => !/^(config\.ts|main\.ts|cli\/|tools\/\w+\/command\.ts)/.test(file))).toEqual(
    [],
  )
})

test('a service is not kept from its start by what it may never need', () => {
  const later = [
    /^(ingest|tools|client|db\/postgres|proof\/(export|whole)|registry\/export|surfaces\/browser)\//,
    /^(hono|jose|@modelcontextprotocol)\b|^node:(https?|dns)$|\.tsx$/,
    /^(figures\/release|proof\/verify-lists|surfaces\/a2a\/answer|surfaces\/discovery\/openapi|integrity\/verification\/verifier)\.ts$/,
    /^registry\/release\/(check|fsck|publish|rederive|staging)\.ts$/,
  ]
  const loaded = [...loadedWith('cli/atr.ts'), ...loadedWith('cli/serve.ts')]
  expect(loaded).toContain('registry/operations.ts')
  expect(loaded.filter((file) => later.some((kind) => kind.test(file)))).toEqual([])
  const commands = sources.filter((file) => /^cli\/(?!atr|command|user-folder|interruption)/.test(file))
  expect(commands.filter((file) => loadedWith('cli/atr.ts').has(file))).toEqual([])
})

/**
 * The client is a library for others, and the bridge of MCP sends what it is told to the service that it was given. What
 * runs in a browser asks the site that it came from.
 */
const GOES_OUT = /^(outgoing\/|client\/|surfaces\/browser\/|main\.ts|cli\/mcp\.ts)|fixture\.ts$/

test('one file alone goes out to other hosts', () => {
  const goesOut = /(?<![.\w])fetch\(|(from |import\()'node:(https?|dns|tls)'/
  expect(sources.filter((file) => goesOut.test(text(file)) && !GOES_OUT.test(file))).toEqual([])
})

test('SQL stands in stores and in db/ only', () => {
  const sql = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b[\s\S]{0,200}\b(FROM|VALUES|SET|WHERE)\b/
  const elsewhere = sources.filter((file) => !/(^|-|\/)store\.ts$|^db\//.test(file) && sql.test(text(file)))
  expect(elsewhere).toEqual([])
})

/** They speak HTTP themselves: the listening process, the client, a witness and its client, a monitor, readers of answers, and what goes out. */
const SPEAKS_HTTP =
  /^(surfaces\/|outgoing\/|client\/|citations\/look\.ts|fetch\/|main\.ts|status\.ts|listen\.ts|tools\/(monitor\/|witness\/serve\.ts)|integrity\/witness-client\.ts|proof\/(verify\.ts|list\/)|cli\/)/
const ANSWER_HEADERS =
  'allow|cache-control|content-type|etag|link|location|ratelimit|ratelimit-policy|retry-after|vary|www-authenticate'

test('headers, statuses and links of answers are made by the surfaces alone', () => {
  const behind = sources.filter((file) => !SPEAKS_HTTP.test(file))
  const header = new RegExp(`(['"\`])(${ANSWER_HEADERS})\\1|^\\s*(${ANSWER_HEADERS}):`, 'im')
  const status = /\bstatus(Code)?\b['"]?\s*[:=]+[^,;\n]*\b[1-5][0-9]{2}\b/i
  const link = /\brel="|\?\$\{|new URLSearchParams/
  for (const [what, allowed] of [
    [header, []],
    [status, []],
    [link, ['paging.ts']],
  ] as const)
    expect(behind.filter((file) => what.test(text(file)) && !allowed.some((each) => each === file))).toEqual([])
})

test('db/ imports nothing of ours', () => {
  expect(own.filter(({ from, to }) => partOf(from) === 'db' && partOf(to) !== 'db')).toEqual([])
})

test('folders are at most three deep, and no file is called index, utils or types', () => {
  expect(sources.filter((file) => file.split('/').length > 3)).toEqual([])
  expect(sources.filter((file) => /(^|\/)(index|utils|types|helpers?)\.ts$/.test(file))).toEqual([])
})

test('a lookup goes from route to SQL in four clicks', () => {
  const chain = ['registry/operations.ts', 'registry/lookup/find.ts', 'registry/store.ts', 'db/db.ts']
  for (let i = 0; i + 1 < chain.length; i++)
    expect(own).toContainEqual({ from: chain[i] as string, to: chain[i + 1] as string })
})

test('nothing is left undone in the code', () => {
  const marks = new RegExp(
    ['TO' + 'DO', 'FIX' + 'ME', '@ts-' + 'ignore', '@ts-' + 'expect-error', 'biome-' + 'ignore'].join('|'),
  )
  expect(files.filter((file) => marks.test(text(file)))).toEqual([])
})

test('only the command line and the process itself print', () => {
  const printing = sources.filter((file) => /\bconsole\.\w+\(/.test(text(file)))
  expect(printing.filter((file) => !/^(main\.ts|cli\/|tools\/\w+\/(command|rounds)\.ts)/.test(file))).toEqual([])
})

/** A machine may be taken away for a second or two, and CI is no worse for it: what computes is held to processor time. */
const LEAST_CLOCK_LIMIT_MS = 5_000

test('no test fails because the machine stood still for a moment', () => {
  const limits = (name: string): string[] =>
    [...readFileSync(name, 'utf8').matchAll(/performance\.now\(\) - \w+\)\.toBeLessThan\(([0-9_]+)\)/g)]
      .filter(([, limit = '']) => Number(limit.replaceAll('_', '')) < LEAST_CLOCK_LIMIT_MS)
      .map(([found]) => `${name}: ${found}`)
  const tests = ['src', 'tools', 'test'].flatMap((folder) => [...new Glob(`${folder}/**/*.test.ts`).scanSync(ROOT)])
  expect(tests.length).toBeGreaterThan(300)
  expect(tests.flatMap((name) => limits(join(ROOT, name)))).toEqual([])
})

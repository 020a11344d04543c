import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOMS } from '../support/arrows.ts'
import { addressesOf, BESIDE_API, pagesBesideApi } from '../support/crawl.ts'
import { testApp } from '../support/harness.ts'
import { findCircle, own, partOf, ROOT, roomOf, sources, text } from '../support/imports.ts'
import { repeats } from '../support/repeats.ts'

const FEWEST_EQUAL_LINES = 12

const isRoom = (folder: string): boolean => folder.includes('/')

test('rooms of a part use each other one way', () => {
  const wrong = own.filter(({ from, to }) => {
    const [here, there] = [roomOf(from), roomOf(to)]
    return (
      partOf(from) === partOf(to) && here !== there && isRoom(here) && isRoom(there) && !ROOMS[here]?.includes(there)
    )
  })
  expect(wrong).toEqual([])
  expect([...new Set(sources.map(roomOf).filter(isRoom))].sort()).toEqual(Object.keys(ROOMS).sort())
})

test('no file imports itself by way of others', () => {
  expect(findCircle(own)).toBeUndefined()
  const circle = [
    { from: 'a.ts', to: 'b.ts' },
    { from: 'b.ts', to: 'c.ts' },
    { from: 'c.ts', to: 'b.ts' },
  ]
  expect(findCircle(circle)).toEqual(['b.ts', 'c.ts', 'b.ts'])
})

test('the disclosure rule needs nothing but itself', () => {
  const rule = (file: string): boolean => roomOf(file) === 'figures/rule'
  expect(own.filter(({ from, to }) => rule(from) && !rule(to))).toEqual([])
  const impure = /\b(Date\.now|Math\.random|node:|process\.|new Date\(\))/
  expect(sources.filter((file) => rule(file) && impure.test(text(file)))).toEqual([])
})

test('files/ reads formats and knows no price', () => {
  const used = own.filter(({ from, to }) => partOf(from) === 'files' && partOf(to) !== 'files')
  expect([...new Set(used.map(({ to }) => to))]).toEqual(['problem.ts'])
  const withoutWords = (file: string): string => text(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, '')
  const priced = /cpt|npi|price|medicare|hospital/i
  expect(sources.filter((file) => partOf(file) === 'files' && priced.test(withoutWords(file)))).toEqual([])
})

test('nothing is written twice', () => {
  const written = sources.map((file) => ({ file, text: text(file) }))
  expect(repeats(written, FEWEST_EQUAL_LINES)).toEqual([])
})

test('a repeat is found whatever its spaces, and not where only imports and brackets are alike', () => {
  const body = Array.from({ length: 5 }, (_, i) => `call(${i})`)
  const one = { file: 'one.ts', text: ['first()', ...body].join('\n') }
  const other = { file: 'other.ts', text: ['', ...body.map((line) => `   ${line}\n}`), 'last()'].join('\n') }
  expect(repeats([one, other], 5)).toEqual([{ one: 'one.ts:2', other: 'other.ts:2', lines: 5 }])
  expect(repeats([one, other], 6)).toEqual([])
  const importing = { file: 'a.ts', text: `import {\n  a,\n  b,\n} from './a.ts'\n  }\n)\n`.repeat(3) }
  expect(repeats([importing, { ...importing, file: 'b.ts' }], 2)).toEqual([])
  expect(repeats([{ file: 'a.ts', text: 'same()\n'.repeat(9) }], 6)).toEqual([])
})

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

test('every operation has a line in the list of endpoints and a place in the specifications', async () => {
  await using app = await testApp()
  const table = read('docs/endpoints.md')
    .split('\n')
    .filter((line) => /^\| (GET|POST) /.test(line))
  const specifications = readdirSync(join(ROOT, 'docs/spec'))
    .filter((file) => /\.(md|yaml)$/.test(file))
    .map((file) => read(`docs/spec/${file}`))
    .join('\n')
  const routes = app.app.operations.map(({ http }) => http)
  const unlisted = routes.filter(
    ({ method, path }) => !table.some((line) => line.startsWith(`| ${method} `) && line.includes(`\`${path}\``)),
  )
  expect(unlisted).toEqual([])
  expect(routes.filter(({ path }) => !specifications.includes(path))).toEqual([])
})

test('hostile text is looked for on every path that answers GET', async () => {
  await using app = await testApp()
  const { operations, resources } = app.app
  const paths = [
    ...operations.filter(({ http }) => http.method === 'GET').map(({ http }) => http.path),
    ...resources.map(({ path }) => path),
  ]
  const { paths: described } = (await app.getJson('/api/openapi.json')) as { paths: Record<string, object> }
  const known = { releases: ['a:b:1', 'a:c:1'], codes: ['G0101'], npis: ['1234567893'], rails: {} }
  const isAsked = (path: string): boolean => 'get' in (described[path] ?? {}) && !!addressesOf(path, known)?.length
  const beside = [
    ...BESIDE_API,
    ...Object.keys(pagesBesideApi(known)),
    '/assets/css/{file}',
    '/assets/js/{file}',
    '/assets/map/{file}',
    '/releases/{file}',
  ]
  const unvisited = paths.filter((path) => !isAsked(path) && !beside.includes(path))
  expect(unvisited).toEqual([])
})

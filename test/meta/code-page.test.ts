import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ARROWS, ROOMS } from '../support/arrows.ts'
import { testApp } from '../support/harness.ts'
import { ROOT, text } from '../support/imports.ts'

const PAGE = readFileSync(join(ROOT, 'docs/code.md'), 'utf8')

test('the page of the code shows every route, its operation and its file', async () => {
  await using app = await testApp()
  const shown = [...PAGE.matchAll(/^\| ([A-Z]+) \| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
    ([, method = '', path = '', name = '', file = '']) => ({ method, path, name, file }),
  )
  const routes = app.app.routes.map(({ method, path }) => `${method} ${path}`)
  expect(shown.map(({ method, path }) => `${method} ${path}`)).toEqual(routes)

  const { operations, resources, mounts } = app.app
  const names = new Map<string, string>([
    ...operations.map(({ http, name }) => [`${http.method} ${http.path}`, name] as const),
    ...resources.map(({ path, name }) => [`GET ${path}`, name] as const),
    ...mounts.map(({ path, name }) => [`POST ${path}`, name] as const),
  ])
  expect(shown.filter(({ method, path, name }) => names.get(`${method} ${path}`) !== name)).toEqual([])
  // The names of a log's own routes are made from the name of the log.
  const isMadeIn = (name: string, file: string): boolean =>
    [`'${name}'`, `\`${name.replace(/registry|figures/, () => `$\{name}`)}\``].some((each) =>
      text(file).includes(`name: ${each}`),
    )
  expect(shown.filter(({ name, file }) => !isMadeIn(name, file))).toEqual([])
})

test('the page of the code shows the import arrows that are checked', () => {
  const lines = PAGE.replaceAll(/,\n +/g, ', ').matchAll(/^([a-z][a-z0-9/-]*) +-> (.+)$/gm)
  const shown = Object.fromEntries([...lines].map(([, from = '', to = '']) => [from, to]))
  const bare = (part: string): string => part.replace(/\.ts$/, '')
  const checked = Object.entries({ ...ARROWS, ...ROOMS }).map(([from, to]) => [
    bare(from),
    to.length === 0 ? 'nothing' : to.map(bare).join(', '),
  ])
  expect(shown).toEqual(Object.fromEntries(checked))
})

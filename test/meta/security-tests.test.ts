import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..', '..')

/** The rows of the tables of the page: point, test, before, after. */
const rows = readFileSync(join(ROOT, 'docs', 'security-tests.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Point |'))
  .map((line) => line.slice(2, -2).split(' | '))

test('every security test that is named on its page exists, with before and after', () => {
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) {
    expect([row[0], row.length]).toEqual([row[0] ?? '', 4])
    const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(row[1] ?? '') ?? []
    expect([row[0], file, existsSync(join(ROOT, file))]).toEqual([row[0] ?? '', file, file !== ''])
    const text = readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'")
    const quoted = ["'", '"', '`'].some((mark) => text.includes(`${mark}${name}${mark}`))
    expect([file, name, quoted]).toEqual([file, name, true])
  }
})

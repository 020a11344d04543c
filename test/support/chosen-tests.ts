import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { Glob } from 'bun'

/** The name of a test or of a group: `test('a sentence'`, and `test.each([...])('a sentence'`. */
const NAME = /(?:\b(?:describe|test)\w*(?:\.\w+)*|\))\(\s*(['"`])((?:(?!\1)[^\\]|\\.)+)\1/g

const testFiles = (): string[] =>
  readdirSync('.', { withFileTypes: true })
    .flatMap((entry) => {
      if (!entry.isDirectory()) return entry.name.endsWith('.test.ts') ? [entry.name] : []
      if (entry.name === 'node_modules' || entry.name.startsWith('.')) return []
      return [...new Glob(`${entry.name}/**/*.test.ts`).scanSync()].filter((path) => !path.includes('node_modules/'))
    })
    .sort()

const wordsIn = (path: string): string =>
  [path, ...Array.from(readFileSync(path, 'utf8').matchAll(NAME), ([, , name]) => name)].join('\n').toLowerCase()

/** A path, or a part of one. */
const isPath = (word: string): boolean => word.includes('/') || word.endsWith('.ts') || existsSync(word)

/** The test files at the paths among these words, and those whose path and names of tests have every other word. */
export function chosenTests(given: readonly string[]): string[] {
  const paths = given.filter(isPath).map((path) => path.replace(/^\.\//, ''))
  const words = given.filter((word) => !isPath(word)).map((word) => word.toLowerCase())
  const isAt = (file: string, path: string): boolean =>
    existsSync(path) && statSync(path).isDirectory() ? file.startsWith(path.replace(/\/*$/, '/')) : file.includes(path)
  const matches = (file: string): boolean => {
    const text = wordsIn(file)
    return words.every((word) => text.includes(word))
  }
  return testFiles().filter((file) => paths.some((path) => isAt(file, path)) || (words.length > 0 && matches(file)))
}

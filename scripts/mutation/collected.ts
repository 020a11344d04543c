// Stands in for `bun:test` in files of tests: keeps the tests, so that each can be run many times.

import { expect, mock, setSystemTime, spyOn } from 'bun:test'

export { expect, mock, setSystemTime, spyOn }

type Work = () => unknown

interface File {
  before: Work[]
  after: Work[]
  isReady: boolean
}

export interface CollectedTest {
  name: string
  file: File
  run: Work
}

export const collected: CollectedTest[] = []
let file: File = { before: [], after: [], isReady: false }
let prefix = ''

export function beginFile(name: string): void {
  file = { before: [], after: [], isReady: false }
  prefix = `${name}: `
}

const ignore = (): void => {}

const add = (name: string, run: Work): void => {
  collected.push({ name: prefix + name, file, run })
}

/** One test for each row; what is said of it is numbered. */
const each =
  (table: readonly unknown[], register: (name: string, run: Work) => void) =>
  (name: string, run: (...row: unknown[]) => unknown): void => {
    for (const [i, row] of table.entries())
      register(`${name} (${i + 1})`, () => (Array.isArray(row) ? run(...row) : run(row)))
  }

const within = (name: string, work: Work): void => {
  const outside = prefix
  prefix = `${outside}${name} `
  work()
  prefix = outside
}

export const test = Object.assign(add, {
  each: (table: readonly unknown[]) => each(table, add),
  skip: ignore,
  if: (wanted: boolean) => (wanted ? add : ignore),
  skipIf: (unwanted: boolean) => (unwanted ? ignore : add),
})
export const describe = Object.assign(within, {
  each: (table: readonly unknown[]) => each(table, within),
  skip: ignore,
  skipIf: (unwanted: boolean) => (unwanted ? ignore : within),
})
export const beforeAll = (work: Work): void => void file.before.push(work)
export const afterAll = (work: Work): void => void file.after.push(work)
export const setDefaultTimeout = ignore

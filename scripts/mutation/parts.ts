// What is changed, and which tests should notice.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface Part {
  /** Files, or folders without those below them. */
  code: readonly string[]
  /** Files of tests, or folders with all below them. */
  tests: readonly string[]
}

export const PARTS: Record<string, Part> = {
  limiter: {
    code: ['src/rails/limit'],
    tests: ['src/rails/limit'],
  },
  rails: {
    code: ['src/rails', 'src/rails/oauth'],
    tests: ['src/rails', 'test/stories/oauth.story.test.ts', 'test/stories/signed-requests.story.test.ts'],
  },
  rule: {
    code: ['src/figures/rule'],
    tests: ['src/figures/rule', 'src/figures/provider.test.ts', 'src/figures/gate.test.ts', 'src/figures/window'],
  },
  proof: {
    code: [
      'src/proof',
      'src/proof/tree',
      'src/proof/note',
      'src/proof/price',
      'src/proof/lookup',
      'src/proof/list',
      'src/proof/catalogue',
      'src/proof/replay',
      'src/proof/whole',
      'src/proof/export',
    ],
    tests: ['src/proof', 'test/meta/vectors.test.ts', 'test/attack/known-lies.test.ts'],
  },
}

const isTest = (name: string): boolean => name.endsWith('.test.ts')
const isCode = (name: string): boolean => name.endsWith('.ts') && !isTest(name) && !name.endsWith('fixture.ts')

export const codeOf = (root: string, { code }: Part): string[] =>
  code.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter(isCode)
      .sort()
      .map((name) => join(folder, name)),
  )

export const testsOf = (root: string, { tests }: Part): string[] =>
  tests.flatMap((path) =>
    isTest(path)
      ? [path]
      : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
          .filter(isTest)
          .sort()
          .map((name) => join(path, name)),
  )

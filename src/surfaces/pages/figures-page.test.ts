import { expect, test } from 'bun:test'
import { figuresAnswer, rendered } from '../discovery/fixture.ts'
import type { FiguresAnswer } from '../site/figure-words.ts'
import { frameOf } from '../site/frame.ts'
import { figuresPage } from './figures-page.ts'

const bothOf = async (facts: Partial<FiguresAnswer>): Promise<string[]> => {
  const body = { ...figuresAnswer(), cases_floor10: 1720, settlements_floor10: 310, ...facts }
  const ask = async () => ({ status: 200, body, text: JSON.stringify(body) })
  const page = figuresPage({ frame: frameOf(), ask, baseUrl: () => 'https://trust.example', stamp: () => undefined })
  // In markdown some characters of the same words are escaped.
  return [await rendered(page, 'text/html'), (await rendered(page, 'text/markdown')).replaceAll('\\', '')]
}

test('a count with noise is about so many with its error, and only an exact one is a lower bound', async () => {
  for (const text of await bothOf({ counts_standard_error: 13 })) {
    expect(text).toContain('About 1,720 cases (standard error 13). About 310 settlements (standard error 13).')
    expect(text).not.toMatch(/at least/i)
  }
  for (const text of await bothOf({ exact: true }))
    expect(text).toContain('At least 1,720 cases, rounded down to ten. At least 310 settlements')
  for (const text of await bothOf({ counts_standard_error: null, cases_floor10: null }))
    expect(text).toContain('The number of cases is withheld. About 310 settlements.')
})

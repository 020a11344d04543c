import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { negotiate } from './negotiation.ts'

const HTML = { type: 'text/html; charset=utf-8' }
const MARKDOWN = { type: 'text/markdown; charset=utf-8' }
const JSON_FORM = { type: 'application/json' }
const FORMS = [HTML, MARKDOWN, JSON_FORM]

test('of a header with thousands of parts the first ones are read: the rest would cost more than the answer', () => {
  expect(negotiate(FORMS, `application/json${',a/b'.repeat(3_000)}`)).toBe(JSON_FORM)
  expect(negotiate(FORMS, `${'a/b,'.repeat(3_000)}application/json`)).toBeUndefined()
  expect(negotiate(FORMS, `${'a/b,'.repeat(63)}application/json`)).toBe(JSON_FORM)
  expect(negotiate(FORMS, `application/json${';a=b'.repeat(3_000)};q=0`)).toBe(JSON_FORM)
})

const cases: [accept: string | null, form: (typeof FORMS)[number] | undefined, why: string][] = [
  [null, HTML, 'without an Accept header the default is given'],
  ['', HTML, 'an empty header says nothing'],
  ['   ', HTML, 'a blank header says nothing'],
  ['*/*', HTML, 'anything is the default'],
  ['text/html', HTML, 'parameters of our own type are not asked for'],
  ['TEXT/Markdown', MARKDOWN, 'types have no case'],
  ['application/json', JSON_FORM, 'an exact type is given'],
  ['application/*', JSON_FORM, 'a range of a kind is filled'],
  ['text/*', HTML, 'the first of a kind is preferred'],
  ['text/markdown, text/html', HTML, 'among equals ours comes first'],
  ['text/html;q=0.5, text/markdown', MARKDOWN, 'the higher quality wins'],
  ['text/html; q=0.5 , application/json ; q=0.9', JSON_FORM, 'spaces are allowed'],
  ['text/html;q=0.300,text/markdown;q=0.301', MARKDOWN, 'three places count'],
  ['*/*;q=0.1, text/markdown;q=0.2', MARKDOWN, 'an exact type above a wildcard'],
  ['text/*;q=0.9, text/html;q=0.1', MARKDOWN, 'the most exact range decides, not the highest'],
  ['text/html;q=0, */*', MARKDOWN, 'quality zero refuses a type'],
  ['text/*;q=0, */*;q=0.1', JSON_FORM, 'quality zero refuses a kind'],
  ['text/html;level=1', HTML, 'other parameters are passed over'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8', HTML, 'a browser gets the page'],
  ['image/png', undefined, 'nothing fits'],
  ['text/html;q=0', undefined, 'all that is named is refused'],
  ['*/*;q=0', undefined, 'everything is refused'],
  ['text/html;q=2', undefined, 'a quality above one cannot be read'],
  ['text/html;q=high, application/json;q=0.1', JSON_FORM, 'an unreadable part is left out'],
  ['text/html;q=0.1234, text/markdown', MARKDOWN, 'four places cannot be read'],
  ['html', undefined, 'a word is not a type'],
  ['*', undefined, 'a lone star is not a range'],
  [',,;;,', undefined, 'punctuation is not a range'],
  ['<script>/*, text/markdown;q=0.1', MARKDOWN, 'hostile text is left out'],
]

for (const [accept, form, why] of cases)
  test(`Accept ${accept === null ? 'left out' : `"${accept}"`}: ${why}`, () => {
    expect(negotiate(FORMS, accept)).toBe(form)
  })

test('whatever is sent, the answer is one of the forms or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (accept) => {
      const form = negotiate(FORMS, accept)
      expect(form === undefined || FORMS.includes(form)).toBe(true)
    }),
  )
})

test('the order of the parts of the header does not matter', () => {
  const part = fc.tuple(
    fc.constantFrom('text/html', 'text/markdown', 'application/json', 'text/*', 'application/*', '*/*'),
    fc.integer({ min: 0, max: 1000 }),
  )
  const parts = fc.uniqueArray(part, { minLength: 1, selector: ([type]) => type })
  fc.assert(
    fc.property(parts, (ranges) => {
      const header = (list: typeof ranges) => list.map(([type, q]) => `${type};q=${q / 1000}`).join(',')
      expect(negotiate(FORMS, header(ranges))).toBe(negotiate(FORMS, header(ranges.toReversed())))
    }),
  )
})

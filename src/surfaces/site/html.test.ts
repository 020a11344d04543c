import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { escaped, html, markdownCode, markdownText } from './html.ts'
import { DARK, LIGHT, type Palette } from './page-style.ts'

test('a value in a template cannot become markup', () => {
  expect(html`<p title="${'"><script>'}">${"<b>'&"}</p>`.markup).toBe(
    '<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;&#39;&amp;</p>',
  )
  expect(html`${html`<b>${'<'}</b>`}${[html`<i>1</i>`, html`<i>2</i>`]}${3}`.markup).toBe(
    '<b>&lt;</b><i>1</i><i>2</i>3',
  )
})

test('whatever the text, nothing of it opens or closes a tag or an attribute', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[<>"']/.test(escaped(text))))
})

test('a value in markdown stays on its line and opens nothing', () => {
  expect(markdownText('a\n# b [c](d) <e> `f` **g** | rails_token _h_')).toBe(
    'a \\# b \\[c\\](d) \\<e\\> \\`f\\` \\*\\*g\\*\\* \\| rails_token \\_h\\_',
  )
  expect(markdownCode('a`b\n|c')).toBe('`ab c`')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(markdownCode(text).slice(1, -1)).not.toMatch(/[`\n\r|]/)
      expect(markdownText(text).replaceAll(/\\./gs, '')).not.toMatch(/[`\n\r|<[*]/)
    }),
  )
})

/** WCAG 2.2, relative luminance and contrast ratio. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

test('every ink can be read on what it stands on, by day and by night', () => {
  const pairs: [keyof Palette, keyof Palette][] = [
    ['ink', 'paper'],
    ['ink', 'sheet'],
    ['muted', 'paper'],
    ['muted', 'sheet'],
    ['accent', 'paper'],
    ['accent', 'sheet'],
    ['on-accent', 'accent'],
    ['tag-ink', 'tag-paper'],
  ]
  for (const palette of [LIGHT, DARK])
    for (const [ink, ground] of pairs) expect(contrast(palette[ink], palette[ground])).toBeGreaterThanOrEqual(4.5)
})

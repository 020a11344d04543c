import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { escaped, markdownCode, markdownText } from './markup.ts'

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

type Palette = Record<string, string>

/** The colours of a block of the style sheet, by name. */
const palettes = (): Palette[] => {
  const css = readFileSync(join(import.meta.dir, 'base.css'), 'utf8')
  return [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, block = '']) =>
    Object.fromEntries([...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name, colour])),
  )
}

test('every ink can be read on what it stands on, by day and by night', () => {
  const [day, night] = palettes()
  expect(Object.keys(night ?? {}).sort()).toEqual(Object.keys(day ?? {}).sort())
  for (const palette of [day, night]) {
    const on = (ink: string, ground: string): number => contrast(palette?.[ink] ?? '', palette?.[ground] ?? '')
    for (const ink of ['ink', 'muted', 'accent', 'bad'])
      for (const ground of ['paper', 'sheet']) expect(on(ink, ground)).toBeGreaterThanOrEqual(4.5)
    expect(on('on-accent', 'accent')).toBeGreaterThanOrEqual(4.5)
    expect(on('tag-ink', 'tag-paper')).toBeGreaterThanOrEqual(4.5)
    expect(on('paper', 'bad')).toBeGreaterThanOrEqual(4.5)
  }
})

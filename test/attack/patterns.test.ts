// Every pattern of the program takes a time in proportion to the length of the text. One that does not is a way to stop a
// process with a few requests: a run of 64,000 dots once cost seven seconds.

import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { MOST_CHARACTERS, readText } from '../../src/surfaces/a2a/text.ts'
import { isLinear } from '../support/linear.ts'
import { isLong } from '../support/long.ts'

const ROOT = new URL('../../', import.meta.url).pathname
/** A literal of a pattern stands after one of these. */
const LITERAL =
  /(?<=(?:^|[(,=:[!&|?{};]|return|=>)\s{0,40})\/((?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]{0,6})(?![\w/`])/gm

interface Found {
  file: string
  pattern: RegExp
  source: string
}

async function patternsIn(folder: string): Promise<Found[]> {
  const found: Found[] = []
  for await (const name of new Glob('**/*.{ts,tsx}').scan(`${ROOT}${folder}`)) {
    if (/\.test\.|fixture/.test(name)) continue
    for (const [, source = '', flags = ''] of (await Bun.file(`${ROOT}${folder}/${name}`).text()).matchAll(LITERAL))
      if (!source.includes('${')) found.push({ file: `${folder}/${name}`, pattern: asOneLook(source, flags), source })
  }
  return found
}

/** Looks once. A global pattern would go on where the run before ended; a sticky one is put back by `look`. */
const asOneLook = (source: string, flags: string): RegExp => new RegExp(source, flags.replaceAll('g', ''))

function look(pattern: RegExp, text: string): void {
  pattern.lastIndex = 0
  pattern.test(text)
}

const USUAL = [' ', '.', '0', 'a', 'A', '-', ',', '\n', '=', ';', '"', '/']

/** Long runs of what the pattern names and of what is usual, alone and in pairs, with an end that does not fit. */
function hostileTexts(source: string, length: number): string[] {
  const named = source.replaceAll(/\\[a-zA-Z]|[\\^$.*+?()[\]{}|]/g, '')
  const letters = [...new Set([...named, ...USUAL])].slice(0, isLong ? 60 : 24)
  const few = [...new Set([...named.slice(0, 4), ' ', '0'])]
  const seeds = [...letters, ...few.flatMap((one) => few.map((other) => one + other))]
  return seeds.flatMap((seed) => {
    const run = seed.repeat(length / seed.length)
    return [`${run}\u0001`, `\u0001${run}\u0001`]
  })
}

const LENGTH = 16_384

const FOLDERS = ['src', 'tools']

describe('patterns', () => {
  test('the measure finds a pattern whose time grows with the square of the text', async () => {
    const slow = /[ ?.!]+$/
    expect(
      await isLinear(
        (text) => look(slow, text),
        (length) => hostileTexts(slow.source, length),
        LENGTH / 2,
      ),
    ).toBe(false)
  })

  test('every pattern of the program takes at most twice the time for twice the text', async () => {
    const found = (await Promise.all(FOLDERS.map(patternsIn))).flat()
    expect(found.length).toBeGreaterThan(400)
    const slow: string[] = []
    for (const { file, pattern, source } of found)
      if (
        !(await isLinear(
          (text) => look(pattern, text),
          (length) => hostileTexts(source, length),
          LENGTH,
        ))
      )
        slow.push(`${file}: ${source}`)
    expect(slow).toEqual([])
  })

  test('a text for the A2A door is read in a time in proportion to its length', async () => {
    const seeds = '. ! ? in 9 1,2 99213 in-x $1 OR, x1 Jan-1 at-the ( npi'.split(' ')
    const texts = (length: number): string[] => seeds.map((seed) => `${seed} `.repeat(length / (seed.length + 1)))
    expect(await isLinear(readText, texts, MOST_CHARACTERS)).toBe(true)
  })
})

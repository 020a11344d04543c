// What pages load is small, and the check in the page says of every vector what the command line says.

import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { browserModule } from '../../scripts/build.ts'
import { parsePolicy, type VerifyOptions } from '../../src/proof/verify-lists.ts'
import type { ExpectedAnswer } from '../../src/proof/whole/asked.ts'
import { checkWhole } from '../../src/proof/whole/whole-check.ts'
import { type AssetName, assets } from '../../src/surfaces/site/assets.ts'
import { answerOfPage, findChromium } from '../support/browser.ts'
import { testApp } from '../support/harness.ts'
import { noBrowser } from '../support/site.ts'
import type { VectorOf } from '../support/vector.ts'
import { VECTORS } from '../support/vectors.ts'

/**
 * All scripts of a page together, as they are transferred. A bill is read and checked in its page, and `/verify` takes every kind
 * of proof: so both have all rules of bills.
 */
const MOST_BYTES: Record<string, number> = { '/bill': 75_000, '/verify': 52_000 }
const MOST_OF_OTHERS = 31_000

const SCRIPTS: Record<string, readonly AssetName[]> = {
  '/': ['site'],
  '/price/99213': ['site', 'check'],
  '/verify': ['verify'],
  '/bill': ['bill'],
}

test('the scripts of each page are small, whatever coding a browser takes', async () => {
  await using app = await testApp()
  const made = await assets()
  const sizeOf = async (name: AssetName, coding: string): Promise<number> =>
    (
      await (
        await app.app.fetch(
          new Request(`http://localhost${made[name].path}`, { headers: { 'accept-encoding': coding } }),
          '192.0.2.1',
        )
      ).bytes()
    ).length
  for (const [path, names] of Object.entries(SCRIPTS)) {
    const page = await (await app.app.fetch(new Request(`http://localhost${path}`), '192.0.2.1')).text()
    const loaded = [...page.matchAll(/<script type="module" src="([^"]+)"/g)].map(([, src]) => src)
    expect([path, loaded]).toEqual([path, names.map((name) => made[name].path)])
    for (const coding of ['gzip', 'br', 'zstd']) {
      const sizes = await Promise.all(names.map((name) => sizeOf(name, coding)))
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      expect([path, coding, bytes < (MOST_BYTES[path] ?? MOST_OF_OTHERS) ? 'small' : bytes]).toEqual([
        path,
        coding,
        'small',
      ])
    }
  }
  expect(gzipSync(made.check.text).length).toBeLessThan(30_500)
})

test('each script names its source map, which holds the sources as they are in the project', async () => {
  await using app = await testApp()
  const get = async (path: string): Promise<string> =>
    (await app.app.fetch(new Request(`http://localhost${path}`), '192.0.2.1')).text()
  for (const [name, { path, map }] of Object.entries(await assets())) {
    if (name === 'style') continue
    expect((await get(path)).endsWith(`\n//# sourceMappingURL=${map?.path}\n`)).toBe(true)
    const { sources, sourcesContent } = JSON.parse(await get(map?.path ?? '')) as Record<string, string[]>
    const own = (sources ?? []).map((source, i) => [source, sourcesContent?.[i]] as const)
    expect(own.length).toBeGreaterThan(0)
    for (const [source, content] of own.filter(([source]) => source.startsWith('src/')))
      expect([source, content === readFileSync(join(import.meta.dir, '../..', source), 'utf8')]).toEqual([source, true])
    expect(own.filter(([source]) => !/^(src|docs\/spec\/tables|node_modules)\//.test(source))).toEqual([])
  }
})

type BodyVector = VectorOf<'body'>
const vectors = readdirSync(VECTORS)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => (JSON.parse(readFileSync(join(VECTORS, name), 'utf8')) as { vectors: BodyVector[] }).vectors)
  .filter(({ kind }) => kind === 'body')

const askedOf = ({ asked }: BodyVector): ExpectedAnswer => asked ?? { anyQuestion: true }
const optionsOf = ({ not_before, not_after }: BodyVector): VerifyOptions => ({
  ...(not_before === undefined ? {} : { notBefore: not_before }),
  ...(not_after === undefined ? {} : { notAfter: not_after }),
})

interface Outcome {
  reason: string
  /** The steps that failed. */
  bad: string[]
}

test.skipIf(noBrowser)(
  'the check in the page says of every vector what `atr verify` says, at one step',
  async () => {
    const chromium = findChromium()
    if (!chromium) throw new Error('there is no Chromium here, and none can be installed')
    const own = (path: string): Promise<string> => browserModule(join(import.meta.dir, '../../src', path))
    const given = vectors.map((vector) => ({ ...vector, asked: askedOf(vector), options: optionsOf(vector) }))
    const files = {
      'steps.js': await own('surfaces/browser/steps.ts'),
      'whole.js': await own('proof/whole/whole-check.ts'),
      'policy.js': await own('proof/note/policy.ts'),
      'vectors.json': JSON.stringify(given),
    }
    const found = await answerOfPage<Outcome[]>(
      chromium,
      files,
      `import { examine } from './steps.js'
    import { checkWhole } from './whole.js'
    import { parsePolicy } from './policy.js'
    export default async function () {
      const outcomes = []
      for (const { body, policy, asked, options } of await (await fetch('/vectors.json')).json()) {
        const { ok, reason, steps } = await examine(checkWhole, body, parsePolicy(policy), asked, options)
        outcomes.push({ reason: ok ? 'ok' : reason, bad: steps.filter(({ state }) => state === 'bad').map(({ step }) => step) })
      }
      return outcomes
    }`,
    )
    expect(found.length).toBeGreaterThan(300)
    for (const [i, vector] of vectors.entries()) {
      const policy = parsePolicy(vector.policy)
      if (!policy) throw new Error(`${vector.name}: the policy cannot be read`)
      // This is all that the command line runs, without files of the publisher.
      const verdict = await checkWhole(vector.body, policy, askedOf(vector), optionsOf(vector))
      const told = verdict.ok ? 'ok' : verdict.reason
      expect([vector.name, found[i]?.reason, found[i]?.bad.length]).toEqual([vector.name, told, verdict.ok ? 0 : 1])
      if (!vector.expect.ok) expect([vector.name, told]).toEqual([vector.name, vector.expect.reason])
    }
  },
  240_000,
)

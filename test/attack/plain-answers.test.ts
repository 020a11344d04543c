import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Problem } from '../../src/problem.ts'
import { toBase64 } from '../../src/proof/bytes.ts'
import { parseQuestion } from '../../src/proof/lookup/question.ts'
import { inclusionPath } from '../../src/proof/tree/merkle.ts'
import { verifyBody } from '../../src/proof/verify-lists.ts'
import { chartTable } from '../../src/registry/charts.ts'
import { answer } from '../../src/registry/lookup/answer.ts'
import { find } from '../../src/registry/lookup/find.ts'
import { Proofs } from '../../src/registry/lookup/proofs.ts'
import { openRelease } from '../../src/registry/rows/release-file-store.ts'
import { BASE_URL, type TestApp, testApp } from '../support/harness.ts'
import { isLong } from '../support/long.ts'
import type { Asked } from './naive-model.ts'
import { questions } from './naive-questions.ts'
import { anotherStore, stored } from './naive-store.ts'
import { world } from './naive-world.ts'

// The fast way to an answer beside the plain one. The plain way asks the store for the head, builds the answer as an
// object and writes it as JSON; its paths are computed from tiles alone. Both must come to the same bytes.

const RUNS = isLong ? 500 : 12
const SEED = 20_261_116

const pathOf = (asked: Asked): string =>
  `/reference?${new URLSearchParams(Object.entries(asked) as [string, string][])}`

/** The answer as an object, or the refusal. */
async function plainly(app: TestApp, asked: Asked): Promise<object | Problem | undefined> {
  const { db, registryLog } = app.installation
  const question = parseQuestion({ ...asked, as_of: asked.as_of ?? '2026-11-15' })
  if (typeof question === 'string') return undefined
  const proofs = await Proofs.at(db, registryLog, chartTable())
  try {
    return answer(proofs, find(proofs, question))
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

interface RowProof {
  row: { index: number; path: string[] }
  release: { release_id: string; row_count: number; rows_root: string }
}

/** Every row proof anywhere in a body. */
function rowProofsIn(value: unknown): RowProof[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'row' in value && 'release' in value && 'path' in Object(value.row) ? [value as RowProof] : []
  return [...own, ...Object.values(value).flatMap(rowProofsIn)]
}

async function checkPaths(app: TestApp, body: unknown): Promise<void> {
  const { db, registryLog } = app.installation
  const { view } = await Proofs.at(db, registryLog, chartTable())
  for (const { row, release } of rowProofsIn(body)) {
    const known = view.releaseNamed(release.release_id)
    if (!known) throw new Error('an answer names a release that is not there')
    const path = await inclusionPath(row.index, release.row_count, openRelease(db, known).subtrees())
    expect(row.path).toEqual(path.map(toBase64))
  }
}

test(`in ${RUNS} stores, spliced answers are byte for byte those that are built plainly, refusals too`, async () => {
  await using first = await testApp()
  const counts = { prices: 0, refusals: 0, places: 0 }
  const property = fc.asyncProperty(world, questions, async (editions, asking) => {
    await using app = await anotherStore(first)
    await stored(app, editions)
    const fetch = async (asked: Asked): Promise<string> =>
      (await app.app.fetch(new Request(`${BASE_URL}${pathOf(asked)}`), '192.0.2.1')).text()
    const unfollowed = await Promise.all(asking.map(fetch))
    const heads = app.app.followHeads(({ fault }) => {
      throw fault
    })
    try {
      for (const [i, asked] of asking.entries()) {
        const text = await fetch(asked)
        const plain = await plainly(app, asked)
        if (plain === undefined) continue
        if (plain instanceof Problem) {
          counts.refusals++
          const { members } = plain.extra
          // All but what the surface adds before them.
          expect(text.endsWith(JSON.stringify(members).slice(1))).toBe(true)
        } else {
          counts.prices++
          if ('place' in plain) counts.places++
          expect(text).toBe(JSON.stringify(plain))
          expect(text).toBe(unfollowed[i] as string)
        }
        await checkPaths(app, JSON.parse(text))
        const verdict = await verifyBody(text, app.policy, { question: asked })
        expect([asked, verdict.ok ? 'ok' : verdict.reason]).toEqual([asked, 'ok'])
      }
    } finally {
      await heads.stop()
    }
  })
  await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true })
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0)
}, 300_000)

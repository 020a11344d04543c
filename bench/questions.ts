// What callers ask in the bench: questions whose answers are rows of the published file, all of them equally likely.

import { existsSync } from 'node:fs'
import { physicianSchedule } from '../src/ingest/schedules/physician.ts'
import { readSource } from '../src/ingest/source.ts'
import type { Row } from '../src/proof/price/row.ts'
import { published } from '../test/support/published-files.ts'

export const PHYSICIAN_FILES = [
  'cms-pfs/2026-rvu26c/PPRRVU2026_Jul_nonQPP.csv.gz',
  'cms-pfs/2026-rvu26b/GPCI2026.csv',
].map(published)
export const havePublishedFiles = PHYSICIAN_FILES.every((file) => existsSync(file))

const DAY = '2026-08-15'
export const DAYS = [DAY, '2026-08-16']
const SEED = 20_260_815

export const pathOf = (parameters: URLSearchParams): string => `/reference?${parameters}`

export function onDay(question: URLSearchParams, day: string): URLSearchParams {
  question.set('as_of', day)
  return question
}

/** The question that a row of the file answers. */
export function questionOf({ cpt, region, modifier, setting, kind }: Row): URLSearchParams {
  return new URLSearchParams({
    cpt,
    region,
    as_of: DAY,
    ...(modifier !== null && { modifier }),
    ...(setting !== null && kind === 'price' && { setting }),
  })
}

/** `many` prices of the file, drawn evenly (algorithm R) and the same in every run. */
export async function drawQuestions(many: number, regions?: readonly string[]): Promise<URLSearchParams[]> {
  const { rows } = physicianSchedule(await Promise.all(PHYSICIAN_FILES.map(readSource)), {}, new Map())
  const random = dice(SEED)
  const drawn: Row[] = []
  let seen = 0
  for (const row of rows) {
    if (row.kind !== 'price' || regions?.includes(row.region) === false) continue
    const place = seen < many ? seen : Math.floor(random() * (seen + 1))
    seen++
    if (place < many) drawn[place] = row
  }
  for (let i = drawn.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[drawn[i], drawn[j]] = [drawn[j] as Row, drawn[i] as Row]
  }
  return drawn.map(questionOf)
}

/** mulberry32 */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

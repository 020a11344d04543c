// Asks the service a few questions as anyone would: rows of its releases, and the prices that follow from them.

import { type ParsedQuestion, parseQuestion, type Question } from '../../src/proof/lookup/question.ts'
import { isManifest, isWithdrawal, type Manifest, type Period } from '../../src/proof/price/release.ts'
import type { Row } from '../../src/proof/price/row.ts'
import { nameOf } from '../../src/proof/price/timeline.ts'
import { believe, checkAge } from './answers.ts'
import { MOST, textOf } from './fetcher.ts'
import type { Parts } from './log.ts'
import type { Memory } from './memory.ts'
import type { ReplayResult } from './replay.ts'

export interface SpotCheckParts extends Pick<ReplayResult, 'entries' | 'standing'> {
  now: number
  /** From 0, below 1. */
  random: () => number
  /** Whether there is a token that opens pages. */
  readsRows: boolean
  /** How many releases in force, and how many withdrawn ones, are asked about. */
  most?: number
}

/** Checks a row of some releases by its permalink, and the answers to the question that it is about. */
export async function spotCheck(parts: Parts, memory: Memory, asking: SpotCheckParts): Promise<number> {
  const { entries, standing, random, most = 4 } = asking
  const withdrawn = new Set(entries.filter(isWithdrawal).map(({ release_id }) => release_id))
  const holding = new Set(standing.periods.map(({ release }) => release))
  const releases = entries.filter(isManifest).filter(({ row_count }) => row_count > 0)
  const inForce = releases.filter((release) => holding.has(nameOf(release)))
  // What was withdrawn last is what someone may still want to be believed.
  const taken = releases.filter(({ release_id }) => withdrawn.has(release_id)).slice(-most)
  let asked = 0
  for (const release of [...someOf(inForce, most, random), ...taken]) {
    const row = await rowOf(parts, memory, release, Math.floor(random() * release.row_count))
    asked++
    if (!row || row.kind === 'place') continue
    const question = questionOf(row as Row, dayIn(release, asking.now))
    if (!question) continue
    await ask(parts, memory, asking, question)
    asked++
  }
  const [period] = asking.readsRows ? someOf(standing.periods, 1, random) : []
  if (period) {
    await readPage(parts, memory, asking, period)
    asked++
  }
  return asked
}

function someOf<T>(items: readonly T[], most: number, random: () => number): T[] {
  const left = [...items]
  const some: T[] = []
  while (left.length > 0 && some.length < most) some.push(...left.splice(Math.floor(random() * left.length), 1))
  return some
}

/** The first page of a chart on a day on which it is in force: it verifies as whoever reads it would find. */
async function readPage(
  parts: Parts,
  memory: Memory,
  { entries }: SpotCheckParts,
  { chart, from }: Period,
): Promise<void> {
  const path = `/api/registry?${new URLSearchParams({ chart, as_of: from })}`
  const text = textOf(await parts.fetcher.bytes(path, MOST.answer, true))
  if (text === undefined) {
    parts.alarms.raise('unreachable', path)
    return
  }
  const believed = await believe(parts, memory, path, text, { page: { as_of: from, chart } }, 'page_unverified')
  if (believed) checkAge(parts, memory, believed, entries, path, text)
}

/** A row by its permalink: it is the row of that place, of that release, as published. */
async function rowOf(parts: Parts, memory: Memory, release: Manifest, index: number) {
  const { release_id } = release
  const path = `/rows/${encodeURIComponent(release_id)}/${index}`
  const text = textOf(await parts.fetcher.bytes(path, MOST.answer))
  if (text === undefined) {
    parts.alarms.raise('unreachable', path)
    return undefined
  }
  const believed = await believe(parts, memory, path, text, { anyQuestion: true })
  if (!believed) return undefined
  const [shown] = believed.rows
  const { proof } = JSON.parse(text) as { proof?: { row?: { index?: unknown } } }
  if (shown && shown.release.release_id === release_id && proof?.row?.index === index) return shown.row
  parts.alarms.raise('answer_unverified', `${path}, it shows another row`, { answer: text })
  return undefined
}

const dayIn = ({ effective_from, effective_to }: Manifest, now: number): string => {
  const today = new Date(now).toISOString().slice(0, 10)
  return effective_from <= today && today <= effective_to ? today : effective_from
}

/** The question that a row is about; undefined where no question can be about it. */
function questionOf({ cpt, region, npi, modifier, setting, basis }: Row, as_of: string): Question | undefined {
  const parts = { cpt, as_of, region: npi === null ? region : null, npi, modifier, setting, basis }
  const question = Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== null)) as unknown as Question
  const parsed: ParsedQuestion | string = parseQuestion(question)
  return typeof parsed === 'string' ? undefined : question
}

async function ask(parts: Parts, memory: Memory, { entries }: SpotCheckParts, question: Question): Promise<void> {
  const path = `/reference?${new URLSearchParams(Object.entries(question))}`
  const fetched = await parts.fetcher.get(path, MOST.answer)
  const text = textOf(fetched?.bytes)
  if (!fetched || text === undefined) {
    parts.alarms.raise('unreachable', path)
    return
  }
  const believed = await believe(parts, memory, path, text, { question })
  if (believed) checkAge(parts, memory, believed, entries, path, text)
}

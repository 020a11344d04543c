// Whether what an answer proves is what was asked. A true row about another code, or a proof that some other
// key is absent, is worthless to the one who asked, and a verifier that says "ok" to it misleads.

import { keyMembers, type Manifest, type Row } from './row.ts'

/**
 * What was asked of a lookup, with a lookup's defaults: no region is `national`, no NPI and no modifier are none.
 * A ZIP code cannot be asked here: which locality it stands for is not proved, so name the locality.
 */
export interface Question {
  cpt: string
  /** `national`, `US-XX` or `US-XX-LL`. */
  region?: string | undefined
  npi?: string | undefined
  modifier?: string | undefined
  basis?: string | undefined
  setting?: string | undefined
  /** The day, as an ISO date: an edition that takes effect later does not answer. */
  as_of?: string | undefined
}

const PARTS = ['cpt', 'region', 'npi', 'modifier', 'basis', 'setting'] as const
/** The parts of a key that a prefix fixes, from the left; only a region may be cut short, after its state. */
export type KeyPrefix = Partial<Record<(typeof PARTS)[number], string>>

const STATE = /^US-[A-Z]{2}-$/
const HOSPITAL = 'hospital-mrf:'
/** A schedule with one basis lacks every other, which says nothing about a question that names none. */
const ONLY_BASIS: { [chart: string]: string } = { 'cms-pfs': 'medicare_pfs', 'cms-clfs': 'medicare_clfs' }

/**
 * Reads a key prefix; undefined unless it ends at a part's end, or after the state of a region, and every
 * part is one that a row could have. A prefix that fits no possible row is absent from every release.
 */
export function parseKeyPrefix(prefix: string): KeyPrefix | undefined {
  const texts = prefix.split('|')
  const last = texts.at(-1) ?? ''
  if (texts.length > PARTS.length) return undefined
  const endsInside = texts.length < PARTS.length && last !== ''
  if (endsInside && !(texts.length === 2 && STATE.test(last))) return undefined
  const fixed: KeyPrefix = {}
  for (const [i, part] of PARTS.entries()) {
    const text = texts[i]
    if (text === undefined || (i === texts.length - 1 && text === '')) break
    if (!endsInside || i !== texts.length - 1) {
      const possible = keyMembers[part](text === '' ? null : text)
      if (!possible) return undefined
    }
    fixed[part] = text
  }
  return fixed.cpt === undefined ? undefined : fixed
}

/** Whether a row is an answer. A stated absence may stand on the national row: it holds for the whole country. */
export function rowAnswers(question: Question, row: Row, release: Manifest): boolean {
  const asked = canonicalQuestion(question)
  const isStatedAbsence = row.kind === 'absence'
  return (
    inForce(asked, release) &&
    row.cpt === asked.cpt &&
    (isWithin(row.region, asked.region) || (isStatedAbsence && row.region === 'national')) &&
    row.npi === (asked.npi ?? null) &&
    row.modifier === (asked.modifier ?? null) &&
    (isStatedAbsence || asked.basis === undefined || row.basis === asked.basis) &&
    (isStatedAbsence || asked.setting === undefined || row.setting === asked.setting)
  )
}

/** Whether the absence of every key under this prefix covers the question: it may be wider, never narrower. */
export function absenceAnswers(question: Question, prefix: KeyPrefix, release: Manifest): boolean {
  const asked = canonicalQuestion(question)
  const { region, npi = asked.npi ?? '', modifier = asked.modifier ?? '', basis, setting } = prefix
  const covers =
    region === undefined || isWithin(region, asked.region) || (STATE.test(region) && asked.region.startsWith(region))
  return (
    inForce(asked, release) &&
    // A code is missing from every hospital's list that does not have it, so the list must be one that was asked for.
    release.chart.startsWith(HOSPITAL) === (asked.npi !== undefined) &&
    prefix.cpt === asked.cpt &&
    covers &&
    npi === (asked.npi ?? '') &&
    modifier === (asked.modifier ?? '') &&
    (basis === undefined || basis === (asked.basis ?? ONLY_BASIS[release.chart])) &&
    (setting === undefined || setting === asked.setting)
  )
}

/** Whether a row belongs on a page that was asked for with these filters. What was not given is not filtered. */
export function rowFits(question: Question, row: Row, release: Manifest): boolean {
  const asked = canonicalQuestion(question)
  return (
    inForce(asked, release) &&
    row.cpt === asked.cpt &&
    (question.region === undefined || isWithin(row.region, asked.region)) &&
    (asked.npi === undefined || row.npi === asked.npi) &&
    (asked.modifier === undefined || row.modifier === asked.modifier) &&
    (asked.basis === undefined || row.basis === asked.basis) &&
    (asked.setting === undefined || row.setting === asked.setting)
  )
}

function canonicalQuestion(question: Question): Question & { region: string } {
  const { cpt, region = 'national', modifier } = question
  return {
    ...question,
    cpt: (cpt ?? '').trim().toUpperCase(), // a caller without types may leave it out: then nothing answers
    region: region.toLowerCase() === 'national' ? 'national' : region.toUpperCase(),
    modifier: modifier?.toUpperCase(),
  }
}

const isWithin = (region: string, asked: string): boolean =>
  region === asked || (/^US-[A-Z]{2}$/.test(asked) && region.startsWith(`${asked}-`))

const inForce = ({ as_of }: Question, { effective_from }: Manifest): boolean =>
  as_of === undefined || effective_from <= as_of

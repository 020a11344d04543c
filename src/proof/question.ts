// Whether what an answer proves is what was asked. A true row about another code, or a proof that some other
// key is absent, is worthless to the one who asked, and a verifier that says "ok" to it misleads.

import type { Expected } from './evidence.ts'
import {
  type AbsenceProof,
  BASES,
  type KeyPrefix,
  keyMembers,
  type Manifest,
  parseKeyPrefix,
  type Row,
  rowKey,
  STATE_PREFIX,
} from './price/row.ts'

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

/** What `verifyBody` is to expect of the answer to a question. */
export const answersTo = (question: Question): Expected => ({
  row: (row, release) => rowAnswers(question, row, release),
  listed: (row, release) => rowFits(question, row, release),
  absences: (proofs) => absencesAnswer(question, proofs),
})

const HOSPITAL = 'hospital-mrf:'
/** A schedule with one basis lacks every other, which says nothing about a question that names none. */
const ONLY_BASIS: { [chart: string]: string } = {
  'cms-pfs': 'medicare_pfs',
  'cms-clfs': 'medicare_clfs',
  'cms-opps': 'medicare_opps',
}

/** Whether a row is an answer. A stated absence may stand on the national row: it holds for the whole country. */
export function rowAnswers(question: Question, row: Row, release: Manifest): boolean {
  const asked = canonicalQuestion(question)
  const isStatedAbsence = row.kind === 'absence'
  const setting = row.setting === null && mayBeBoth(asked) ? asked.setting : row.setting
  return (
    inForce(asked, release) &&
    row.cpt === asked.cpt &&
    (isWithin(row.region, asked.region) || (isStatedAbsence && row.region === 'national')) &&
    row.npi === (asked.npi ?? null) &&
    row.modifier === (asked.modifier ?? null) &&
    (isStatedAbsence || isAsAsked(asked, { basis: row.basis, setting }))
  )
}

/** What was not given is not asked for. */
const isAsAsked = (asked: Question, parts: Pick<Partial<Row>, 'npi' | 'modifier' | 'basis'> & { setting: unknown }) =>
  (Object.keys(parts) as (keyof typeof parts)[]).every((part) => [undefined, parts[part]].includes(asked[part]))

/** Whether the absence of every key under this prefix covers the question: it may be wider, never narrower. */
export function absenceAnswers(question: Question, prefix: KeyPrefix, release: Manifest): boolean {
  const asked = canonicalQuestion(question)
  const { region, npi = asked.npi ?? '', modifier = asked.modifier ?? '', basis, setting } = prefix
  const covers =
    region === undefined ||
    isWithin(region, asked.region) ||
    (STATE_PREFIX.test(region) && asked.region.startsWith(region))
  return (
    inForce(asked, release) &&
    // A code is missing from every hospital's list that does not have it, so the list must be one that was asked for.
    release.chart.startsWith(HOSPITAL) === (asked.npi !== undefined) &&
    prefix.cpt === asked.cpt &&
    covers &&
    npi === (asked.npi ?? '') &&
    modifier === (asked.modifier ?? '') &&
    (basis === undefined || basis === (asked.basis ?? ONLY_BASIS[release.chart])) &&
    (setting === undefined || (setting === asked.setting && !mayBeBoth(asked)))
  )
}

/** A hospital's price without a setting is for both of its settings, and answers for either. */
const mayBeBoth = ({ npi, setting }: Question): boolean => npi !== undefined && /^(in|out)patient$/.test(setting ?? '')

/**
 * Whether absences that are proved cover the question together. Where a hospital's price for both settings would
 * answer too, each key that could must lie between the neighbours of one of them: no prefix fits those keys alone.
 */
export function absencesAnswer(question: Question, proofs: readonly AbsenceProof[]): boolean {
  const asked = canonicalQuestion(question)
  const answers = ({ key_prefix, release }: AbsenceProof): boolean =>
    absenceAnswers(question, parseKeyPrefix(key_prefix) ?? {}, release)
  if (proofs.every(answers)) return true
  const { cpt, region, npi = '', modifier = '', basis, setting } = asked
  if (!mayBeBoth(asked) || !keyMembers.region(region)) return false
  const bases = basis === undefined ? BASES.filter((each) => each.startsWith('hospital_')) : [basis]
  const keys = bases.flatMap((each) => ['', setting].map((end) => [cpt, region, npi, modifier, each, end].join('|')))
  const encloses = ({ left, right }: AbsenceProof, key: string): boolean =>
    (!left || rowKey(left.row) < key) && (!right || rowKey(right.row) > key)
  const isOf = ({ key_prefix, release }: AbsenceProof): boolean =>
    inForce(asked, release) && release.chart.startsWith(HOSPITAL) && key_prefix.startsWith(`${cpt}|`)
  return proofs.every(isOf) && keys.every((key) => proofs.some((proof) => encloses(proof, key)))
}

/** Whether a row belongs on a page that was asked for with these filters. */
export function rowFits(question: Question, row: Row, release: Manifest): boolean {
  const asked = canonicalQuestion(question)
  const { cpt, region, npi, modifier, basis, setting } = row
  return (
    inForce(asked, release) &&
    cpt === asked.cpt &&
    (question.region === undefined || isWithin(region, asked.region)) &&
    isAsAsked(asked, { npi, modifier, basis, setting })
  )
}

function canonicalQuestion(question: Question): Question & { region: string } {
  const { cpt, region = 'national', modifier } = question
  return {
    ...question,
    cpt: (cpt ?? '').trim().toUpperCase(), // a caller without types may leave it out: then nothing answers
    region: region.toLowerCase() === 'national' ? 'national' : region.toUpperCase(),
    modifier: modifier?.toUpperCase().split('-').sort().join('-'),
  }
}

const isWithin = (region: string, asked: string): boolean =>
  region === asked || (/^US-[A-Z]{2}$/.test(asked) && region.startsWith(`${asked}-`))

const inForce = ({ as_of }: Question, { effective_from }: Manifest): boolean =>
  as_of === undefined || effective_from <= as_of

import { capitals, codeOf, parseQuestion } from '../../proof/lookup/question.ts'
import { queryOf } from '../site/words.ts'

/** The parameters of the page beside the code, in the order of its address. */
export const QUERY = ['region', 'as_of', 'modifier', 'npi', 'setting', 'basis'] as const
type QueryName = (typeof QUERY)[number]

/** A question as the page shows it: checked, so that each part has one of its closed forms. */
export type PriceQuestion = { cpt: string; region: string; as_of: string } & Partial<Record<QueryName, string>>

/** `71046-26`, `71046 26 59`: a code as people write it, with its modifiers. */
const CODE_WITH_MODIFIERS = /^ *([0-9A-Za-z]{5})(?:[ -]+([0-9A-Za-z]{2}(?:[ ,-]+[0-9A-Za-z]{2}){0,3}))? *$/

export interface WrittenCode {
  cpt: string
  modifier: string
}

/** Undefined for what has neither form. Whether there is such a code is another question. */
export function readCode(text: string): WrittenCode | undefined {
  const [, cpt, modifiers = ''] = CODE_WITH_MODIFIERS.exec(text) ?? []
  return cpt === undefined ? undefined : { cpt: codeOf(cpt), modifier: capitals(modifiers).replaceAll(/[ ,-]+/g, '-') }
}

export type Written = Record<'cpt' | QueryName, string>

/** What was sent, all of it hostile, as the question that operations take: as people write it, without the blanks around. */
export function asWritten(values: Readonly<Written>): Written {
  const trimmed = Object.entries(values).map(([name, value]) => [name, value.trim()])
  const written = Object.fromEntries(trimmed) as Written
  const code = readCode(values.cpt)
  if (!code) return written
  return { ...written, cpt: code.cpt, modifier: capitals(written.modifier || code.modifier) }
}

/** The question with everything filled in; undefined if a part of it has no meaning. */
export function questionIn(written: Written, today: string): PriceQuestion | undefined {
  const filled = { ...written, region: written.region || 'national', as_of: written.as_of || today }
  if (typeof parseQuestion(filled) === 'string') return undefined
  const given = Object.entries(filled).filter(([, value]) => value !== '')
  const region = /^national$/i.test(filled.region) ? 'national' : capitals(filled.region)
  return { ...(Object.fromEntries(given) as PriceQuestion), region }
}

/** Where the page of a question is. With its day, so that it goes on saying the same. */
export const pricePath = ({ cpt, ...rest }: PriceQuestion): string =>
  `/price/${cpt}?${queryOf({ region: rest.region, as_of: rest.as_of, modifier: rest.modifier, npi: rest.npi, setting: rest.setting, basis: rest.basis })}`

/** Where the same question is asked of the service itself. */
export const referencePath = ({ cpt, ...rest }: PriceQuestion): string =>
  `/reference?${queryOf({ cpt, region: rest.region, as_of: rest.as_of, modifier: rest.modifier, npi: rest.npi, setting: rest.setting, basis: rest.basis })}`

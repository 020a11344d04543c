import { parseQuestion } from '../../proof/lookup/question.ts'
import { queryOf } from '../site/words.ts'
import { type Hospital, hospitalText, MOST_CHOICES, readHospitals } from '../words/hospitals.ts'
import { readSetting } from '../words/input.ts'
import { readRegions, stateName } from '../words/places.ts'
import { allModifiers, readCode, readDay, readModifiers } from '../words/values.ts'

/** The parameters of the page beside the code, in the order of its address. */
export const QUERY = [
  ...(['region', 'as_of', 'modifier', 'npi', 'setting', 'basis', 'payer'] as const),
  ...(['kind', 'revenue_code', 'place_of_service'] as const),
] as const
type QueryName = (typeof QUERY)[number]

/** A question as the page shows it: checked, so that each part has one of its closed forms. */
export type PriceQuestion = { cpt: string; region: string; as_of: string } & Partial<Record<QueryName, string>>

/** The fields of the form, as they were sent or as they were read. Hostile until `questionIn` has taken them. */
export type Fields = Record<'cpt' | QueryName, string>

/** Reads the fields as people write them, without the blanks around. */
export function readFields(sent: Readonly<Fields>, hospitals: readonly Hospital[] = []): Fields {
  const trimmed = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, value.trim()])) as Fields
  const code = readCode(sent.cpt)
  return {
    ...trimmed,
    region: only(readRegions(trimmed.region)) ?? trimmed.region,
    npi: only(readHospitals(trimmed.npi, hospitals)) ?? trimmed.npi,
    as_of: readDay(trimmed.as_of, ''),
    setting: readSetting(trimmed.setting) ?? trimmed.setting,
    ...(code ? { cpt: code.cpt, modifier: allModifiers(code.modifier, readModifiers(trimmed.modifier)) } : {}),
  }
}

const only = ([first, ...others]: readonly string[]): string | undefined => (others.length > 0 ? undefined : first)

/** A question that can be asked instead, and its name in a list. */
export interface Alternative {
  label: string
  question: PriceQuestion
}

/** A question for each place or hospital that the text may mean, where there are several. */
export function alternativesTo(sent: Readonly<Fields>, hospitals: readonly Hospital[], today: string): Alternative[] {
  const fields = readFields(sent, hospitals)
  const alternative = (label: string, part: Partial<Fields>): Alternative[] => {
    const question = questionIn({ ...fields, ...part }, today)
    return question ? [{ label, question }] : []
  }
  const places = readRegions(sent.region)
  const named = readHospitals(sent.npi, hospitals)
  return [
    ...(places.length > 1
      ? places.flatMap((region) => alternative(`${stateName(region)} (${region})`, { region }))
      : []),
    ...(named.length > 1
      ? hospitals
          .filter(({ npi }) => named.includes(npi))
          .flatMap((hospital) => alternative(hospitalText(hospital), { npi: hospital.npi }))
      : []),
  ].slice(0, MOST_CHOICES)
}

/** The question with everything filled in; undefined if a part of it has no meaning. */
export function questionIn(fields: Fields, today: string): PriceQuestion | undefined {
  const filled = { ...fields, region: fields.region || 'national', as_of: fields.as_of || today }
  if (typeof parseQuestion(filled) === 'string') return undefined
  const given = Object.entries(filled).filter(([, value]) => value !== '')
  return Object.fromEntries(given) as PriceQuestion
}

/** The page of a question. Its address has the day, so that it goes on saying the same. */
export const pricePath = ({ cpt, ...rest }: PriceQuestion): string => `/price/${cpt}?${queryOf(inOrder(rest))}`

/** The address at which the service itself answers the question. */
export const referencePath = ({ cpt, ...rest }: PriceQuestion): string =>
  `/reference?${queryOf({ cpt, ...inOrder(rest) })}`

const inOrder = (question: Omit<PriceQuestion, 'cpt'>): Record<string, string | undefined> =>
  Object.fromEntries(QUERY.map((name) => [name, question[name]]))

import { parseQuestion } from '../../proof/lookup/question.ts'
import { queryOf } from '../site/words.ts'
import { type Hospital, hospitalText, MOST_MEANT, writtenHospitals } from '../written/hospital.ts'
import { writtenSetting } from '../written/lookup.ts'
import { stateName, writtenPlaces } from '../written/place.ts'
import { allModifiers, writtenCode, writtenDay, writtenModifiers } from '../written/written.ts'

/** The parameters of the page beside the code, in the order of its address. */
export const QUERY = ['region', 'as_of', 'modifier', 'npi', 'setting', 'basis'] as const
type QueryName = (typeof QUERY)[number]

/** A question as the page shows it: checked, so that each part has one of its closed forms. */
export type PriceQuestion = { cpt: string; region: string; as_of: string } & Partial<Record<QueryName, string>>

export type Written = Record<'cpt' | QueryName, string>

/** What was sent, all of it hostile, as the question that operations take: as people write it, without the blanks around. */
export function asWritten(values: Readonly<Written>, hospitals: readonly Hospital[] = []): Written {
  const trimmed = Object.entries(values).map(([name, value]) => [name, value.trim()])
  const written = Object.fromEntries(trimmed) as Written
  const code = writtenCode(values.cpt)
  return {
    ...written,
    region: only(writtenPlaces(written.region)) ?? written.region,
    npi: only(writtenHospitals(written.npi, hospitals)) ?? written.npi,
    as_of: writtenDay(written.as_of, ''),
    setting: writtenSetting(written.setting) ?? written.setting,
    ...(code ? { cpt: code.cpt, modifier: allModifiers(code.modifier, writtenModifiers(written.modifier)) } : {}),
  }
}

const only = ([first, ...others]: readonly string[]): string | undefined => (others.length > 0 ? undefined : first)

/** A question that the reader may have meant, and what is different in it. */
export interface Meant {
  label: string
  question: PriceQuestion
}

/** Where the place or the hospital can be several: a question for each. */
export function meantBy(values: Readonly<Written>, hospitals: readonly Hospital[], today: string): Meant[] {
  const written = asWritten(values, hospitals)
  const meant = (label: string, part: Partial<Written>): Meant[] => {
    const question = questionIn({ ...written, ...part }, today)
    return question ? [{ label, question }] : []
  }
  const places = writtenPlaces(values.region)
  const named = writtenHospitals(values.npi, hospitals)
  return [
    ...(places.length > 1 ? places.flatMap((region) => meant(`${stateName(region)} (${region})`, { region })) : []),
    ...(named.length > 1
      ? hospitals
          .filter(({ npi }) => named.includes(npi))
          .flatMap((hospital) => meant(hospitalText(hospital), { npi: hospital.npi }))
      : []),
  ].slice(0, MOST_MEANT)
}

/** The question with everything filled in; undefined if a part of it has no meaning. */
export function questionIn(written: Written, today: string): PriceQuestion | undefined {
  const filled = { ...written, region: written.region || 'national', as_of: written.as_of || today }
  if (typeof parseQuestion(filled) === 'string') return undefined
  const given = Object.entries(filled).filter(([, value]) => value !== '')
  return Object.fromEntries(given) as PriceQuestion
}

/** Where the page of a question is. With its day, so that it goes on saying the same. */
export const pricePath = ({ cpt, ...rest }: PriceQuestion): string =>
  `/price/${cpt}?${queryOf({ region: rest.region, as_of: rest.as_of, modifier: rest.modifier, npi: rest.npi, setting: rest.setting, basis: rest.basis })}`

/** Where the same question is asked of the service itself. */
export const referencePath = ({ cpt, ...rest }: PriceQuestion): string =>
  `/reference?${queryOf({ cpt, region: rest.region, as_of: rest.as_of, modifier: rest.modifier, npi: rest.npi, setting: rest.setting, basis: rest.basis })}`

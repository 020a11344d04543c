import { Problem } from '../problem.ts'

/** `national`, `US-XX`, `US-XX-LL` (a CMS locality) or `ZIP-NNNNN`, in any case. */
export const REGION_PATTERN = /^(national|US-[A-Z]{2}(-[0-9]{2})?|ZIP-[0-9]{5})$/i

const AREAS = new Set(
  (
    'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR ' +
    'PA RI SC SD TN TX UT VT VA WA WV WI WY PR VI GU AS MP'
  ).split(' '),
)

export type Region =
  | { level: 'national' }
  | { level: 'state'; state: string }
  | { level: 'locality'; region: string }
  | { level: 'zip'; zip: string }

/** Reads a region of the right shape. An area that does not exist is refused, not answered with nothing. */
export function parseRegion(text: string): Region {
  const canonical = text.toUpperCase()
  if (canonical === 'NATIONAL') return { level: 'national' }
  const [kind, area = '', locality] = canonical.split('-')
  if (kind === 'ZIP') return { level: 'zip', zip: area }
  if (!AREAS.has(area)) throw new Problem('invalid_region', 'there is no such state or area')
  return locality === undefined ? { level: 'state', state: area } : { level: 'locality', region: canonical }
}

/**
 * The one locality that stands for an area. CMS publishes no price for an area with several, and an
 * average would be our invention, so such a question is sent back with the choices.
 */
export function onlyLocality(localities: readonly string[]): string | undefined {
  if (localities.length > 1)
    throw new Problem('region_ambiguous', 'the area has several localities, each with prices of its own', {
      members: { regions: [...localities].sort() },
    })
  return localities[0]
}

import { Problem } from '../../problem.ts'

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

/** The areas that CMS pays in more than one locality. All others have one, or are paid as a part of another area's. */
const DIVIDED = new Set('CA FL GA IL LA MA MD ME MI MO NJ NY OR PA TX WA'.split(' '))

const SEVERAL = 'the area has several localities, each with prices of its own'
const ONE_OF_THEM = 'only the one in `regions` was loaded, and it does not stand for the others'

/**
 * The one locality that stands for an area, of those that a release holds. CMS publishes no price for an area with
 * several, and an average would be our invention, so such a question is sent back with the choices. A release may
 * hold only some of an area's localities: one that is left of several does not stand for the others.
 */
export function onlyLocality(state: string, held: readonly string[]): string | undefined {
  if (held.length > 1 || (held.length === 1 && DIVIDED.has(state)))
    throw new Problem('region_ambiguous', held.length > 1 ? SEVERAL : `${SEVERAL}; ${ONE_OF_THEM}`, {
      members: { regions: [...held].sort() },
    })
  return held[0]
}

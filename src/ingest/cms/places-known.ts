import { unreadable } from '../../files/unreadable.ts'
import type { Locality } from './gpci.ts'

/** The states and territories that Medicare pays in by locality. */
const STATES = new Set(
  (
    'AK AL AR AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK ' +
    'OR PA PR RI SC SD TN TX UT VA VI VT WA WI WV WY AS MP'
  ).split(' '),
)
/** No index has been as low or as high: the least is a malpractice index of 0.296, the highest one of 2.6. */
const LEAST_INDEX = 0.2
const GREATEST_INDEX = 3

/** Refuses localities that there cannot be: whoever could name one could set the prices of a place. */
export function refuseUnknownPlaces(localities: readonly Locality[]): void {
  for (const { region, gpci, line } of localities) {
    if (!STATES.has(region.slice(3, 5)))
      throw unreadable('a locality of the GPCI file is in no state that Medicare pays in: get the file again', line)
    const isIndex = (text: string): boolean => Number(text) >= LEAST_INDEX && Number(text) <= GREATEST_INDEX
    if (!Object.values(gpci).every(isIndex))
      throw unreadable('an index of the GPCI file is below 0.2 or above 3.0: get the file again', line)
  }
}

import { unreadable } from '../../files/unreadable.ts'
import { Problem } from '../../problem.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { isNpi } from '../../proof/lookup/npi.ts'
import { HOSPITAL_NAME, type HospitalRow, hospitalKey } from '../../proof/price/hospital-row.ts'
import type { AnyRow } from '../../proof/price/row.ts'
import { isDay } from '../../proof/shape.ts'
import { type Findings, note } from '../../registry/release/rules.ts'
import { STATES } from '../../tables/states.ts'
import { type Reader, wholeFiles } from '../reader.ts'
import { fail, OK, perSource, type Reread, type SourceInput, type SourceVerdict, whole } from '../reread.ts'
import type { EditionOptions } from '../schedules/quarter.ts'
import { type Columns, type Line, readTable } from '../schedules/table.ts'
import type { Source } from '../source.ts'

const WHAT = 'a list of hospitals'
const COLUMNS = {
  npi: { titles: ['NPI'] },
  zip: { titles: ['ZIP', 'ZIP Code', 'Postal Code'] },
  state: { titles: ['State'] },
  name: { titles: ['Name', 'Hospital Name', 'Facility Name'], optional: true },
} satisfies Columns

interface HospitalsReading {
  edition: string
  effective_from: string
  rows: HospitalRow[]
  row_total: number
  line_total: number
  cited: readonly Source[]
}

/**
 * The places and names of hospitals, from the operator's own list: a table with NPI, ZIP code and state, and a name if there is one. A
 * hospital may have several places.
 */
export function hospitalsIn(given: readonly Source[], options: EditionOptions, rejects: Findings): HospitalsReading {
  const [source, ...more] = given
  if (!source || more.length > 0) throw unreadable(`give one file, ${WHAT}`)
  const effective_from = options.effective_from ?? dayIn(source)
  if (effective_from === undefined || !isDay(effective_from))
    throw new Problem(
      'invalid_parameter',
      'give --effective-from, the day as YYYY-MM-DD from which the list holds: its name has no day',
    )
  const rows = new Map<string, HospitalRow>()
  for (const line of linesOf(source)) {
    const row = rowOf(line, effective_from)
    if (!row) {
      note(rejects, 'R03', line.line)
      continue
    }
    const key = hospitalKey(row)
    if (rows.has(key)) note(rejects, 'R09', line.line)
    else rows.set(key, row)
  }
  if (rows.size === 0) throw unreadable(`${WHAT} has no line with an NPI, a ZIP code and a state`)
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  const edition = options.edition ?? `LIST${effective_from.replaceAll('-', '')}`
  return { edition, effective_from, rows: sorted, row_total: rows.size, line_total: rows.size, cited: [source] }
}

/** The day in the name of the file, as in `hospitals-2026-11-01.csv`. */
const dayIn = ({ name, file }: Source): string | undefined =>
  /(?<![0-9])(20[0-9]{2}-[01][0-9]-[0-3][0-9])(?![0-9])/.exec(name ?? file)?.[1]

/** A blank line below the table is none. */
const linesOf = (source: Source): Line[] =>
  [...readTable(source, COLUMNS, WHAT).lines].filter((line) => line.cell('npi') !== '' || line.cell('zip') !== '')

function rowOf(line: Line, effective_from: string): HospitalRow | undefined {
  const [npi, state] = [line.number('npi'), line.cell('state').toUpperCase()]
  // A spreadsheet drops the zeros in front of a number; the last four digits say too much.
  const zip = /^([0-9]{3,5})(-?[0-9]{4})?$/.exec(line.number('zip'))?.[1]?.padStart(5, '0')
  if (!isNpi(npi) || zip === undefined || !STATES.has(state)) return undefined
  const name = plainName(line.cell('name'))
  return {
    kind: 'hospital',
    region: `US-${state}`,
    zip,
    npi,
    name: HOSPITAL_NAME.test(name) ? name : null,
    effective_from,
    locator: [{ citation: 0, line: line.line }],
  }
}

/** Without accents, and with the straight apostrophe: the rest of a name must be in its alphabet. */
const plainName = (text: string): string =>
  text
    .slice(0, MOST_READ)
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll('\u2019', "'")
    .replaceAll(/ +/g, ' ')
    .trim()
const MOST_READ = 200

export const reader: Reader = {
  read: wholeFiles(hospitalsIn),
  reread: rereadHospitals,
  finds: () => false,
  options: [],
}

/** The cited line must make the same row again. */
function rereadHospitals(): Reread {
  const lists = perSource((source: SourceInput) => new Map(linesOf(whole(source)).map((line) => [line.line, line])))
  return (row: AnyRow, places): SourceVerdict => {
    const [place, ...more] = places
    const line = place && lists(place.source).get(place.line)
    if (!line || more.length > 0) return fail('line_not_found')
    const again = rowOf(line, row.effective_from)
    return again && canonical(again) === canonical(row) ? OK : fail('inputs_not_at_line')
  }
}

import { isNpi } from '../../proof/lookup/npi.ts'
import { divideHalfEven } from '../rule/rounding.ts'
import { WON_50 } from '../rule/tally.ts'
import type { Complaints } from './csv.ts'

/** One case of the ledger. No member can hold personal data. */
export interface Outcome {
  case_ref: string
  outcome_year: number
  state: string | null
  npi: string | null
  closed: number
  settled: number
  recurring: number
  certified_mail: number
  /** Dollars recovered in steps of 50, at most 1000 of them. */
  recovered_50: number
  /** The keyed digest of the token of the person; null if the file had no token. */
  person: number | null
}

/** The header of an outcomes file, in this order. A file may have one more column, `person_token`, as the last. */
export const COLUMNS = [
  'case_ref',
  'outcome_year',
  'state',
  'npi',
  'closed',
  'settled',
  'recurring',
  'certified_mail',
  'recovered',
] as const

export const WITH_PERSONS = [...COLUMNS, 'person_token'] as const

const TOP_CODE = 1000

// USPS Publication 28, appendix B.
const STATES = new Set(
  `AL AK AS AZ AR CA CO CT DE DC FM FL GA GU HI ID IL IN IA KS KY LA ME MH MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND MP
   OH OK OR PW PA PR RI SC SD TN TX UT VT VI VA WA WV WI WY AA AE AP`.split(/\s+/),
)
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
// Seven digits of dollars at most, so that no social security or telephone number can pass for an amount.
const DOLLARS = /^([0-9]{1,7})(?:\.([0-9]{1,2}))?$/
/** An opaque token that the operator chose. Only a digest of it is kept: see `PersonDigest`. */
const PERSON_TOKEN = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Personal data that is often put into a ledger by mistake. No valid value matches these patterns, so they do not decide
 * whether a file is refused. They only name the mistake for the operator.
 */
const PERSONAL: readonly (readonly [rule: string, pattern: RegExp])[] = [
  ['looks_like_ssn', /(^|[^0-9])[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}([^0-9]|$)|^[0-9]{9}$/],
  ['looks_like_phone', /[0-9]{3}\)?[ .-]{1,2}[0-9]{3}[ .-][0-9]{4}|^\+[0-9]/],
  ['looks_like_email', /@/],
  ['looks_like_date', /[0-9]{1,4}[/.-][0-9]{1,2}[/.-][0-9]{1,4}|^(19|20)[0-9]{6}$/],
]

const personal = (text: string): string | undefined => PERSONAL.find(([, pattern]) => pattern.test(text))?.[0]

const flag = (text: string): number | undefined => {
  if (text === '1' || text === 'true') return 1
  return text === '0' || text === 'false' ? 0 : undefined
}

/**
 * Dollars to the nearest 50, ties to even, top-coded at $50,000 (rule F3). Rounding never moves an
 * amount across the $500 line: the stored amount must still show whether a case was won.
 */
export function roundedTo50(dollars: string): number | undefined {
  const match = DOLLARS.exec(dollars)
  if (!match) return undefined
  const cents = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  const steps = Math.min(divideHalfEven(cents, 5000), TOP_CODE)
  return cents < 50_000 ? Math.min(steps, WON_50 - 1) : steps
}

/** Digests a token under a secret that is not in the store. The ledger keeps only the digest. */
export type PersonDigest = (token: string) => number

const readCaseRef = (text: string): string | undefined => (UUID_V4.test(text) ? text.toLowerCase() : undefined)

/** Reads one line of a file that has only the references of cases. */
export function readNamedCase(
  fields: readonly string[],
  line: number,
  complaints: Complaints,
): Pick<Outcome, 'case_ref'> | undefined {
  const case_ref = fields.length === 1 ? readCaseRef(fields[0] as string) : undefined
  if (case_ref !== undefined) return { case_ref }
  const at = fields.findIndex((text) => personal(text))
  if (at >= 0) complaints.add(line, at + 1, personal(fields[at] as string) as string)
  else complaints.add(line, Math.min(fields.length, 2), fields.length === 1 ? 'not_a_uuid_v4' : 'column_count')
  return undefined
}

/** Reads one record, or adds complaints about it. */
export function readOutcome(
  fields: readonly string[],
  line: number,
  { year, columns, digest }: { year: number; columns: readonly string[]; digest: PersonDigest },
  complaints: Complaints,
): Outcome | undefined {
  if (fields.length !== columns.length) {
    const at = fields.findIndex((text) => personal(text))
    if (at < 0) complaints.add(line, Math.min(fields.length, columns.length) + 1, 'column_count')
    else complaints.add(line, at + 1, personal(fields[at] as string) as string)
    return undefined
  }
  let sound = true
  const read = <T>(column: (typeof WITH_PERSONS)[number], rule: string, parse: (text: string) => T | undefined): T => {
    const at = WITH_PERSONS.indexOf(column)
    const text = fields[at] as string
    const value = parse(text)
    if (value === undefined) {
      sound = false
      complaints.add(line, at + 1, personal(text) ?? rule)
    }
    return value as T
  }
  const outcome: Outcome = {
    case_ref: read('case_ref', 'not_a_uuid_v4', readCaseRef),
    outcome_year: read('outcome_year', 'year_out_of_range', (text) =>
      /^[0-9]{4}$/.test(text) && Number(text) >= 2015 && Number(text) <= year ? Number(text) : undefined,
    ),
    state: read('state', 'not_a_state', (text) => (text === '' ? null : STATES.has(text) ? text : undefined)),
    npi: read('npi', 'npi_check_digit', (text) => (text === '' ? null : isNpi(text) ? text : undefined)),
    closed: read('closed', 'not_a_boolean', flag),
    settled: read('settled', 'not_a_boolean', flag),
    recurring: read('recurring', 'not_a_boolean', flag),
    certified_mail: read('certified_mail', 'not_a_boolean', flag),
    recovered_50: read('recovered', 'not_an_amount', roundedTo50),
    person:
      columns.length === COLUMNS.length
        ? null
        : read('person_token', 'not_a_person_token', (text) =>
            PERSON_TOKEN.test(text) && !personal(text) ? digest(text) : undefined,
          ),
  }
  if (!sound) return undefined
  if (outcome.settled === 0 || outcome.closed === 1) return outcome
  complaints.add(line, COLUMNS.indexOf('settled') + 1, 'settled_but_not_closed')
  return undefined
}

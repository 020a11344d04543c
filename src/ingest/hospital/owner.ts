import { unreadable } from '../../files/unreadable.ts'
import { isNpi } from '../../proof/lookup/npi.ts'
import { isDay } from '../../proof/shape.ts'
import { isNothing } from './amounts.ts'
import type { HospitalHead } from './charges.ts'

const MAX_PROVIDERS = 100
/** `EIN-NPI_name_standardcharges`, as CMS asks for, `EIN_NPI_name`, or the NPI first. */
const NAMED = /^(?:[0-9]{2}-?[0-9]{7}[-_])?([0-9]{10})[^0-9]/

/** The template has pipes between them; hospitals have any other mark too, and what spreadsheets make of a number: `="…"`, `….0`. */
export const npisIn = (text: string): string[] =>
  isNothing(text)
    ? []
    : text
        .split(/[^0-9A-Za-z.]+/)
        .filter((npi) => npi !== '')
        .map((npi) => npi.replace(/^([0-9]{10})\.0+$/, '$1'))

/**
 * The providers whose prices they are: those that the file names, or else its file name, or else the operator. A price
 * belongs to all of them. A file that names valid NPIs cannot be given to others: its proofs would not hold.
 */
export function providersOf(given: readonly string[], { npis: stated }: HospitalHead, fileName: string): string[] {
  if (!given.every(isNpi))
    throw unreadable('an NPI given with --npi is not valid: it has ten digits, and the last one is a check digit')
  if (given.length > 0) {
    if (stated.some(isNpi) && !given.every((npi) => stated.includes(npi)))
      throw unreadable(
        `the file names other NPIs than those given with --npi: ${stated.every(isNpi) ? 'load it without --npi' : 'give only those that it names'}`,
      )
    return sorted(given)
  }
  if (!stated.every(isNpi))
    throw unreadable(
      `an NPI in the file\u2019s type_2_npi has a wrong length or check digit: give the ${stated.some(isNpi) ? 'others' : 'right ones'} with --npi`,
    )
  const inName = NAMED.exec(fileName)?.[1] ?? ''
  const found = stated.length > 0 ? stated : isNpi(inName) ? [inName] : []
  if (found.length === 0)
    throw unreadable('neither the file nor its name has the hospital\u2019s NPI: give it with --npi')
  return sorted(found)
}

function sorted(npis: readonly string[]): string[] {
  const distinct = [...new Set(npis)].sort()
  if (distinct.length > MAX_PROVIDERS) throw unreadable(`the file is for more than ${MAX_PROVIDERS} NPIs`)
  return distinct
}

export function dayOf({ last_updated_on }: HospitalHead): string {
  const iso = /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?![0-9])/.exec(last_updated_on)
  const us = /^([0-9]{1,2})\/([0-9]{1,2})\/([0-9]{4})(?![0-9])/.exec(last_updated_on)
  const [year = '', month = '', day = ''] = iso ? iso.slice(1) : us ? [us[3], us[1], us[2]] : []
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (!isDay(date)) throw unreadable('the file does not have a day in last_updated_on: give --effective-from')
  return date
}

/** A file without an attestation counts as attested: it was published before one was asked for. */
export const isAttested = ({ attested }: HospitalHead): boolean => !/^(false|no|n|0)$/i.test(attested)

/** Hospitals write `3.0`, `v2.2.0` and `V2.0.0_Wide_CSV_Format` too. */
const VERSION = /^[^0-9]{0,40}(2\.[012]|3\.0)(?![1-9])/
export const isTemplateVersion = ({ version }: HospitalHead): boolean => version === '' || VERSION.test(version)

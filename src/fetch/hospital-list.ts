// The operator's list of hospitals, and the pointers that hospitals publish (45 CFR 180.50(d)(6)).

import { Problem } from '../problem.ts'
import { isNpi } from '../proof/lookup/npi.ts'

/** A line of hospitals.csv. */
export interface Hospital {
  npi: string
  /** The domain that has the pointer, or the address of the file itself. */
  domain?: string
  address?: string
  /** The name of its location in a pointer that names several files. */
  location?: string
}

const HEADING = /^npi,(domain_or_address|domain|address)(,location)?$/
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i
const MOST_HOSPITALS = 10_000

/** Reads hospitals.csv: `npi,domain_or_address,location`, the last column only where it is needed. */
export function hospitalsIn(text: string): Hospital[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const heading = (lines[0] ?? '').toLowerCase().replaceAll(' ', '')
  if (!HEADING.test(heading)) throw badLine(1, 'its first line must be npi,domain_or_address,location')
  const hospitals = lines.flatMap((line, i) =>
    i === 0 || line.trim() === '' || line.startsWith('#') ? [] : hospitalIn(line, i + 1),
  )
  if (hospitals.length > MOST_HOSPITALS) throw badLine(MOST_HOSPITALS + 2, `it may have ${MOST_HOSPITALS} hospitals`)
  const twice = hospitals.findIndex(({ npi }, i) => hospitals.findIndex((other) => other.npi === npi) < i)
  if (twice >= 0) throw badLine(twice + 2, 'an NPI is listed twice')
  return hospitals
}

function hospitalIn(line: string, number: number): Hospital {
  const [npi = '', place = '', ...more] = line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  const location = more.join(',')
  if (!isNpi(npi)) throw badLine(number, 'the NPI is not valid')
  const named = location === '' ? {} : { location }
  if (DOMAIN.test(place)) return { npi, domain: place.toLowerCase(), ...named }
  if (/^https?:\/\//.test(place) && URL.canParse(place)) return { npi, address: place, ...named }
  throw badLine(number, 'the second column must be a domain, such as hospital.example, or the address of the file')
}

const badLine = (line: number, why: string): Problem =>
  new Problem('invalid_parameter', `hospitals.csv cannot be read in line ${line}: ${why}`)

/** An entry of a cms-hpt.txt. */
export interface PointerEntry {
  location: string
  url: string
}

const MOST_ENTRIES = 2_000
const LONGEST_LINE = 4_000

/**
 * The entries of a cms-hpt.txt: `key: value` a line, entries apart by an empty line. Hospitals write it in many ways: with a
 * BOM, other cases and blanks in the keys, quotes, no empty lines or one after each field; a key that is repeated begins an
 * entry. The text is hostile: names are compared, and never shown.
 */
export function pointerEntries(text: string): PointerEntry[] {
  const entries: PointerEntry[] = []
  let current: { location?: string } = {}
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    if (line.length > LONGEST_LINE || entries.length >= MOST_ENTRIES) continue
    const colon = line.indexOf(':')
    if (colon < 0) continue
    const key = line
      .slice(0, colon)
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '')
    const value = cleaned(line.slice(colon + 1))
    if (key === 'locationname') current = { location: value }
    else if (key === 'mrfurl' && value !== '') entries.push({ location: current.location ?? '', url: value })
  }
  return entries
}

/** A no-break space before an address is read as `Â ` where its encoding is mistaken. */
const cleaned = (value: string): string =>
  value.replaceAll(/^[\s\u00a0\u00c2"'*]+|(?<![\s\u00a0"'*])[\s\u00a0"'*]+$/g, '').replaceAll(/\s/g, ' ')

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()

/** The address of a hospital's file: of its location, of the file with its NPI in the name, or of the only file. */
export function entryFor(entries: readonly PointerEntry[], { npi, location }: Hospital): PointerEntry | undefined {
  if (location !== undefined) return entries.find((entry) => plain(entry.location) === plain(location))
  const named = entries.filter(({ url }) => url.includes(npi))
  const [only, ...others] = new Map((named.length > 0 ? named : entries).map((entry) => [entry.url, entry])).values()
  return others.length === 0 ? only : undefined
}

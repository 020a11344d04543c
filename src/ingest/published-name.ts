import { isNpi } from '../proof/lookup/npi.ts'

/**
 * The words of which publishers make the names of their price lists. None of them is an instruction: whatever is put
 * together from them tells a reader, or the agent that reads for one, only what the file is.
 */
const WORDS = new Set(
  `pprrvu rvu gpci oppscap anes locco zip pfs clfs clab clabq puf cy opps addendum aa bb web asc asp limits dmepos dmepen pen
   dme rural code dmerural dmeruralzip former cba file
   medicare national physician laboratory lab outpatient hcpcs fee schedule relative values payment rates
   price prices quarter edition version rev final revised updated corrected correction
   qpp nonqpp non standardcharges standard charges hospital tall wide mrf cms sample example
   mcr mue practitionerservices outpatienthospitalservices dmesupplierservices eff ccipra ccioph aoc f r
   january february march april may june july august september october november december
   jan feb mar apr jun jul aug sep sept oct nov dec
   a b c d q v
   csv txt tsv dat json xlsx gz`.split(/\s+/),
)
const MAX_LENGTH = 120
/** The form of a social security number or a telephone number. */
const PERSONAL = /(?<![0-9])[0-9]{3}[._-][0-9]{2,3}[._-][0-9]{4}(?![0-9])/

/**
 * The name of a file in citations. Its own name is someone else's text, and is served to agents: it is kept only if it
 * is made of known words, short numbers, days and NPIs. Any other file is named by its digest and its ending.
 */
export function publishedName(given: string, sha256: string): string {
  const name = given.replaceAll(/[ ()]/g, '_')
  return isKnown(name) ? name : `source-${sha256.slice(0, 12)}${endingOf(name)}`
}

function isKnown(name: string): boolean {
  if (name.length > MAX_LENGTH || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) || PERSONAL.test(name)) return false
  const letters = name.match(/[A-Za-z]+/g) ?? []
  const numbers = name.match(/[0-9]+/g) ?? []
  return letters.every((word) => WORDS.has(word.toLowerCase())) && numbers.every(isPlainNumber)
}

const isPlainNumber = (digits: string): boolean => digits.length <= 4 || isDate(digits) || isNpi(digits)

/** 20260701, 070126: eight or six digits that can be a day. */
const isDate = (digits: string): boolean =>
  /^(20[0-9]{2}(0[1-9]|1[0-2])[0-3][0-9]|(0[1-9]|1[0-2])[0-3][0-9](20)?[0-9]{2})$/.test(digits)

function endingOf(name: string): string {
  const [, kind = '', packed = ''] = /(\.(?:csv|txt|tsv|json|xlsx|zip))?(\.gz)?$/i.exec(name) ?? []
  return `${kind}${packed}`.toLowerCase()
}

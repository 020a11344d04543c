// FHIR R4 and STU3: ExplanationOfBenefit and Claim, alone, in bundles, or one to a line (CARIN Blue Button, Blue Button 2, Da Vinci PCT).

import { type BillTotals, type Kind, MOST_READ, type Paper, Refused, type Statement, type Unread } from './bill.ts'
import { type Json, readJson } from './json.ts'
import type { FoundLine } from './keep.ts'
import { type FoundPaper, paperOf, STAY } from './paper.ts'
import type { Note, Reason } from './reasons.ts'
import { dayOf, decimalAmount, npiOf } from './values.ts'

/** The members that are read at all. The reader of JSON passes over every other one. */
const NAMES: ReadonlySet<string> = new Set([
  ...[
    'resourceType',
    'entry',
    'resource',
    'contained',
    'id',
    'reference',
    'status',
    'use',
    'outcome',
    'type',
    'subType',
  ],
  ...['related', 'relationship', 'provider', 'facility', 'identifier', 'billablePeriod', 'start', 'end'],
  ...[
    'item',
    'sequence',
    'supportingInfo',
    'productOrService',
    'service',
    'modifier',
    'revenue',
    'locationCodeableConcept',
  ],
  ...['servicedDate', 'servicedPeriod', 'quantity', 'unit', 'unitPrice', 'net', 'adjudication', 'category', 'amount'],
  ...['total', 'totalCost', 'coding', 'system', 'code', 'value'],
])

type Resource = { [name: string]: Json }

const isObject = (json: Json | undefined): json is Resource => typeof json === 'object' && !Array.isArray(json)
const textOf = (json: Json | undefined): string | undefined => (typeof json === 'string' ? json : undefined)
const member = (json: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), json)
const listOf = (json: Json | undefined): readonly Json[] =>
  Array.isArray(json) ? json : json === undefined ? [] : [json]

interface Coding {
  system: string
  code: string
}
const codingsOf = (concept: Json | undefined): Coding[] =>
  listOf(member(concept, 'coding')).flatMap((coding) => {
    const code = textOf(member(coding, 'code'))
    const [system = ''] = (textOf(member(coding, 'system')) ?? '').split('|')
    return code === undefined ? [] : [{ system, code }]
  })

export function readFhir(text: string): Statement {
  const papers: Paper[] = []
  const unread: Unread[] = []
  const seen = new Set<string>()
  let lines = 0
  let number = 0
  const all = readJson(text, NAMES)
  const byReference = new Map<string, Resource>()
  const resources = all.flatMap((json) => [...resourcesIn(json, byReference, 0)])
  for (const resource of resources) {
    if (!isClaim(resource)) continue
    if (++number > MOST_READ) {
      unread.push({ paper: number, why: 'too_many' })
      break
    }
    const why = notABill(resource)
    if (why !== undefined) {
      unread.push({ paper: number, why })
      continue
    }
    const found = foundIn(resource, byReference)
    lines += found.lines.length
    if (lines > MOST_READ) {
      unread.push({ paper: number, why: 'too_many' })
      break
    }
    const { paper, unread: left } = paperOf(found, number)
    const key = JSON.stringify([textOf(resource['resourceType']), paper.is, paper.request])
    if (seen.has(key)) unread.push({ paper: number, why: 'same_again' })
    else {
      papers.push(paper)
      unread.push(...left)
    }
    seen.add(key)
  }
  if (number === 0) throw new Refused('not_fhir')
  return { ok: true, format: 'fhir', papers, unread }
}

const isClaim = (resource: Resource): boolean =>
  resource['resourceType'] === 'ExplanationOfBenefit' || resource['resourceType'] === 'Claim'

/** The resources of a document, also those of bundles in bundles. References to organisations are noted for their NPI. */
function* resourcesIn(json: Json, byReference: Map<string, Resource>, depth: number): Generator<Resource> {
  if (!isObject(json) || depth > 8) return
  const type = textOf(json['resourceType'])
  const id = textOf(json['id'])
  if (type !== undefined && id !== undefined) byReference.set(`${type}/${id}`, json)
  if (type === 'Bundle')
    for (const entry of listOf(json['entry']))
      yield* resourcesIn(member(entry, 'resource') ?? '', byReference, depth + 1)
  else yield json
}

const FINISHED = ['complete', 'partial']

/** Why a claim is no bill, statement or estimate. */
function notABill(resource: Resource): Reason | undefined {
  const [status, use, outcome] = ['status', 'use', 'outcome'].map((name) => textOf(resource[name]))
  if (status !== undefined && status !== 'active') return 'not_active'
  if (use === 'preauthorization' || use === 'proposed') return 'preauthorization'
  if (outcome !== undefined && !FINISHED.includes(outcome)) return 'not_finished'
  if (codingsOf(resource['type']).some(({ code }) => code === 'estimate-summary')) return 'summary'
  const isReplaced = listOf(resource['related']).some((related) =>
    codingsOf(member(related, 'relationship')).some(({ code }) => code === 'replacedby'),
  )
  return isReplaced ? 'replaced' : undefined
}

/** Types of Blue Button claims say more than the type of FHIR, which calls an outpatient hospital claim professional in version 1. */
const KINDS: Readonly<Record<string, Kind | undefined>> = {
  CARRIER: 'professional',
  DME: 'equipment',
  INPATIENT: 'hospital',
  OUTPATIENT: 'hospital',
  HHA: undefined,
  HOSPICE: undefined,
  SNF: undefined,
  PDE: undefined,
  institutional: 'hospital',
  professional: 'professional',
}

function foundIn(resource: Resource, byReference: ReadonlyMap<string, Resource>): FoundPaper {
  const isEstimate =
    resource['use'] === 'predetermination' ||
    codingsOf(resource['type']).some(({ code }) => code === 'predetermination')
  const types = codingsOf(resource['type']).map(({ code }) => code)
  const subTypes = codingsOf(resource['subType']).map(({ code }) => code)
  const decisive = Object.keys(KINDS).find((name) => types.includes(name))
  const isInpatient = types.includes('INPATIENT') || (!types.includes('OUTPATIENT') && subTypes.includes('inpatient'))
  const period = resource['billablePeriod']
  const [from, to] = ['start', 'end'].map((name) => dayOf(textOf(member(period, name)) ?? ''))
  const isClaimResource = resource['resourceType'] === 'Claim'
  const notes: Note[] = [
    ...(isInpatient ? (['inpatient'] as const) : []),
    ...(resource['outcome'] === 'partial' ||
    (isClaimResource && !isEstimate && types.length > 0 && isFromPayer(resource))
      ? (['partial'] as const)
      : []),
  ]
  const totals = totalsOf(resource, notes)
  const npi = npiIn(resource, byReference)
  return {
    is: isEstimate ? 'estimate' : isClaimResource ? 'bill' : 'insurer',
    kind: decisive === undefined ? undefined : KINDS[decisive],
    npi: decisive !== undefined && KINDS[decisive] === 'hospital' ? npi : undefined,
    typeOfBill: typeOfBill(resource) ?? (isInpatient ? STAY : undefined),
    day: from !== undefined && from === to ? from : undefined,
    totals: isEstimate ? estimateOf(totals) : totals,
    notes,
    lines: listOf(resource['item'])
      .slice(0, MOST_READ + 1)
      .map((item, i) => ({ at: i + 1, ...lineOf(item, types.includes('pharmacy')) })),
  }
}

/** The type of a hospital's bill, as three digits, or four with a zero before them. */
const typeOfBill = (resource: Resource): string | undefined =>
  listOf(resource['supportingInfo'])
    .filter((info) => codingsOf(member(info, 'category')).some(({ code }) => code === 'typeofbill'))
    .flatMap((info) => codingsOf(member(info, 'code')))
    .flatMap(({ code }) => /^0?([1-9][0-9]{2})$/.exec(code)?.[1] ?? [])[0]

const estimateOf = ({ billed, ...others }: BillTotals): BillTotals => ({
  ...others,
  ...(billed !== undefined && { estimate: billed }),
})

/** A payer publishes a claim before it has decided on it. */
const isFromPayer = (resource: Resource): boolean =>
  isBlueButton(codingsOf(resource['type']).map(({ system }) => system))
const isBlueButton = (systems: readonly string[]): boolean =>
  systems.some((system) => system.startsWith('https://bluebutton.cms.gov/'))

function lineOf(item: Json, isPharmacy: boolean): { found: FoundLine | Reason; notes: Note[] } {
  const notes: Note[] = []
  const coded = codingsOf(member(item, 'productOrService') ?? member(item, 'service')).filter(
    ({ system }) => !NOT_CODES.test(system),
  )
  const chosen = coded.find(({ system }) => system.endsWith('/ndc')) ?? coded[0]
  const one = new Set(coded.filter(({ system }) => !system.endsWith('/ndc')).map(({ code }) => code))
  if (one.size > 1) return { found: 'two_codes', notes }
  const from = textOf(member(item, 'servicedPeriod', 'start'))
  const to = textOf(member(item, 'servicedPeriod', 'end'))
  const dated = textOf(member(item, 'servicedDate')) ?? from ?? to
  const day = dated === undefined ? undefined : dayOf(dated)
  if (dated !== undefined && day === undefined) return { found: 'day_form', notes }
  if (from !== undefined && to !== undefined && from !== to) notes.push('range_of_days')
  const amounts = amountsOf(listOf(member(item, 'adjudication')), notes)
  const net = decimalAmount(textOf(member(item, 'net', 'value')) ?? '')
  const isContradicted = net !== undefined && amounts.billed !== undefined && net !== amounts.billed
  if (isContradicted) notes.push('two_values')
  const drug = one.size === 0 && chosen?.system.endsWith('/ndc')
  return {
    notes,
    found: {
      code: drug ? chosen?.code : [...one][0],
      system: drug || (isPharmacy && /^[0-9-]{10,13}$/.test([...one][0] ?? '')) ? 'ndc' : undefined,
      modifiers: listOf(member(item, 'modifier'))
        .flatMap(codingsOf)
        .filter(({ system }) => !system.includes('unitsofmeasure'))
        .map(({ code }) => code),
      // The element also holds an indicator of the deductible, one letter.
      revenue: codingsOf(member(item, 'revenue'))
        .map(({ code }) => code)
        .find((code) => /^[0-9]{3,4}$/.test(code)),
      place: codingsOf(member(item, 'locationCodeableConcept'))
        .filter(({ system }) => PLACES_OF_SERVICE.test(system))
        .map(({ code }) => code)
        .find((code) => /^[0-9]{2}$/.test(code)),
      day,
      units: textOf(member(item, 'quantity', 'value')),
      ...amounts,
      billed: isContradicted ? undefined : (amounts.billed ?? net),
    },
  }
}

/** A reason why there is no code, and the word for a drug that was mixed, stand where codes do. */
const NOT_CODES = /data-absent-reason|C4BBCompoundLiteral/
const PLACES_OF_SERVICE = /place-?of-?service|line_place_of_srvc_cd/i

type Meaning = 'billed' | 'allowed' | 'patient'
/** Standard categories (FHIR adjudication, C4BBAdjudication, and the copies of Da Vinci PCT). */
const CATEGORIES: Readonly<Record<string, Meaning>> = {
  submitted: 'billed',
  eligible: 'allowed',
  memberliability: 'patient',
}
/** Blue Button tags a rate and a payment `submitted` too: where it names its own variable, the variable decides. */
const VARIABLES: Readonly<Record<string, Meaning>> = {
  line_sbmtd_chrg_amt: 'billed',
  rev_cntr_tot_chrg_amt: 'billed',
  CLM_LINE_SBMT_CHRG_AMT: 'billed',
  line_alowd_chrg_amt: 'allowed',
  CLM_LINE_ALOWD_CHRG_AMT: 'allowed',
  rev_cntr_ptnt_rspnsblty_pmt: 'patient',
}
/** The variables of whole claims. They count only beside the standard category: on carrier claims the total is tagged as a payment. */
const TOTAL_VARIABLES: Readonly<Record<string, Meaning>> = {
  clm_tot_chrg_amt: 'billed',
  CLM_SBMT_CHRG_AMT: 'billed',
  CLM_ALOWD_CHRG_AMT: 'allowed',
}

function amountsOf(
  adjudications: readonly Json[],
  notes: Note[],
  variables: Readonly<Record<string, Meaning>> = VARIABLES,
): Partial<Record<Meaning, string>> {
  const found = new Map<Meaning, Set<string>>()
  for (const one of adjudications) {
    const codings = codingsOf(member(one, 'category'))
    const own = codings.find(({ system, code }) => isBlueButton([system, code]))
    const standard = codings
      .map(({ code }) => (Object.hasOwn(CATEGORIES, code) ? CATEGORIES[code] : undefined))
      .find(Boolean)
    const name = own?.code.split('/').at(-1) ?? ''
    const meaning = own ? (Object.hasOwn(variables, name) ? variables[name] : undefined) : standard
    const isUnsure = own && variables === TOTAL_VARIABLES && standard !== meaning
    const amount = decimalAmount(textOf(member(one, 'amount', 'value')) ?? '')
    if (meaning === undefined || amount === undefined || isUnsure) continue
    found.set(meaning, (found.get(meaning) ?? new Set()).add(amount))
  }
  const amounts: Partial<Record<Meaning, string>> = {}
  for (const [meaning, values] of found) {
    const [value, ...others] = values
    if (others.length > 0) notes.push('two_values')
    else if (value !== undefined) amounts[meaning] = value
  }
  return amounts
}

/** An EOB has a list of totals, and an institutional one may have the amounts of the claim in its header; a Claim has one total. */
function totalsOf(resource: Resource, notes: Note[]): BillTotals {
  const total = resource['total']
  if (isObject(total)) {
    const billed = decimalAmount(textOf(total['value']) ?? '')
    return billed === undefined ? {} : { billed }
  }
  const header = amountsOf(listOf(resource['adjudication']), notes, TOTAL_VARIABLES)
  const stated = amountsOf(listOf(total), notes, TOTAL_VARIABLES)
  const cost = decimalAmount(textOf(member(resource['totalCost'], 'value')) ?? '')
  return { ...header, ...(cost !== undefined && { billed: cost }), ...stated }
}

/** The NPI of the provider of the claim, where it is stated with its system or as its type, and its check digit is right. */
function npiIn(resource: Resource, byReference: ReadonlyMap<string, Resource>): string | undefined {
  const contained = listOf(resource['contained'])
  const resolve = (reference: Json | undefined): Json[] => {
    const name = textOf(member(reference, 'reference')) ?? ''
    const inside = contained.find((each) => name === `#${textOf(member(each, 'id')) ?? ''}`)
    const beside = byReference.get(name.split('/').slice(-2).join('/'))
    return [reference, inside, beside].flatMap((each) => listOf(member(each, 'identifier')))
  }
  const npis = [resource['facility'], resource['provider']].flatMap(resolve).flatMap((identifier) => {
    const system = textOf(member(identifier, 'system')) ?? ''
    const isNpi =
      system === 'http://hl7.org/fhir/sid/us-npi' ||
      system.endsWith('carr_clm_blg_npi_num') ||
      codingsOf(member(identifier, 'type')).some(({ code }) => code.toLowerCase() === 'npi')
    return isNpi ? (npiOf(textOf(member(identifier, 'value')) ?? '') ?? []) : []
  })
  return npis[0]
}

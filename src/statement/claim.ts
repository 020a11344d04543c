// X12 837: the bill as the provider sent it. Professional (SV1), institutional (SV2) and dental (SV3).

import type { Kind } from './bill.ts'
import type { FoundLine } from './keep.ts'
import type { Note } from './reasons.ts'
import { componentsOf, type FoundClaim, type Segment, type Transaction } from './segments.ts'
import { dayOf, decimalAmount, npiOf } from './values.ts'

interface OpenLine {
  at: number
  found: FoundLine
  notes: Note[]
}

interface OpenClaim {
  at: number
  billed: string | undefined
  facility: string
  qualifier: string
  frequency: string
  isEstimate: boolean
  kind: Kind | undefined
  /** The place where it was done, which comes after the claim, or the provider who bills for it. */
  billing: string | undefined
  place: string | undefined
  day: { day: string; isRange: boolean } | undefined
  statement: { day: string; isRange: boolean } | undefined
  isSecondary: boolean
  lines: OpenLine[]
}

/** Bill types of a stay: hospital inpatient, swing bed, skilled nursing (UB-04, form locator 4). */
const INPATIENT = ['11', '18', '21', '41']

export function claimsIn({ segments, component }: Transaction): FoundClaim[] {
  const found: FoundClaim[] = []
  let billing: string | undefined
  let claim: OpenClaim | undefined
  let line: OpenLine | undefined
  /** A loop about another payer has amounts and days of its own. */
  let isOther = false
  const close = (): void => {
    if (claim) found.push(closed(claim))
    claim = undefined
    line = undefined
    isOther = false
  }
  for (const segment of segments) {
    const [name, first = '', second = ''] = segment.elements
    switch (name?.toUpperCase()) {
      case 'HL':
        close()
        if (segment.elements[3] === '20') billing = undefined
        break
      case 'CLM':
        close()
        claim = openClaim(segment, component, billing)
        break
      case 'NM1': {
        const npi = segment.elements[8] === 'XX' ? npiOf(segment.elements[9] ?? '') : undefined
        if (first === '85' && !claim) billing = npi
        else if (first === '77' && claim && !line) claim.place = npi
        break
      }
      case 'SBR':
        // Before the claim it is about the insured person, within it about another payer.
        if (claim) isOther = true
        if (claim && first === 'P') claim.isSecondary = true
        break
      case 'LX':
        line = undefined
        isOther = false
        break
      case 'SV1':
      case 'SV2':
      case 'SV3':
        if (!claim) break
        isOther = false
        line = openLine(segment, component, claim)
        claim.lines.push(line)
        break
      case 'SVD':
        isOther = true
        break
      case 'DTP': {
        const day = rangeOf(second, segment.elements[3] ?? '')
        if (!claim || isOther || day === undefined) break
        if (first === '434') claim.statement = day
        if (first !== '472') break
        if (line) {
          line.found.day = day.day
          if (day.isRange) line.notes.push('range_of_days')
        } else claim.day = day
      }
    }
  }
  close()
  return found
}

function openClaim({ at, elements }: Segment, component: string, billing: string | undefined): OpenClaim {
  const [facility = '', qualifier = '', frequency = ''] = componentsOf(elements[5] ?? '', component)
  return {
    at,
    billed: decimalAmount(elements[2] ?? ''),
    facility,
    qualifier,
    frequency,
    isEstimate: elements[19] === 'PB',
    kind: undefined,
    billing,
    place: undefined,
    day: undefined,
    statement: undefined,
    isSecondary: false,
    lines: [],
  }
}

/** Units and days count services. Minutes of anesthesia, doses and weights do not. */
const COUNTED = ['UN', 'DA', '']

function openLine({ at, elements }: Segment, component: string, claim: OpenClaim): OpenLine {
  const service = elements[0]?.toUpperCase()
  const procedure = componentsOf(elements[service === 'SV2' ? 2 : 1] ?? '', component)
  const [qualifier = '', code = '', ...modifiers] = procedure
  const amount = elements[service === 'SV2' ? 3 : 2] ?? ''
  const unit = service === 'SV3' ? '' : (elements[service === 'SV2' ? 4 : 3] ?? '')
  const quantity = elements[service === 'SV3' ? 6 : service === 'SV2' ? 5 : 4] ?? ''
  const place = service === 'SV1' ? elements[5] : service === 'SV3' ? componentsOf(elements[3] ?? '', component)[0] : ''
  if (service === 'SV1') claim.kind = 'professional'
  if (service === 'SV2') claim.kind = 'hospital'
  const ofClaim = claim.qualifier === 'A' || service === 'SV2' ? '' : claim.facility
  const isCounted = COUNTED.includes(unit.toUpperCase())
  return {
    at,
    notes: isCounted ? [] : ['units_left_out'],
    found: {
      code,
      system:
        qualifier === 'N4' ? 'ndc' : ['', 'HC', 'AD', 'HP'].includes(qualifier.toUpperCase()) ? undefined : 'local',
      modifiers: modifiers.slice(0, 4),
      ...(service === 'SV2' && { revenue: elements[1] ?? '' }),
      place: place || ofClaim,
      units: !isCounted
        ? undefined
        : quantity === '' && service === 'SV3'
          ? '1'
          : quantity === ''
            ? undefined
            : quantity,
      billed: decimalAmount(amount),
    },
  }
}

/** `D8*20240101` is a day, `RD8*20240101-20240105` are several. */
export function rangeOf(format: string, text: string): { day: string; isRange: boolean } | undefined {
  const [from = '', to = from] = text.split('-', 2)
  const [first, last] = [dayOf(from.slice(0, 8)), dayOf(to.slice(0, 8))]
  if (!/^(D8|RD8|DT)$/i.test(format) || first === undefined || last === undefined) return undefined
  return { day: first, isRange: first !== last }
}

function closed(claim: OpenClaim): FoundClaim {
  const { lines, kind, billed, frequency } = claim
  if (frequency === '8') return { at: claim.at, why: 'void' }
  const day = claim.day ?? claim.statement
  const isStay = kind === 'hospital' && INPATIENT.includes(claim.facility)
  const notes: Note[] = [
    ...(isStay ? (['inpatient'] as const) : []),
    ...(frequency === '7' ? (['replacement'] as const) : []),
    ...(claim.isSecondary ? (['secondary'] as const) : []),
    ...(day?.isRange ? (['range_of_days'] as const) : []),
  ]
  const npi = claim.place ?? (kind === 'hospital' ? claim.billing : undefined)
  return {
    is: claim.isEstimate ? 'estimate' : 'bill',
    kind,
    npi,
    typeOfBill: kind === 'hospital' ? claim.facility + frequency : undefined,
    day: day?.day,
    totals: billed === undefined ? {} : claim.isEstimate ? { estimate: billed } : { billed },
    notes,
    lines: lines.map(({ at, found, notes }) => ({
      at,
      notes,
      found: found.billed === undefined ? 'amount_form' : found,
    })),
  }
}

// X12 835: what the insurer paid, and what it left to the patient. Section 1.10.2.1 of the guide has the balances that are checked.

import { rangeOf } from './claim.ts'
import type { FoundLine } from './keep.ts'
import type { Note } from './reasons.ts'
import { componentsOf, type FoundClaim, type Segment, type Transaction } from './segments.ts'
import { decimalAmount, fromCents, npiOf, toCents } from './values.ts'

interface Adjustments {
  all: bigint
  /** The group PR: what the insurer left to the patient. */
  patient: bigint
  isRead: boolean
}
const noAdjustments = (): Adjustments => ({ all: 0n, patient: 0n, isRead: true })

interface OpenLine {
  at: number
  found: FoundLine
  notes: Note[]
  paid: string | undefined
  adjusted: Adjustments
  allowed: string | undefined
}

interface OpenClaim {
  at: number
  status: string
  billed: string | undefined
  paid: string | undefined
  patient: string | undefined
  /** Tells a claim from others of the file. It is compared and never kept. */
  key: string
  /** The first digits of the type of bill of a hospital, or the place of a doctor: only lines with revenue codes say which. */
  facility: string
  day: string | undefined
  adjusted: Adjustments
  lines: OpenLine[]
}

export function remittancesIn({ segments, component }: Transaction): FoundClaim[] {
  const claims: OpenClaim[] = []
  let npi: string | undefined
  let payment: string | undefined
  let provider = 0n
  let hasProviderLevel = true
  let line: OpenLine | undefined
  for (const segment of segments) {
    const { elements } = segment
    const [, first = '', second = ''] = elements
    const claim = claims.at(-1)
    switch (segment.name) {
      case 'BPR':
        payment = decimalAmount(second)
        break
      case 'N1':
        if (first === 'PE' && elements[3] === 'XX') npi = npiOf(elements[4] ?? '')
        break
      case 'CLP':
        line = undefined
        claims.push(openClaim(segment))
        break
      case 'SVC':
        line = claim && openLine(segment, component)
        if (line) claim?.lines.push(line)
        break
      case 'CAS':
        if (claim) adjust((line ?? claim).adjusted, elements)
        break
      case 'DTM': {
        const day = rangeOf('D8', second)?.day
        if (line && first === '151' && line.found.day !== undefined && day !== undefined && day !== line.found.day)
          line.notes.push('range_of_days')
        else if (line && (first === '472' || first === '150')) line.found.day = day
        else if (claim && first === '232') claim.day = day
        break
      }
      case 'AMT':
        if (line && first === 'B6') line.allowed = decimalAmount(second)
        break
      case 'PLB':
        for (let i = 4; i < elements.length; i += 2) {
          const amount = decimalAmount(elements[i] ?? '')
          if (amount === undefined) hasProviderLevel = false
          else provider += toCents(amount)
        }
    }
  }
  const paid = claims.map((each) => each.paid)
  const balances =
    payment !== undefined &&
    hasProviderLevel &&
    paid.every((each) => each !== undefined) &&
    paid.reduce((sum, each) => sum + toCents(each ?? '0.00'), 0n) - provider === toCents(payment)
  return settled(claims).map((one) => ('why' in one ? one : closed(one, npi, balances)))
}

function openClaim({ at, elements }: Segment): OpenClaim {
  return {
    at,
    status: elements[2] ?? '',
    billed: decimalAmount(elements[3] ?? ''),
    paid: decimalAmount(elements[4] ?? ''),
    patient: decimalAmount(elements[5] ?? ''),
    key: `${elements[1]}|${elements[3]?.replace('-', '')}`,
    facility: `${elements[8] ?? ''}${elements[9] ?? ''}`,
    day: undefined,
    adjusted: noAdjustments(),
    lines: [],
  }
}

const REVERSAL = '22'

/** A reversal takes back an earlier claim, here or in an earlier file. The correction that follows stands. */
function settled(claims: readonly OpenClaim[]): (OpenClaim | { at: number; why: 'reversal' | 'replaced' })[] {
  const taken = new Set<OpenClaim>()
  const open = new Map<string, OpenClaim[]>()
  for (const claim of claims) {
    const same = open.get(claim.key) ?? []
    open.set(claim.key, same)
    if (claim.status !== REVERSAL) same.push(claim)
    else {
      const earlier = same.pop()
      if (earlier) taken.add(earlier)
    }
  }
  return claims.map((claim) =>
    claim.status === REVERSAL
      ? { at: claim.at, why: 'reversal' as const }
      : taken.has(claim)
        ? { at: claim.at, why: 'replaced' as const }
        : claim,
  )
}

function openLine({ at, elements }: Segment, component: string): OpenLine {
  const [qualifier = '', code = '', ...modifiers] = componentsOf(elements[1] ?? '', component)
  const submitted = componentsOf(elements[6] ?? '', component)
  const isRevenue = qualifier.toUpperCase() === 'NU'
  const isOther = submitted[1] !== undefined && submitted[1] !== code
  const units = elements[7] || elements[5] || '1'
  const revenue = isRevenue ? code : elements[4]
  return {
    at,
    notes: isOther ? ['bundled'] : [],
    paid: decimalAmount(elements[3] ?? ''),
    adjusted: noAdjustments(),
    allowed: undefined,
    found: {
      code: isRevenue ? undefined : code,
      system:
        isRevenue || ['', 'HC', 'AD', 'HP'].includes(qualifier.toUpperCase())
          ? undefined
          : qualifier === 'N4'
            ? 'ndc'
            : 'local',
      modifiers: modifiers.slice(0, 4),
      ...(revenue && { revenue }),
      units,
      billed: decimalAmount(elements[2] ?? ''),
    },
  }
}

/** Up to six triples of reason, amount and quantity. */
function adjust(sum: Adjustments, elements: readonly string[]): void {
  for (let i = 2; i + 1 < elements.length; i += 3) {
    const amount = decimalAmount(elements[i + 1] ?? '')
    if (amount === undefined) {
      if (elements[i + 1] !== '' || elements[i] !== '') sum.isRead = false
      continue
    }
    sum.all += toCents(amount)
    if (elements[1] === 'PR') sum.patient += toCents(amount)
  }
}

const difference = (from: string, less: bigint): string => fromCents(toCents(from) - less)

function closed(claim: OpenClaim, npi: string | undefined, balances: boolean): FoundClaim {
  const { lines, billed, paid } = claim
  const own = lines.reduce((sum, { adjusted }) => sum + adjusted.all, claim.adjusted.all)
  const isRead = claim.adjusted.isRead && lines.every(({ adjusted }) => adjusted.isRead)
  const claimBalances =
    isRead &&
    billed !== undefined &&
    paid !== undefined &&
    difference(billed, own) === paid &&
    lines.every(lineBalances)
  const isHospital = lines.some(({ found }) => found.revenue !== undefined)
  const notes: Note[] = [
    claimBalances && balances ? 'balances' : 'does_not_balance',
    ...(claim.status === '2' || claim.status === '3' ? (['secondary'] as const) : []),
  ]
  return {
    is: 'insurer',
    kind: isHospital ? 'hospital' : undefined,
    npi: isHospital ? npi : undefined,
    typeOfBill: isHospital ? claim.facility : undefined,
    day: claim.day,
    totals: {
      ...(billed !== undefined && { billed }),
      ...(claim.patient !== undefined && { patient: claim.patient }),
    },
    notes,
    lines: lines.map((line) => ({ at: line.at, ...lineOf(line, claim.day) })),
  }
}

const lineBalances = ({ found, adjusted, paid }: OpenLine): boolean =>
  found.billed !== undefined && paid !== undefined && difference(found.billed, adjusted.all) === paid

function lineOf(line: OpenLine, day: string | undefined) {
  const { found, adjusted, paid } = line
  if (found.billed === undefined || paid === undefined) return { found: 'amount_form' as const }
  // Without the allowed amount it follows from the balance, and only where the line balances.
  const isDerived = line.allowed === undefined && adjusted.isRead && lineBalances(line)
  const derived = fromCents(toCents(paid) + adjusted.patient)
  const allowed = line.allowed ?? (isDerived && !derived.startsWith('-') ? derived : undefined)
  const patient = adjusted.isRead ? fromCents(adjusted.patient) : undefined
  return {
    notes: isDerived ? [...line.notes, 'allowed_derived' as const] : line.notes,
    found: { ...found, day: found.day ?? day, allowed, patient },
  }
}

// A paragraph about a bill for a letter. It states published facts, and nothing else.

import type { Row } from '../../proof/price/row.ts'
import { citedLines } from '../../proof/price/row-of-release.ts'
import type { BillEntry } from './bill-lines.ts'
import {
  amountOf,
  BASES,
  type ComparedBill,
  dollars,
  isSample,
  permalink,
  type Reference,
  referencesIn,
  uncounted,
} from './bill-reference.ts'

const INVENTED = 'invented sample amounts, not published prices'

/**
 * The references of a line: the doctor's part and the hospital's part of Medicare, because a bill may be for either; if
 * Medicare pays nothing, the first price of the hospital.
 */
function referencesFor(entry: BillEntry, all: readonly Reference[]): Reference[] {
  const own = all.filter((each) => each.entry === entry)
  const medicare = own.filter(({ row }) => row.npi === null)
  const isFirst = (each: Reference, at: number): boolean =>
    medicare.findIndex((other) => permalink(other) === permalink(each)) === at
  return medicare.length > 0 ? medicare.filter(isFirst) : own.slice(0, 1)
}

/** The part of a service that an amount is for, if it may be taken for the whole. */
function partOf({ basis, setting }: Row): string {
  if (basis === 'medicare_opps') return ', the hospital’s part'
  if (!basis.startsWith('medicare_pfs')) return ''
  return setting === 'facility' ? ', the doctor’s part' : ', the doctor’s fee outside a hospital'
}

export function letterOf({ entries, faults, answers, origin }: ComparedBill): string {
  const all = referencesIn(entries, answers)
  const found = entries.flatMap((entry) => {
    const references = referencesFor(entry, all)
    return references.length === 0 ? [] : [{ entry, references }]
  })
  if (found.length === 0) return ''
  const first = found.flatMap(({ references }) => references)
  const amountIn = (each: Reference): string => {
    const { row, release, extended } = each
    const amount = extended ? amountOf(extended) : uncounted(each)
    const sample = isSample(release) ? 'invented sample of the ' : ''
    const ended = release.publisher_until === undefined ? '' : `, prolonged`
    const lines = citedLines(row, release).map(({ file, line }) => `${file} line ${line}`)
    return `${amount} (${sample}${BASES[row.basis] ?? row.basis}${partOf(row)}, edition ${release.edition}${ended}, ${lines.join(' and ')}, ${origin}${permalink(each)})`
  }
  const sentences = found.map(({ entry, references }) => {
    const billed = entry.billed === null ? '' : `, billed at ${dollars(entry.billed)}`
    const what = `Code ${entry.code}${entry.modifier && ` with modifier ${entry.modifier}`}, ${entry.units === 1 ? '1 unit' : `${entry.units} units`}, ${entry.day}${billed}`
    return `${what}: ${references.map(amountIn).join('; ')}.`
  })
  const samples = first.filter(({ release }) => isSample(release)).length
  const count = `${found.length} of the ${entries.length + faults.length} lines of this bill`
  const opening =
    samples === first.length
      ? `These are ${INVENTED}: they show what a letter would look like, and must not be sent. They are for ${count}.`
      : `The following reference prices apply to ${count}.${samples > 0 ? ` Those marked as a sample are ${INVENTED}, and must not be sent.` : ''}`
  return `${opening} ${sentences.join(' ')} ${meaningOf(first.map(({ row }) => row.npi !== null))} This is not a statement of what is owed.`
}

/** The meaning of the amounts. Only Medicare's prices are for a place. */
function meaningOf(areOfHospital: readonly boolean[]): string {
  const hospital = 'the file of the hospital states for the day of the line'
  const medicare = 'the named edition states for the day of the line and its place, or for the whole country'
  const states = areOfHospital.every(Boolean)
    ? hospital
    : areOfHospital.some(Boolean)
      ? `${medicare}, or ${hospital}`
      : medicare
  return `Each amount is what ${states}, and can be checked at its address.`
}

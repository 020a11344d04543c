// A paragraph about a bill that can be put into a letter. It states what is published, and nothing else.

import { citedLines } from '../../proof/price/row-of-release.ts'
import {
  amountOf,
  BASES,
  type ComparedBill,
  dollars,
  isSample,
  permalink,
  referencesIn,
  uncounted,
} from './bill-reference.ts'

const INVENTED = 'invented sample amounts, not published prices'

/** One reference for each line, the first there is. */
export function letterOf({ entries, faults, answers, origin }: ComparedBill): string {
  const all = referencesIn(entries, answers)
  const first = entries.flatMap((entry) => all.find((each) => each.entry === entry) ?? [])
  if (first.length === 0) return ''
  const sentences = first.map((each) => {
    const { entry, row, release, extended } = each
    const billed = entry.billed === null ? '' : `, billed at ${dollars(entry.billed)}`
    const amount = extended ? amountOf(extended) : uncounted(each)
    const sample = isSample(release) ? 'invented sample of the ' : ''
    const lines = citedLines(row, release).map(({ file, line }) => `${file} line ${line}`)
    const what = `Code ${entry.code}${entry.modifier && ` with modifier ${entry.modifier}`}, ${entry.units === 1 ? '1 unit' : `${entry.units} units`}, ${entry.day}${billed}`
    return `${what}: ${amount} (${sample}${BASES[row.basis] ?? row.basis}, edition ${release.edition}, ${lines.join(' and ')}, ${origin}${permalink(each)}).`
  })
  const samples = first.filter(({ release }) => isSample(release)).length
  const count = `${first.length} of the ${entries.length + faults.length} lines of this bill`
  const opening =
    samples === first.length
      ? `These are ${INVENTED}: they show what a letter would look like, and must not be sent. They are for ${count}.`
      : `The following reference prices apply to ${count}.${samples > 0 ? ` Those marked as a sample are ${INVENTED}, and must not be sent.` : ''}`
  return `${opening} ${sentences.join(' ')} ${meaningOf(first.map(({ row }) => row.npi !== null))} This is not a statement of what is owed.`
}

/** A price of a hospital holds wherever the bill says that it was: only Medicare's are for a place. */
function meaningOf(areOfHospital: readonly boolean[]): string {
  const hospital = 'the file of the hospital states for the day of the line'
  const medicare = 'the named edition states for the place and the day of the line'
  const states = areOfHospital.every(Boolean)
    ? hospital
    : areOfHospital.some(Boolean)
      ? `${medicare}, or ${hospital}`
      : medicare
  return `Each amount is what ${states}, and can be checked at its address.`
}

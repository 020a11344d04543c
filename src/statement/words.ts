// What the words around a table say: the sort of paper, its kind, and its sums.

import type { BillTotals, Kind } from './bill.ts'
import type { FoundLine } from './keep.ts'
import type { Reason } from './reasons.ts'
import { printedAmount } from './values.ts'

export const paperWords = (text: string): 'bill' | 'insurer' | 'estimate' =>
  /good[ -]faith estimate/i.test(text)
    ? 'estimate'
    : /explanation of benefits|this is not a bill|medicare summary notice|your claims? for part/i.test(text)
      ? 'insurer'
      : 'bill'

/** A revenue code is a facility's line; a place of service is a professional's (UB-04 and CMS-1500). */
export function kindOf(lines: readonly { found: FoundLine | Reason }[]): Kind | undefined {
  const some = (name: 'revenue' | 'place'): boolean =>
    lines.some(({ found }) => typeof found !== 'string' && Boolean(found[name]))
  return some('revenue') ? 'hospital' : some('place') ? 'professional' : undefined
}

/** Sums with their label in one line. */
const TOTALS: readonly (readonly [keyof BillTotals, RegExp])[] = [
  ['billed', /^(?:grand )?total (?:charges|billed|expected charges|estimated (?:charges|cost)|amount billed):?$/i],
  [
    'patient',
    /^(?:total )?(?:you owe|what you owe|balance due|amount due|patient (?:balance|responsibility)|your balance|please pay(?: this amount)?):?$/i,
  ],
]

/** The sums that a text states once. Two different ones under one label are none. */
export function totalsIn(texts: readonly string[], is: 'bill' | 'insurer' | 'estimate'): BillTotals {
  const found = new Map<keyof BillTotals, Set<string>>()
  for (const text of texts) {
    const plain = text.slice(0, 200).trim()
    const cut = plain.search(/\s[-(]?\$?[0-9][0-9,.]*\)?$/)
    if (cut < 0) continue
    const amount = printedAmount(plain.slice(cut))
    const [name] = TOTALS.find(([, label]) => label.test(plain.slice(0, cut).trim().replace(/\s+/g, ' '))) ?? []
    if (name === undefined || amount === undefined) continue
    const member = is === 'estimate' && name === 'billed' ? 'estimate' : name
    found.set(member, (found.get(member) ?? new Set()).add(amount))
  }
  return Object.fromEntries(
    [...found].flatMap(([name, amounts]) => (amounts.size === 1 ? [[name, [...amounts][0]]] : [])),
  )
}

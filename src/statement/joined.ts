// A bill, what the insurer says about it and what was estimated before it, as one request.

import type { BillLine, BillRequest, Paper } from './bill.ts'

const keyOf = ({ code, revenue_code, modifiers = [], day }: BillLine): string =>
  [code ?? `RC-${revenue_code}`, [...modifiers].sort().join('-'), day].join('|')

/**
 * The request of a bill with the allowed amount and the patient's part of each line from the insurer's statement, where exactly one line
 * of each has the code, modifiers and day; and with the total of the estimate. What the bill asks of the
 * patient stays its own total: the parts of the lines are the insurer's.
 */
export function joined(bill: Paper, insurer?: Paper, estimate?: Paper): BillRequest {
  const { request } = bill
  const counted = (lines: readonly BillLine[]): Map<string, BillLine[]> => {
    const map = new Map<string, BillLine[]>()
    for (const line of lines) {
      const same = map.get(keyOf(line))
      if (same) same.push(line)
      else map.set(keyOf(line), [line])
    }
    return map
  }
  const own = counted(request.lines)
  const stated = counted(insurer?.request.lines ?? [])
  const lines = request.lines.map((line) => {
    const [match, ...others] = stated.get(keyOf(line)) ?? []
    if (!match || others.length > 0 || own.get(keyOf(line))?.length !== 1) return line
    const { allowed, patient } = match
    return { ...line, ...(allowed !== undefined && { allowed }), ...(patient !== undefined && { patient }) }
  })
  const { allowed } = insurer?.request.totals ?? {}
  const expected = estimate?.request.totals?.estimate
  const totals = {
    ...request.totals,
    ...(allowed !== undefined && { allowed }),
    ...(expected !== undefined && { estimate: expected }),
  }
  return { ...request, lines, ...(Object.keys(totals).length > 0 && { totals }) }
}

// Puts the lines of one paper together: credits against their lines, sums against totals, each remark once.

import type { At, BillLine, BillRequest, BillTotals, Kind, Paper, Remark, Unread } from './bill.ts'
import { type FoundLine, keepLine } from './keep.ts'
import type { Note, Reason } from './reasons.ts'
import { sumOf, toCents } from './values.ts'

/** The type of the first bill of a stay, for papers that say only that it is one. */
export const STAY = '111'

export interface FoundPaper {
  is: Paper['is']
  kind?: Kind | undefined
  npi?: string | undefined
  typeOfBill?: string | undefined
  day?: string | undefined
  totals?: BillTotals
  notes?: readonly Note[]
  lines: readonly { at: At; found: FoundLine | Reason; notes?: readonly Note[] }[]
}

/** The paper with its report. `number` counts the papers of the file from 1. */
export function paperOf(found: FoundPaper, number: number): { paper: Paper; unread: Unread[] } {
  const unread: Unread[] = []
  const remarks = new Map<Note, At[]>((found.notes ?? []).map((note) => [note, []]))
  const remark = (note: Note, at: At): void => {
    const places = remarks.get(note) ?? []
    if (!places.includes(at)) places.push(at)
    remarks.set(note, places)
  }
  const kept: { at: At; line: BillLine }[] = []
  for (const { at, found: one, notes = [] } of found.lines) {
    const result = typeof one === 'string' ? { why: one } : keepLine(one)
    if ('why' in result) unread.push({ paper: number, at, why: result.why })
    else {
      kept.push({ at, line: result.line })
      for (const note of [...notes, ...result.notes]) remark(note, at)
    }
  }
  const lines = withoutCredits(kept, (at, why) => unread.push({ paper: number, at, why }))
  const totals = withoutGaps(found.totals ?? {})
  const billed = kept.flatMap(({ line }) => line.billed ?? [])
  if (lines.length === 0 && kept.length === 0) remarks.set('no_lines', [])
  else if (billed.length === 0 && totals.billed !== undefined) remarks.set('header_only', [])
  else if (totals.billed !== undefined && billed.length === kept.length)
    remarks.set(sumOf(billed) === totals.billed ? 'sums' : 'sums_differ', [])
  const [typeOfBill] = /^[1-9][0-9]{2}$/.exec(found.typeOfBill ?? '') ?? []
  const request: BillRequest = {
    ...(found.kind !== undefined && { kind: found.kind }),
    ...(found.npi !== undefined && { npi: found.npi }),
    ...(typeOfBill !== undefined && { type_of_bill: typeOfBill }),
    ...(found.day !== undefined && { day: found.day }),
    lines: lines.map(({ line }) => line),
    ...(Object.keys(totals).length > 0 && { totals }),
  }
  const shown: Remark[] = [...remarks].map(([note, at]) => (at.length > 0 ? { note, at } : { note }))
  return { paper: { is: found.is, request, at: lines.map(({ at }) => at), remarks: shown }, unread }
}

const withoutGaps = (totals: BillTotals): BillTotals =>
  Object.fromEntries(Object.entries(totals).filter(([, amount]) => amount !== undefined))

const MEMBERS = ['billed', 'allowed', 'patient'] as const

/** A credit takes back the nearest line before it that has its code, day and amounts; else the next one after it. */
function withoutCredits(
  kept: readonly { at: At; line: BillLine }[],
  leave: (at: At, why: Reason) => void,
): { at: At; line: BillLine }[] {
  const open = new Map<string, number[]>()
  const gone = new Map<number, Reason>()
  const keyOf = (line: BillLine, sign: bigint): string =>
    [
      line.code,
      line.modifiers?.join('-'),
      line.revenue_code,
      line.day,
      ...MEMBERS.map((name) => (line[name] === undefined ? '' : toCents(line[name]) * sign)),
    ].join('|')
  const isCredit = (line: BillLine): boolean => MEMBERS.some((name) => line[name]?.startsWith('-'))
  kept.forEach(({ line }, i) => {
    if (isCredit(line)) return
    const key = keyOf(line, 1n)
    const same = open.get(key)
    if (same) same.push(i)
    else open.set(key, [i])
  })
  kept.forEach(({ line }, i) => {
    if (!isCredit(line)) return
    const matches = open.get(keyOf(line, -1n)) ?? []
    const at = matches.findLastIndex((each) => each < i)
    const [match] = matches.splice(Math.max(at, 0), 1)
    gone.set(i, match === undefined ? 'lone_credit' : 'credited')
    if (match !== undefined) gone.set(match, 'credited')
  })
  return kept.filter(({ at }, i) => {
    const why = gone.get(i)
    if (why !== undefined) leave(at, why)
    return why === undefined
  })
}

import type { z } from 'zod'
import { jsonText } from '../../json-text.ts'
import { ReadyAnswer } from '../../operation.ts'
import { Problem } from '../../problem.ts'
import {
  BILL_FORMS,
  type Bill,
  type BillFault,
  isBill,
  LINE_FORMS,
  parseBill,
  TOTAL_FORMS,
} from '../../proof/check/bill.ts'
import { bodyOf, prolongedIn } from '../../proof/check/body.ts'
import { type BillCheck, checkBill } from '../../proof/check/check.ts'
import type { Evidence } from '../../proof/check/finding.ts'
import type { Registry } from '../../proof/lookup/lists.ts'
import { rowKey } from '../../proof/price/row.ts'
import { type LostSourcesOf, lostBehind } from '../lookup/answer.ts'
import { AnswerProof, type RowInRelease } from '../lookup/answer-proof.ts'
import { checkRead, type Trace, tracedRegistry } from '../lookup/find.ts'
import { type Proofs, permalink, unproved } from '../lookup/proofs.ts'
import type { BillQuery } from './bill-schema.ts'

/** Checks a bill by the published rules of its days, with proof that no finding is invented and none left out. */
export function billAnswer(
  proofs: Proofs,
  { proof: form, ...stated }: z.output<typeof BillQuery>,
  today: string,
  lostSources: LostSourcesOf,
): ReadyAnswer {
  const bill = billIn({ ...stated, day: stated.day ?? today })
  const { check, traces } = traced(proofs, bill)
  const stored = new Map(
    traces.flatMap(({ lists }) =>
      lists.flatMap(({ release, shown }) =>
        shown.map((row) => [`${release.release_id} ${row.row_key}`, { release, stored: row }] as const),
      ),
    ),
  )
  const find = ({ chart, day, row }: Evidence): RowInRelease => {
    const release = proofs.view.editionOn(chart, day)
    const found = release && stored.get(`${release.release_id} ${rowKey(row)}`)
    if (!found) throw unproved(release?.release_id ?? chart)
    return found
  }
  const editions = [
    ...new Map([...stored.values()].map(({ release }) => [release.release_id, release.manifest])).values(),
  ]
  const about = {
    ...(stated.day === undefined && { day: today }),
    ...missingIn(check),
    not_checked: NOT_CHECKED,
    ...lostBehind(editions, lostSources),
  }
  if (form === 'ref') {
    for (const trace of traces) checkRead(proofs, trace)
    const body = bodyOf(check, (evidence) => linkTo(find(evidence)))
    return new ReadyAnswer(jsonText({ ...body, ...prolongedIn(editions), about }))
  }
  const proof = new AnswerProof(proofs)
  for (const trace of traces) proof.addTrace(trace)
  const body = bodyOf(check, (evidence) => proof.place(find(evidence)))
  return new ReadyAnswer(jsonText({ ...body, ...prolongedIn(proof.manifests), proof: proof.member(), about }))
}

const linkTo = ({ release, stored }: RowInRelease): string => permalink(release, stored)

/** What no check of this kind knows. */
const NOT_CHECKED =
  'Medical necessity, records, contracts, coverage, prior authorization, the own policies of payers other than Medicare, and Medicaid are not checked.'

/** Runs the rules on the store, and notes what they looked at on each day. */
function traced(proofs: Proofs, bill: Bill): { check: BillCheck; traces: Trace[] } {
  const days = new Map<string, { registry: Registry; trace: Trace }>()
  const on = (day: string): Registry => {
    const known = days.get(day) ?? tracedRegistry(proofs, day)
    days.set(day, known)
    return known.registry
  }
  const traces = (): Trace[] => [...days.values()].map(({ trace }) => trace)
  try {
    return { check: checkBill(bill, on, proofs.charts), traces: traces() }
  } catch (fault) {
    // The rules trust what they are told: where they fail, rows that are not those that were published are the cause.
    for (const trace of traces()) checkRead(proofs, trace)
    throw fault
  }
}

/** Editions that are not held, each with the command that brings it. */
function missingIn({ skips }: BillCheck): { missing?: object[] } {
  const missing = new Map(
    skips
      .filter(({ why }) => why === 'no_edition')
      .map(({ chart, day }) => [
        `${chart} ${day}`,
        { chart, day, command: `atr fetch ${chart.startsWith('hospital-mrf') ? 'hospital' : chart}` },
      ]),
  )
  return missing.size === 0 ? {} : { missing: [...missing.values()] }
}

/** The bill as the rules read it. A refusal names the line and the member, and repeats nothing that was sent. */
function billIn(stated: unknown): Bill {
  const parsed = parseBill(stated)
  if (isBill(parsed)) return parsed
  const { line, member } = parsed
  const name = line === undefined ? member : `lines.${line}.${member}`
  throw new Problem('invalid_parameter', sentenceOf(parsed), {
    errors: [{ name, code: 'invalid_parameter', message: sentenceOf(parsed) }],
  })
}

function sentenceOf({ line, member }: BillFault): string {
  const forms = line !== undefined ? LINE_FORMS : member.startsWith('totals.') ? TOTAL_FORMS : BILL_FORMS
  const where = line === undefined ? '' : `line ${line}: `
  const name = member.replace(/^totals\./, '')
  if (member === 'unknown') return `${where}has a member that is not known; known are ${Object.keys(forms).join(', ')}`
  return `${where}${member} takes ${forms[name]?.[1] ?? 'another form'}`
}

// X12: claims (837) and remittances (835). A file may have several envelopes and transactions; each ST begins anew.

import { MOST_READ, type Paper, Refused, type Statement, type Unread } from './bill.ts'
import { claimsIn } from './claim.ts'
import { paperOf } from './paper.ts'
import { remittancesIn } from './remittance.ts'
import { type Segment, segmentsOf, separatorsOf } from './segments.ts'

export const isX12 = (text: string): boolean => /^\s*(?:ISA|GS|ST)[^A-Za-z0-9\s]/i.test(text.slice(0, 200))

export function readX12(text: string): Statement {
  const plain = text.trimStart()
  const separators = separatorsOf(plain)
  const papers: Paper[] = []
  const unread: Unread[] = []
  let number = 0
  let lines = 0
  let known = 0
  for (const { kind, segments } of transactionsOf(segmentsOf(plain, separators))) {
    const transaction = { segments, component: separators.component }
    const found = kind === '837' ? claimsIn(transaction) : kind === '835' ? remittancesIn(transaction) : []
    if (kind === '837' || kind === '835') known++
    for (const one of found) {
      number++
      if ('why' in one) {
        unread.push({ paper: number, at: one.at, why: one.why })
        continue
      }
      lines += one.lines.length
      if (lines > MOST_READ) {
        unread.push({ paper: number, why: 'too_many' })
        return { ok: true, format: 'x12', papers, unread }
      }
      const { paper, unread: left } = paperOf(one, number)
      papers.push(paper)
      unread.push(...left)
    }
  }
  if (known === 0) throw new Refused('not_x12')
  return { ok: true, format: 'x12', papers, unread }
}

/** From each ST to the next, or to the end of the envelope. What is under an ST that is neither is passed over. */
function* transactionsOf(segments: Iterable<Segment>): Generator<{ kind: string; segments: Segment[] }> {
  let open: { kind: string; segments: Segment[] } | undefined
  for (const segment of segments) {
    if (['ST', 'SE', 'GE', 'GS', 'ISA', 'IEA'].includes(segment.name)) {
      if (open) yield open
      open = segment.name === 'ST' ? { kind: segment.elements[1] ?? '', segments: [] } : undefined
    } else if (open && KEPT.has(segment.name)) open.segments.push(segment)
  }
  if (open) yield open
}

/** The closed list of segments. Names, addresses, birth dates, references, notes and bank accounts are in others, or in elements that no reader asks for. */
const KEPT: ReadonlySet<string> = new Set([
  ...['HL', 'CLM', 'LX', 'SV1', 'SV2', 'SV3', 'DTP', 'NM1', 'SBR', 'SVD'],
  ...['BPR', 'N1', 'CLP', 'SVC', 'CAS', 'DTM', 'AMT', 'PLB'],
])

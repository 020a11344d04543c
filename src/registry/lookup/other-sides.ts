// What the others are paid who bill for the same service: the fee of a doctor is easily taken for the price of a whole visit.

import type { ParsedQuestion } from '../../proof/lookup/question.ts'
import type { BillKind } from '../../proof/lookup/side.ts'
import { factsOf } from '../../proof/price/charts.ts'
import type { Basis, PricedRow } from '../../proof/price/row.ts'
import { ROW_MODIFIERS } from '../../tables/row-modifiers.ts'
import { BILL_KINDS, KIND_ENTRIES, PLACES_OF_SERVICE } from '../../tables/sides.ts'
import { unlessDamaged } from './beside.ts'
import { citable } from './cited-row.ts'
import { find, type LookupResult } from './find.ts'
import { type Proofs, permalink } from './proofs.ts'

/** An amount beside the answer, with the address of its row and its proof. */
export interface OtherSide {
  basis: Basis
  setting: string | null
  modifier: string | null
  amount: string
  href: string
}

const MOST_SHOWN = 3

/** The prices of the other sides; none where the bill says whose it is and nobody else bills there. */
export function otherSides(proofs: Proofs, { question, decision }: LookupResult): OtherSide[] {
  if (decision.outcome !== 'price' || question.npi !== null || decision.row.kind !== 'price') return []
  const { row } = decision
  return othersThan(question, row)
    .flatMap((kind) => pricedFor(proofs, question, kind, row) ?? [])
    .filter(
      ({ basis, setting, modifier }) => basis !== row.basis || setting !== row.setting || modifier !== row.modifier,
    )
    .slice(0, MOST_SHOWN)
}

/** The rows of the technical part are nobody's bill alone. */
const isTechnical = (modifier: string | null): boolean => ROW_MODIFIERS.get(modifier)?.part === 'technical'
const PROFESSIONAL_PART = [...ROW_MODIFIERS.values()].find(({ part }) => part === 'professional')?.modifier

/** Whose amount a row is, where one side alone is paid by its schedule. */
function kindOf({ setting }: PricedRow): BillKind | undefined {
  return setting === null ? undefined : BILL_KINDS.find((kind) => KIND_ENTRIES[kind].settings.includes(setting))
}

/** Who else bills for the service that was answered. */
function othersThan({ side, bill }: ParsedQuestion, row: PricedRow): BillKind[] {
  const own = kindOf(row)
  if (isTechnical(row.modifier) || own === 'equipment') return []
  if (own === 'hospital' || own === 'surgery_center') return ['professional']
  // A bill that says where a professional worked says who else bills there.
  const there = side && PLACES_OF_SERVICE.get(bill.place_of_service ?? '')
  if (there) return there.beside ? [there.beside] : []
  return own === 'professional' ? ['professional', 'hospital', 'surgery_center'] : ['hospital']
}

function pricedFor(proofs: Proofs, question: ParsedQuestion, kind: BillKind, row: PricedRow): OtherSide | undefined {
  const modifiers: string[] = []
  // Whoever else is paid works in a hospital or a center, where a professional has the other rate.
  const setting = kind === 'professional' ? 'facility' : KIND_ENTRIES[kind].settings[0]
  const asked = { ...question, side: undefined, bill: {}, basis: undefined, setting, modifiers }
  const found = priceOf(proofs, asked, kind)
  if (kind !== 'professional' || found?.row.indicators['pc_tc'] !== '1' || PROFESSIONAL_PART === undefined)
    return found && shown(proofs, found)
  // Where a service has two parts, the hospital is paid for the technical one.
  if (row.modifier === PROFESSIONAL_PART) return undefined
  const part = priceOf(proofs, { ...asked, modifiers: [PROFESSIONAL_PART] }, kind)
  return part && shown(proofs, part)
}

interface Found {
  result: LookupResult
  chart: string
  row: PricedRow
}

/** A price of a schedule that the side alone has: one that pays all sides alike says nothing beside the answer. */
function priceOf(proofs: Proofs, asked: ParsedQuestion, kind: BillKind): Found | undefined {
  const result = unlessDamaged(() => find(proofs, asked))
  if (result?.decision.outcome !== 'price') return undefined
  const { chart, row } = result.decision
  const isOwn = factsOf(chart, proofs.charts)?.settings.some(
    (each) => each !== null && KIND_ENTRIES[kind].settings.includes(each),
  )
  return isOwn ? { result, chart, row } : undefined
}

function shown(proofs: Proofs, { result, chart, row }: Found): OtherSide | undefined {
  if (!('amount' in row.price)) return undefined
  const { release, stored } = citable(result, chart, row)
  // The amount is shown, so its bytes are checked as those of the answer are.
  const isSound = unlessDamaged(() => proofs.check(release, stored) ?? true)
  if (!isSound) return undefined
  const { basis, setting, modifier, price } = row
  return { basis, setting, modifier, amount: price.amount, href: permalink(release, stored) }
}

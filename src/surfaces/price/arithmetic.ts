import type { PricedRow } from '../../proof/price/row.ts'

// How an amount follows from the inputs that its row states, spelled out. Exact: nothing is rounded before the end.

/** An exact decimal: digits, and the number of them after the point. */
interface Decimal {
  digits: bigint
  places: number
}

function decimal(text: string): Decimal {
  const [whole = '', fraction = ''] = text.split('.')
  return { digits: BigInt(whole + fraction), places: fraction.length }
}
const times = (a: Decimal, b: Decimal): Decimal => ({ digits: a.digits * b.digits, places: a.places + b.places })
function plus(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places)
  const raised = (each: Decimal): bigint => each.digits * 10n ** BigInt(places - each.places)
  return { digits: raised(a) + raised(b), places }
}
function written({ digits, places }: Decimal): string {
  const text = String(digits).padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}

export interface FormulaPart {
  name: string
  rvu: string
  gpci: string
  product: string
}
/** The physician fee schedule formula: three products, their sum, and the factor in dollars. */
export interface Formula {
  parts: readonly FormulaPart[]
  sum: string
  factor: string
  /** Before it is rounded to the cent. */
  exact: string
}

const PARTS = [
  ['Work', 'work'],
  ['Practice expense', 'practice'],
  ['Malpractice', 'malpractice'],
] as const

type Inputs = Readonly<Record<string, string>>

function formulaOf(inputs: Inputs, rvuOf: (part: string) => string): Formula {
  const factor = inputs['conversion_factor'] ?? '0'
  let sum: Decimal = { digits: 0n, places: 0 }
  const parts = PARTS.map(([name, part]) => {
    const [rvu, gpci] = [rvuOf(part), inputs[`${part}_gpci`] ?? '0']
    const product = times(decimal(rvu), decimal(gpci))
    sum = plus(sum, product)
    return { name, rvu, gpci, product: written(product) }
  })
  return { parts, sum: written(sum), factor, exact: written(times(sum, decimal(factor))) }
}

export interface Arithmetic {
  formula?: Formula
  /** The formula with the values of the outpatient system, where CMS caps the amount by them. */
  cap?: Formula
  sentences: readonly string[]
}

const ROUNDED = 'The result is rounded once, half up, to the cent.'

export function arithmeticOf({ derivation: { method, inputs }, flags }: PricedRow): Arithmetic {
  if (method === 'pfs-formula/1') return ofFormula(inputs, flags.includes('opps_cap'))
  const stated = Object.values(inputs).join(' and ')
  const SENTENCES: { [method: string]: string } = {
    'verbatim/1': `The file states ${stated}. Nothing was computed.`,
    'rounded/1': `The file states ${stated}, which is rounded half up to the cent.`,
    'range/1': `The file lists several amounts for this question, from ${inputs['low']} to ${inputs['high']}. Nothing was computed.`,
    'least-rate/1': `The file lists several negotiated rates; ${stated} is the lowest of them.`,
    'greatest-rate/1': `The file lists several negotiated rates; ${stated} is the highest of them.`,
  }
  return { sentences: [SENTENCES[method] ?? `Made from ${stated} by the method ${method}.`] }
}

function ofFormula(inputs: Inputs, isCapped: boolean): Arithmetic {
  const formula = formulaOf(inputs, (part) => inputs[`${part}_rvu`] ?? '0')
  if (inputs['opps_practice_rvu'] === undefined) return { formula, sentences: [ROUNDED] }
  const cap = formulaOf(inputs, (part) => inputs[`opps_${part}_rvu`] ?? inputs[`${part}_rvu`] ?? '0')
  const compared = `Medicare pays no more for imaging than the hospital outpatient system would: with its values the result is ${cap.exact}`
  return {
    formula,
    cap,
    sentences: [ROUNDED, isCapped ? `${compared}, which is lower and counts.` : `${compared}, which is not lower.`],
  }
}

// Several units of therapy on one day: the practice part of all units but the dearest is paid in part. RVU record layout,
// MULT PROC 5.

import { THERAPY } from '../../tables/bill-rules.ts'
import { conversionFactor, indices, relativeValues } from '../price/physician-fee.ts'
import { type ClaimLine, indicatorOf, PFS } from './claim.ts'
import { type Outcome, skipped } from './finding.ts'
import { byValue, type Reduction, rounded, thousandths } from './ranking.ts'

type Coded = ClaimLine & { code: string }

/** A line with the parts of one unit's fee. */
interface Therapy {
  line: Coded
  /** In units of 10^-9 dollars. */
  practice: bigint
  others: bigint
}

export function reducedTherapy(group: readonly Coded[]): Reduction[] {
  const lines = group.filter(
    (line) => indicatorOf(line, 'multiple_procedure') === THERAPY.indicator && THERAPY.from <= line.day,
  )
  if (lines.reduce((sum, { units }) => sum + units, 0) < 2) return []
  const known: Therapy[] = []
  const skips: Outcome['skips'][number][] = []
  for (const line of lines) {
    const parts = partsOf(line)
    if (parts) known.push({ line, ...parts })
    else skips.push(...skipped({ rule: 'reduced', chart: PFS, day: line.day, why: 'no_price' }, [line]))
  }
  const ranked = byValue(
    known,
    ({ practice }) => practice,
    ({ line }) => line.line,
  )
  const pays = new Map(
    ranked.map(({ line, practice, others }, i) => {
      const inFull = i === 0 ? 1n : 0n
      const unit = line.listed?.unit ?? 0n
      return [line.line, unit * inFull + reducedUnit(line, practice, others) * (BigInt(line.units) - inFull)]
    }),
  )
  return [{ variant: 'therapy', pays, skips }]
}

function partsOf({ listed }: Coded): Omit<Therapy, 'line'> | undefined {
  const { derivation, flags } = listed?.price?.row ?? {}
  if (derivation?.method !== 'pfs-formula/1' || flags?.includes('opps_cap')) return undefined
  const { inputs } = derivation
  const of = (kind: string) => ({
    work: inputs[`work_${kind}`] ?? '',
    practice: inputs[`practice_${kind}`] ?? '',
    malpractice: inputs[`malpractice_${kind}`] ?? '',
  })
  const [rvu, gpci] = [relativeValues(of('rvu')), indices(of('gpci'))]
  const factor = BigInt(conversionFactor(inputs['conversion_factor'] ?? ''))
  const part = (name: 'work' | 'practice' | 'malpractice'): bigint => BigInt(rvu[name]) * BigInt(gpci[name]) * factor
  return { practice: part('practice'), others: part('work') + part('malpractice') }
}

/** A cent in units of 10^-9 dollars, times the thousandths of a factor. */
const CENT = 10_000_000n * 1_000n

/** One unit with its practice part reduced: rounded once, half up to the cent, and then changed by its modifier. */
function reducedUnit({ listed }: Coded, practice: bigint, others: bigint): bigint {
  const sum = others * 1_000n + practice * thousandths(THERAPY.practice)
  const amount = ((2n * sum + CENT) / (2n * CENT)) * 100n
  const adjustment = listed?.decision.outcome === 'price' ? listed.decision.adjustment : undefined
  return adjustment ? rounded(amount * thousandths(adjustment.factor)) : amount
}

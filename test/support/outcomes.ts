import { COLUMNS } from '../../src/figures/ledger/outcome.ts'
import { dice } from '../attack/dice.ts'

/** A file of invented outcomes, the same for the same number. */
export function outcomesFile(n: number, cases: number, npis: readonly string[] = []): string {
  const { below } = dice(n)
  const line = (i: number): string => {
    const place = `${n.toString(16).padStart(4, '0')}${i.toString(16).padStart(8, '0')}`
    const closed = Number(below(10) > 0)
    return [
      `${below(2 ** 32)
        .toString(16)
        .padStart(8, '0')}-0000-4000-8000-${place}`,
      2024 + below(3),
      ['CA', 'TX', 'NY', ''][below(4)],
      below(2) === 0 ? '' : (npis[below(npis.length)] ?? ''),
      closed,
      closed && below(2),
      below(2),
      below(2),
      below(3000),
    ].join(',')
  }
  return `${COLUMNS.join(',')}\n${Array.from({ length: cases }, (_, i) => line(i)).join('\n')}\n`
}

/** The first moment of the n-th quarter since 1970. */
export const quarterOf = (n: number): number => Date.UTC(1970, 3 * n)

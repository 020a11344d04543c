import type { Finding, Outcome } from './finding.ts'

/** A line of which one part is paid, or none: `pays` has what is paid of each line. */
export type Reduction = Pick<Outcome, 'skips'> & {
  variant: string
  words?: Finding['words']
  pays: ReadonlyMap<number, bigint>
}

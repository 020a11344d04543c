// What a process of `attempts.ts` is told, and what it reports.

export interface Order {
  /** Files of tests to load. */
  files: readonly string[]
  /** Where reports are appended. */
  reports: string
  /** How many mutants there are. */
  count: number
  /** Whether to find out what each test reaches. */
  isCover: boolean
  /** Whether the one mutant is there from the start, also while the code is loaded. */
  isAlone: boolean
  attempts: readonly { id: number; names: readonly string[] }[]
  /** Processor time of each test. On a busy machine the time of the clock says little. */
  ms: Record<string, number>
}

export type Report =
  | { kind: 'loaded'; reached: number[] }
  | { kind: 'test'; name: string; ms: number; failure: string | undefined; reached: number[] }
  | { kind: 'begun' | 'survived' | 'unclear'; id: number }
  | { kind: 'killed'; id: number; by: string; isEndless: boolean }
  | { kind: 'done' }

/** Runs `work` for about `seconds` after a warm-up, three times, and returns the median rate per second. */
export async function rate(work: () => unknown, seconds = 1): Promise<number> {
  const rounds: number[] = []
  await timed(work, seconds / 4)
  for (let round = 0; round < 3; round++) rounds.push(await timed(work, seconds))
  return rounds.sort((a, b) => a - b)[1] as number
}

async function timed(work: () => unknown, seconds: number): Promise<number> {
  const started = performance.now()
  let done = 0
  while (performance.now() - started < seconds * 1000) {
    await work()
    done++
  }
  return done / ((performance.now() - started) / 1000)
}

export interface Line {
  what: string
  figure: string
  /** Against a named peer in the same run, or nothing where there is none. */
  beside: string
  /** What is kept and compared with the next run. */
  ratio?: Ratio
}

export interface Ratio {
  name: string
  value: number
  /** More is better unless this says so. */
  lowerIsBetter?: true
}

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en-US')}/s`
export const times = (value: number, peer: number): string => `${(value / peer).toFixed(2)}x`

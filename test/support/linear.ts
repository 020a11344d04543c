import { effort } from './effort.ts'

/** Processor time in milliseconds. */
async function timeOf(work: () => unknown): Promise<number> {
  const spent = effort()
  await work()
  return spent()
}

async function leastOf(work: () => unknown): Promise<number> {
  return Math.min(await timeOf(work), await timeOf(work), await timeOf(work))
}

/** Far more than a look in proportion takes at these lengths, and far less than one that grows with the square. */
const SUSPICIOUS_MS = 10

/**
 * Whether work takes at most twice the time for twice the text. Each text has a hostile shape; `texts` makes them all at
 * about a length.
 */
export async function isLinear(
  work: (text: string) => unknown,
  texts: (length: number) => readonly string[],
  most: number,
): Promise<boolean> {
  for (const [at, text] of texts(most).entries()) {
    if ((await timeOf(() => work(text))) < SUSPICIOUS_MS) continue
    const half = texts(most / 2)[at] ?? ''
    const least = await leastOf(() => work(text))
    if (least > 3 * (await leastOf(() => work(half))) + SUSPICIOUS_MS) return false
  }
  return true
}

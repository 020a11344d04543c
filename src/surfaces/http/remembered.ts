const MOST_TEXTS = 200
/** Longer texts are worked out each time. */
const LONGEST_TEXT = 300

/** Remembers results for the header texts that were seen of late. They are hostile, so the memory is bounded. */
export function remembered<Result>(work: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const result = work(text)
    if (text.length > LONGEST_TEXT) return result
    if (known.size >= MOST_TEXTS) known.clear()
    known.set(text, result)
    return result
  }
}

/** No client sends more of either. A header of thousands would cost more than the answer, also to a caller past its quota. */
const [MOST_PARTS, MOST_WORDS] = [64, 8]

/** The parts of a header that is a list, each as its words: the first is its value, the others are parameters. */
export const partsOf = (header: string): string[][] =>
  header.split(',', MOST_PARTS).map((part) => part.split(';', MOST_WORDS).map((word) => word.trim().toLowerCase()))

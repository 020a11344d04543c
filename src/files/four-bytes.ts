// Looks at four bytes of text at once. A mark is the highest bit of a byte; bytes above 127 have none of their own.
// Only the lowest mark is sure: a byte after it may be marked without cause, so look at what was found.

/** Marks the bytes that are at most `byte`. */
export const marksUpTo = (byte: number, word: number): number =>
  (word - Math.imul(byte + 1, 0x01010101)) & ~word & 0x80808080

/** Marks the bytes that are `byte`. */
export function marksOf(byte: number, word: number): number {
  const other = word ^ Math.imul(byte, 0x01010101)
  return (other - 0x01010101) & ~other & 0x80808080
}

/** How many bytes stand before the lowest mark, where bytes were read with the first as the lowest. */
export const firstMark = (marks: number): number => (31 - Math.clz32(marks & -marks)) >> 3

/** The lines of a fixed-width file, counted from 1. A CMS text file may end with the byte 0x1A, which is not a line. */
export function* textLines(text: string): Generator<{ text: string; line: number }> {
  for (let at = 0, line = 1; at < text.length && text[at] !== '\u001a'; line++) {
    const end = text.indexOf('\n', at)
    const last = end < 0 ? text.length : end
    yield { text: text.slice(at, text[last - 1] === '\r' ? last - 1 : last), line }
    at = last + 1
  }
}

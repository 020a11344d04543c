/** A run of lines that stands in two places. */
export interface Repeat {
  one: string
  other: string
  lines: number
}

interface Line {
  place: string
  text: string
}

/**
 * Runs of at least `least` equal lines in two places. Spaces do not count, and neither do imports, blank lines and lines
 * of brackets alone: those are alike everywhere.
 */
export function repeats(files: readonly { file: string; text: string }[], least: number): Repeat[] {
  const seen = new Map<string, { lines: Line[]; at: number }>()
  const found: Repeat[] = []
  for (const { file, text } of files) {
    const lines = tellingLines(file, text)
    for (let at = 0; at + least <= lines.length; ) {
      const run = textsOf(lines, at, least).join('\n')
      const known = seen.get(run)
      // A run that begins inside itself, as in a list of like lines, is no second place.
      if (!known || (known.lines === lines && known.at + least > at)) {
        seen.set(run, known ?? { lines, at })
        at++
        continue
      }
      let length = least
      while (isSame(known.lines[known.at + length], lines[at + length])) length++
      found.push({ one: known.lines[known.at]?.place ?? '', other: lines[at]?.place ?? '', lines: length })
      at += length
    }
  }
  return found
}

const textsOf = (lines: readonly Line[], at: number, count: number): string[] =>
  lines.slice(at, at + count).map(({ text }) => text)

const isSame = (one: Line | undefined, other: Line | undefined): boolean =>
  one !== undefined && one.text === other?.text

function tellingLines(file: string, text: string): Line[] {
  const bare = text.replaceAll(/^(?:import|export)\b[^'"`;=(]*?\bfrom '[^']+'$/gms, (imported) =>
    imported.replaceAll(/[^\n]/g, ''),
  )
  return bare
    .split('\n')
    .map((line, i) => ({ place: `${file}:${i + 1}`, text: line.trim().replaceAll(/\s+/g, ' ') }))
    .filter((line) => /[^\s(){}[\],;]/.test(line.text))
}

// The beginning of an export, by which it is known.

const PARQUET = 'PAR1'

export const isCsv = (text: string): boolean => /^(code|zip),/.test(text)

/** A row of NDJSON is exactly the text that was hashed; an answer in one line has a proof. */
const isRow = (line: string): boolean =>
  /^\{"(adjudication|basis|code|effective_from)":/.test(line) && !line.includes('"proof":')

/** Whether a text is the beginning of an export, or the bytes of one that were read as text. */
export function isExport(text: string): boolean {
  const end = text.indexOf('\n')
  return text.startsWith(PARQUET) || (end > 0 && (isCsv(text) || isRow(text.slice(0, end))))
}

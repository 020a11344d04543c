// Tables of a copied text whose columns were lost: the words of a row follow each other, in one line or in several. The headings say in which
// order. A row is taken only if its words fit the columns in exactly one way.

import { asStream, type Field, headingsIn } from './headings.ts'
import type { FoundLine } from './keep.ts'
import type { Note, Reason } from './reasons.ts'
import type { TextLine, Token } from './tokens.ts'
import { fromCents, toCents } from './values.ts'

export interface StreamedLine {
  at: number
  found: FoundLine | Reason
  notes: Note[]
}

const MOST_HEADING_LINES = 30
const AMOUNTS: ReadonlySet<Field> = new Set(['price', 'billed', 'allowed', 'patient', 'otherAmount'])
const KEPT_AMOUNTS: readonly Field[] = ['billed', 'allowed', 'patient', 'price']

/** The lines of all tables of a text. */
export function streamedLines(lines: readonly TextLine[]): StreamedLine[] {
  const tables: { fields: Field[]; lines: TextLine[] }[] = []
  const known = new Map<string, Field | undefined>()
  let i = 0
  while (i < lines.length) {
    const heading = headingAt(lines, i, known)
    if (heading) {
      tables.push({ fields: heading.fields.flatMap(asStream), lines: [] })
      i += heading.lines
    } else {
      const line = lines[i]
      if (line) tables.at(-1)?.lines.push(line)
      i++
    }
  }
  return tables.flatMap(({ fields, lines: own }) => linesOf(fields, own))
}

/** A heading that begins with this line: it names a code or revenue code and an amount. */
function headingAt(
  lines: readonly TextLine[],
  start: number,
  known: Map<string, Field | undefined>,
): { fields: Field[]; lines: number } | undefined {
  const first = lines[start]?.tokens ?? []
  if (
    first.length === 0 ||
    first.some(({ isMoney }) => isMoney) ||
    headingsIn(
      first.slice(0, 9).map(({ text }) => text),
      known,
    ).used === 0
  )
    return undefined
  const words: string[] = []
  let best: { fields: Field[]; lines: number } | undefined
  for (let count = 0; count < MOST_HEADING_LINES; count++) {
    const tokens = lines[start + count]?.tokens ?? []
    if (tokens.some(({ isMoney }) => isMoney) || words.length > 45) break
    words.push(...tokens.map(({ text }) => text))
    const { fields, used } = headingsIn(words, known)
    if (used < words.length - 12) break
    const isOfLines = fields.some((field) => field === 'code' || field === 'serviceCode' || field === 'revenue')
    if (used === words.length && isOfLines && fields.some((field) => KEPT_AMOUNTS.includes(field)))
      best = { fields, lines: count + 1 }
  }
  return best
}

interface Row {
  at: number
  tokens: Token[]
}

/** A row ends with the line that has its amounts. Lines without one belong to the row after them. */
function rowsOf(lines: readonly TextLine[]): { rows: Row[]; rest: Token[] } {
  const rows: Row[] = []
  let tokens: Token[] = []
  for (const line of lines) {
    tokens.push(...line.tokens)
    if (!line.tokens.some(({ isMoney }) => isMoney)) continue
    rows.push({ at: line.at, tokens })
    tokens = []
  }
  return { rows, rest: tokens.slice(0, 12) }
}

const isTotal = ({ tokens }: Row): boolean =>
  /^(?:sub-?|grand)?totals?\b|^0001$|^balance$|^insurance$|^payments?$|^amount$/i.test(tokens[0]?.text ?? '')
/** A row with more words, and rows after so many, are not tried. */
const MOST_TOKENS = 40
const MOST_ROWS = 2_000

function linesOf(fields: readonly Field[], lines: readonly TextLine[]): StreamedLine[] {
  const { rows, rest } = rowsOf(lines)
  const all = rows.filter((row) => !isTotal(row))
  const hasCode = ({ tokens }: Row): boolean =>
    tokens.some(({ code, revenue }) => code ?? (fields.includes('revenue') && revenue))
  // Where amounts come before their code, each would be given to the code before it.
  const isShifted = all.length > 0 && ((all[0] && !hasCode(all[0])) || rest.some(({ code }) => code !== undefined))
  const fits = all.map((row, i) =>
    isShifted || i >= MOST_ROWS || row.tokens.length > MOST_TOKENS ? [] : fitsOf(row.tokens, fields),
  )
  // A column without a single value stands elsewhere in the text.
  const isLost = fields.some(
    (field, i) => isCountedBlank(field) && fits.every(([best]) => best === undefined || best.values[i] === undefined),
  )
  const blank = new Set(
    fits.flatMap(([best]) =>
      best ? fields.filter((field, i) => isCountedBlank(field) && best.values[i] === undefined) : [],
    ),
  )
  return all.flatMap((row, n): StreamedLine[] => {
    const [best, ...others] = fits[n] ?? []
    if (!hasCode(row) && !best) return []
    if (!best || isLost) return [{ at: row.at, found: 'two_amounts', notes: [] }]
    if (others.length > 0) return [{ at: row.at, found: reasonOf(best, others, fields), notes: [] }]
    // In a table with empty cells, a number at the end of a description may stand where the units are missing.
    const isOpen = fields.some(
      (field, i) => blank.has(field) && best.values[i] !== undefined && couldBeBlank(row.tokens, fields, i),
    )
    return [isOpen ? { at: row.at, found: 'two_units', notes: [] } : lineOf(row.at, best, fields)]
  })
}

interface Fit {
  /** The tokens of each column; undefined where its cell is empty. */
  values: (Token[] | undefined)[]
  blanks: number
}

const isCountedBlank = (field: Field): boolean => !['words', 'modifier', 'claim', 'pointer'].includes(field)

/** Every way to read the words of a row as its columns, with the fewest empty cells. Two ways that keep the same values are one. */
function fitsOf(tokens: readonly Token[], fields: readonly Field[]): Fit[] {
  const known = new Map<number, Fit[]>()
  const from = (i: number, j: number): Fit[] => {
    if (j === fields.length) return i === tokens.length ? [{ values: [], blanks: 0 }] : []
    const key = i * 100 + j
    const before = known.get(key)
    if (before) return before
    const field = fields[j] ?? 'words'
    const found = takes(field, tokens, i, fields[j + 1]).flatMap((count) => {
      const taken = count > 0 ? tokens.slice(i, i + count) : undefined
      const isBlank = taken === undefined && isCountedBlank(field)
      return from(i + count, j + 1).map((fit) => ({
        values: [taken, ...fit.values],
        blanks: fit.blanks + (isBlank ? 1 : 0),
      }))
    })
    const best = fewest(found, fields.slice(j))
    known.set(key, best)
    return best
  }
  return from(0, 0)
}

const MOST_FITS = 4

function fewest(fits: readonly Fit[], fields: readonly Field[]): Fit[] {
  const least = Math.min(...fits.map(({ blanks }) => blanks))
  const seen = new Map<string, Fit>()
  for (const fit of fits) {
    const key = fit.values
      .map((tokens, i) => (fields[i] === 'words' ? '' : (tokens ?? []).map(({ text }) => text).join(' ')))
      .join('|')
    if (fit.blanks === least && !seen.has(key) && seen.size < MOST_FITS) seen.set(key, fit)
  }
  return [...seen.values()]
}

/** How many words a column may take from here. */
function takes(field: Field, tokens: readonly Token[], i: number, next: Field | undefined): number[] {
  const token = tokens[i]
  const one = (fits: unknown): number[] => (token && fits ? [0, 1] : [0])
  switch (field) {
    case 'day':
    case 'lastDay':
      return one(token?.day ?? token?.boxed)
    case 'revenue':
      return one(token?.revenue)
    case 'place':
      return one(token?.place)
    case 'units':
      return one(token?.count ?? token?.isStroke)
    case 'pointer':
      return one(/^[A-L](?:,?[A-L]){0,3}$|^[1-4](?:,?[1-4]){0,3}$/.test(token?.text ?? ''))
    case 'code': {
      if (!token?.code) return [0]
      const counts = [0, 1]
      for (let count = 2; count <= 5 && tokens[i + count - 1]?.isModifier && next !== 'modifier'; count++)
        counts.push(count)
      return counts
    }
    case 'modifier': {
      const counts = [0]
      for (let count = 1; count <= 4 && tokens[i + count - 1]?.isModifier; count++) counts.push(count)
      return counts
    }
    case 'words':
    case 'claim': {
      const counts = [0]
      for (let count = 1; i + count <= tokens.length; count++) {
        const word = tokens[i + count - 1]
        if (!word || word.isMoney || word.day) break
        counts.push(count)
      }
      return counts
    }
    default:
      return one(AMOUNTS.has(field) && (token?.isMoney || token?.isStroke))
  }
}

/** Whether the row could be read with this cell empty, in a table where such cells are. */
function couldBeBlank(tokens: readonly Token[], fields: readonly Field[], i: number): boolean {
  return (
    fitsOf(
      tokens,
      fields.filter((_, at) => at !== i),
    ).length > 0
  )
}

function reasonOf(best: Fit, others: readonly Fit[], fields: readonly Field[]): Reason {
  const differing = fields.find((_, i) =>
    others.some(
      (other) =>
        (other.values[i] ?? []).length !== (best.values[i] ?? []).length ||
        other.values[i]?.[0] !== best.values[i]?.[0],
    ),
  )
  return differing === 'units'
    ? 'two_units'
    : differing === 'code' || differing === 'modifier'
      ? 'two_codes'
      : 'two_amounts'
}

function lineOf(at: number, { values }: Fit, fields: readonly Field[]): StreamedLine {
  const notes: Note[] = []
  const of = (field: Field): Token[] => values[fields.indexOf(field)] ?? []
  const [code, ...beside] = of('code')
  const [day] = of('day')
  const [units] = of('units')
  const amountOf = (field: Field): string | undefined => of(field)[0]?.amount
  const price = amountOf('price')
  const count = units?.count
  const [last] = of('lastDay')
  const first = day?.day?.day ?? day?.boxed
  if (day?.day?.isRange || (last && (last.day?.day ?? last.boxed) !== first)) notes.push('range_of_days')
  const billed =
    amountOf('billed') ??
    (price !== undefined && /^[0-9]+$/.test(count ?? '1')
      ? fromCents(toCents(price) * BigInt(count ?? '1'))
      : undefined)
  return {
    at,
    notes,
    found: {
      code: code?.code?.code,
      modifiers: [
        ...(code?.code?.modifiers ?? []),
        ...beside.map(({ text }) => text),
        ...of('modifier').map(({ text }) => text),
      ],
      revenue: of('revenue')[0]?.revenue,
      place: of('place')[0]?.place,
      day: first,
      units: count,
      billed,
      allowed: amountOf('allowed'),
      patient: amountOf('patient'),
    },
  }
}

/** Words beside an amount that is something else than a charge. */
const NO_CHARGE =
  /\b(?:co-?pay|paid|payments?|adjust|discount|deductible|co-?insurance|allowed|owe|balance|credit|due|refund)/i

/** A line without headings: one code and one amount at its end, and `x2` where it has units. */
export function loneLine({ at, text, tokens }: TextLine): StreamedLine | undefined {
  const codes = tokens.filter(({ code }) => code !== undefined)
  const amounts = tokens.filter(({ isMoney }) => isMoney)
  if (codes.length === 0 || amounts.length === 0 || NO_CHARGE.test(text)) return undefined
  if (codes.length > 1) return { at, found: 'two_codes', notes: [] }
  if (amounts.length > 1 || !tokens.at(-1)?.isMoney) return { at, found: 'two_amounts', notes: [] }
  const [code] = codes
  const times = tokens.filter(({ isTimes }) => isTimes)
  const days = tokens.filter(({ day }) => day !== undefined)
  // A number before the amount may be the units, or the end of the description.
  const before = tokens.at(-2)
  if (times.length > 1 || (before?.count !== undefined && !before.isTimes)) return { at, found: 'two_units', notes: [] }
  const after = code && tokens[tokens.indexOf(code) + 1]
  if (after?.isModifier) return { at, found: 'two_codes', notes: [] }
  return {
    at,
    notes: days[0]?.day?.isRange ? ['range_of_days'] : [],
    found: {
      code: code?.code?.code,
      modifiers: code?.code?.modifiers ?? [],
      day: days.length === 1 ? days[0]?.day?.day : undefined,
      units: times[0]?.count,
      billed: amounts[0]?.amount,
    },
  }
}

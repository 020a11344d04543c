import { Problem } from '../../problem.ts'
import { ADJUDICATIONS, type LimitRow } from '../../proof/price/edit-row.ts'
import { isDay } from '../../proof/shape.ts'
import { type Findings, note } from '../../registry/release/rules.ts'
import { LIMIT_RATIONALES } from '../../tables/edits.ts'
import type { Reader } from '../reader.ts'
import { type EditionOptions, quarterlyEdition } from '../schedules/quarter.ts'
import type { EditionDates } from '../schedules/schedule.ts'
import type { Columns, Line } from '../schedules/table.ts'
import type { Source } from '../source.ts'
import { codeOf, nameOf, numbersOf, UNKNOWN_WORD } from './edit-cells.ts'
import { editReader } from './edit-table.ts'

// CMS's medically unlikely edits: the most units of a code that are paid. Each of three files is for one kind of claim, and the
// heading of the values names it: a file of another kind is refused.

const rationaleOf = numbersOf(LIMIT_RATIONALES)

/** Reads the file whose values are headed `<claims> MUE Values`. */
export const limitReader = (claims: string): Reader =>
  editReader({
    what: `the table of medically unlikely edits (MUE) for ${claims}`,
    columns: {
      cpt: { titles: ['HCPCS/CPT Code', 'HCPCS Code', 'CPT Code'] },
      units: { titles: [`${claims} MUE Values`] },
      adjudication: { titles: ['MUE Adjudication Indicator'] },
      rationale: { titles: ['MUE Rationale'] },
    } satisfies Columns,
    dated,
    rows: limitRows,
  })

/** The first day stands in the name of the file alone: MCR_MUE_PractitionerServices_Eff_04-01-2026.csv. */
function dated(source: Source, options: EditionOptions): EditionDates {
  const [, month, day, year] = /Eff[ _-]{0,2}(\d\d)-(\d\d)-(\d{4})/i.exec(nameOf(source)) ?? []
  const stated = year === undefined ? undefined : `${year}-${month}-${day}`
  if (stated !== undefined && !isDay(stated))
    throw new Problem('source_unreadable', 'the name of the file has a day that is none')
  return quarterlyEdition('MUE', [], { ...options, effective_from: options.effective_from ?? stated })
}

function limitRows(lines: Iterable<Line>, effective_from: string, rejects: Findings): LimitRow[] {
  const rows = new Map<string, LimitRow>()
  const contradicted = new Set<string>()
  for (const each of lines) {
    const row = limitIn(each, effective_from)
    if (typeof row === 'string') note(rejects, row, each.line)
    if (typeof row !== 'object') continue
    if (row.rationale === UNKNOWN_WORD) note(rejects, 'W12', each.line)
    const known = rows.get(row.code)
    if (!known) rows.set(row.code, row)
    else if (known.units === row.units && known.adjudication === row.adjudication) note(rejects, 'R09', each.line)
    else {
      note(rejects, 'R10', each.line)
      contradicted.add(row.code)
    }
  }
  // Of two limits neither is believed.
  for (const code of contradicted) rows.delete(code)
  return [...rows.values()]
}

/** The limit of a line, the rule that refuses it, or nothing where the line is blank. */
function limitIn(line: Line, effective_from: string): LimitRow | string | undefined {
  const [stated, units, judged] = [line.cell('cpt'), line.number('units'), line.cell('adjudication')]
  if (stated === '' && units === '' && judged === '') return undefined
  const code = codeOf(stated)
  if (code === undefined) return 'R03'
  const adjudication = ADJUDICATIONS.find((number) => judged.startsWith(`${number} `))
  if (!/^\d{1,9}$/.test(units) || adjudication === undefined) return 'R03_field'
  const rationale = rationaleOf(line.cell('rationale'))
  const locator = [{ citation: 0, line: line.line }]
  return { kind: 'limit', code, units: Number(units), adjudication, rationale, effective_from, locator }
}

// The check that a release can have a row.

import { CHARTS, type ChartTable, factsOf, HOSPITAL, kindOfRows } from './charts.ts'
import type { Citation, Manifest } from './release.ts'
import { type AnyRow, isOfPrices, isPerPayer, kindsOf, methodsOf } from './row.ts'

const cites = ({ locator }: AnyRow, { citations }: Manifest): boolean =>
  locator.length > 0 && locator.every(({ citation }) => citation < citations.length)

/** The lines that a row cites, each with its file. */
export const citedLines = (
  { locator }: Pick<AnyRow, 'locator'>,
  { citations }: Pick<Manifest, 'citations'>,
): (Citation & { line: number })[] =>
  locator.flatMap(({ citation, line }) => {
    const cited = citations[citation]
    return cited ? [{ ...cited, line }] : []
  })

/** Undefined if the release can have the row. */
export const rowFault = (
  row: AnyRow,
  release: Manifest,
  table: ChartTable = CHARTS,
): 'locator_not_cited' | 'row_not_of_release' | undefined =>
  !cites(row, release) ? 'locator_not_cited' : fits(row, release, table) ? undefined : 'row_not_of_release'

/** Their form was checked before. */
const REGIONS = { national: /^national$/, locality: /^(national|US-..-..)$/, state: /^(?!US-..-)/ }

/** Whether chart, basis, provider, place, setting, dates and method go together. */
function fits(row: AnyRow, { chart, providers, effective_to }: Manifest, table: ChartTable): boolean {
  if (row.effective_from > effective_to) return false
  if (!isOfPrices(row)) return kindOfRows(chart) === row.kind
  // A factor is never a price, and a price never a factor.
  if (row.kind !== 'absence' && !kindsOf(row.basis).includes(row.kind)) return false
  if ((row.payer !== null) !== isPerPayer(row.basis)) return false
  const facts = factsOf(chart, table)
  const isHospital = chart.startsWith(HOSPITAL)
  return (
    facts?.bases.includes(row.basis) === true &&
    methodsOf(row.basis).includes(row.derivation.method) &&
    (isHospital ? row.npi !== null && providers?.includes(row.npi) === true : row.npi === null && row.class === null) &&
    (row.setting === null || facts.settings.includes(row.setting)) &&
    REGIONS[facts.speaks].test(row.region)
  )
}

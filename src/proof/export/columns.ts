import { canonical } from '../canonical-json.ts'
import { kindOfRows } from '../price/charts.ts'
import type { AddOnRow, EditRow, EditsRow, LimitRow } from '../price/edit-row.ts'
import type { HospitalRow } from '../price/hospital-row.ts'
import type { AnyRow, PlaceRow, Row } from '../price/row.ts'

// A row as flat columns, for readers of tables. Nothing is lost: the row that is hashed can be made of them again.

export interface Column<Of extends AnyRow = AnyRow> {
  name: string
  type: 'text' | 'day' | 'decimal'
  optional: boolean
  /** A day is an ISO date, and a decimal has two to four places. */
  value(row: Of): string | null
}

const text = <Of extends AnyRow>(name: string, value: (row: Of) => string): Column<Of> => ({
  name,
  type: 'text',
  optional: false,
  value,
})
const optional = <Of extends AnyRow>(
  name: string,
  value: (row: Of) => string | null,
  type: Column['type'] = 'text',
): Column<Of> => ({ name, type, optional: true, value })
const effectiveFrom: Column = {
  name: 'effective_from',
  type: 'day',
  optional: false,
  value: (row) => row.effective_from,
}
const locator: Column = text('locator', (row) => canonical(row.locator))

interface Money {
  amount?: string
  low?: string
  high?: string
  currency?: string
  per?: string | null
}
const priceOf = (row: Row): Money => (row.kind === 'absence' ? {} : row.price)

const PRICE_COLUMNS: readonly Column<Row>[] = [
  text('code', (row) => row.code),
  text('region', (row) => row.region),
  optional('npi', (row) => row.npi),
  text('basis', (row) => row.basis),
  optional('payer', (row) => row.payer),
  optional('modifier', (row) => row.modifier),
  optional('setting', (row) => row.setting),
  optional('class', (row) => row.class),
  text('kind', (row) => row.kind),
  optional('amount', (row) => priceOf(row).amount ?? null, 'decimal'),
  optional('low', (row) => priceOf(row).low ?? null, 'decimal'),
  optional('high', (row) => priceOf(row).high ?? null, 'decimal'),
  optional('currency', (row) => priceOf(row).currency ?? null),
  optional('per', (row) => priceOf(row).per ?? null),
  optional('reason', (row) => (row.kind === 'absence' ? row.reason : null)),
  effectiveFrom,
  text('flags', (row) => row.flags.join(' ')),
  text('method', (row) => row.derivation.method),
  text('inputs', (row) => canonical(row.derivation.inputs)),
  text('indicators', (row) => canonical(row.indicators)),
  locator,
]

/** The cell of a place without a bidding area. An empty cell means that it is not known. */
export const NO_AREA = 'none'

const PLACE_COLUMNS: readonly Column<PlaceRow>[] = [
  text('zip', (row) => row.zip),
  optional('plus_four', (row) => row.plus_four),
  optional('region', (row) => row.region),
  optional('state', (row) => row.state),
  optional('rural', (row) => (row.rural === undefined ? null : String(row.rural))),
  optional('bidding_area', (row) => (row.bidding_area === undefined ? null : (row.bidding_area ?? NO_AREA))),
  text('kind', (row) => row.kind),
  effectiveFrom,
  locator,
]

const HOSPITAL_COLUMNS: readonly Column<HospitalRow>[] = [
  text('region', (row) => row.region),
  text('zip', (row) => row.zip),
  text('npi', (row) => row.npi),
  optional('name', (row) => row.name),
  text('kind', (row) => row.kind),
  effectiveFrom,
  locator,
]

const ofEdits = <Of extends EditRow>(...stated: readonly Column<Of>[]): readonly Column<Of>[] => [
  text('code', (row) => row.code),
  text('kind', (row) => row.kind),
  ...stated,
  effectiveFrom as Column<Of>,
  locator as Column<Of>,
]
const LIMIT_COLUMNS = ofEdits<LimitRow>(
  text('units', (row) => String(row.units)),
  text('adjudication', (row) => String(row.adjudication)),
  text('rationale', (row) => String(row.rationale)),
)
/** A list is a text: the row has it as one. */
const PAIR_COLUMNS = ofEdits<EditsRow>(text('edits', (row) => canonical(row.edits)))
const ADD_ON_COLUMNS = ofEdits<AddOnRow>(text('primaries', (row) => canonical(row.primaries)))

const without = (...names: readonly string[]) => PLACE_COLUMNS.filter(({ name }) => !names.includes(name))
/** Older exports of places have fewer columns, and are still read. */
const FORMS = [
  PRICE_COLUMNS,
  PLACE_COLUMNS,
  without('bidding_area'),
  without('bidding_area', 'rural'),
  HOSPITAL_COLUMNS,
  LIMIT_COLUMNS,
  PAIR_COLUMNS,
  ADD_ON_COLUMNS,
] as readonly (readonly Column[])[]

/** The columns of a chart. Its rows have one form. */
export const columnsOf = (chart: string): readonly Column[] =>
  COLUMNS[kindOfRows(chart) ?? 'price'] as readonly Column[]

const COLUMNS = {
  price: PRICE_COLUMNS,
  place: PLACE_COLUMNS,
  hospital: HOSPITAL_COLUMNS,
  limit: LIMIT_COLUMNS,
  edits: PAIR_COLUMNS,
  add_on: ADD_ON_COLUMNS,
}

/** The columns with exactly these names, in this order: a table must not have a column that is not checked. */
export const columnsNamed = (names: readonly string[]): readonly Column[] | undefined =>
  FORMS.find((columns) => columns.length === names.length && columns.every(({ name }, i) => name === names[i]))

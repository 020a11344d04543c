// What a reader gives back: the body of `POST /bill/check` for each paper of a file, and a report of everything that was not read.

import type { Note, Reason, Refusal } from './reasons.ts'

export type Kind = 'hospital' | 'professional' | 'surgery_center' | 'equipment'

/** One line of a bill. A member that the paper does not state is left out. Amounts are dollars with two decimals. */
export interface BillLine {
  code?: string
  modifiers?: string[]
  revenue_code?: string
  place_of_service?: string
  day?: string
  units?: string
  billed?: string
  allowed?: string
  patient?: string
}

export interface BillTotals {
  billed?: string
  allowed?: string
  patient?: string
  estimate?: string
}

/** The body of `POST /bill/check`. A reader fills `kind`, `npi`, `type_of_bill` and `day` where the paper states them, and never a place or a payer. */
export interface BillRequest {
  kind?: Kind
  region?: string
  npi?: string
  payer?: string
  /** The type of a UB-04, without its first zero: `131`. It says whether the bill is of a stay. */
  type_of_bill?: string
  day?: string
  lines: BillLine[]
  totals?: BillTotals
}

/** A number that says where something stands: a line of a text, a row of a sheet, an item of a claim, a segment. */
export type At = number

export interface Remark {
  note: Note
  at?: At[]
}

/** One bill, insurer's statement or estimate. `at` has the number of each line of the request. */
export interface Paper {
  is: 'bill' | 'insurer' | 'estimate'
  request: BillRequest
  at: At[]
  remarks: Remark[]
}

/** A line or paper that was left out, and why. `paper` counts from 1 in the order of the file. */
export interface Unread {
  paper?: number
  at?: At
  why: Reason
}

export type Format = 'fhir' | 'x12' | 'table' | 'workbook' | 'medicare-text' | 'text'

/** The word for the numbers of a format. */
export const PLACES: Readonly<Record<Format, string>> = {
  fhir: 'item',
  x12: 'segment',
  table: 'line',
  workbook: 'row',
  'medicare-text': 'line',
  text: 'line',
}

export type Statement =
  | { ok: true; format: Format; papers: Paper[]; unread: Unread[] }
  | { ok: false; why: Refusal; unread: Unread[] }

/** The most lines that one request may have. */
export const MOST_LINES = 200
/** The most lines and papers of a file. */
export const MOST_READ = 5_000

/** The refusal of a whole file, with the lines that were looked at. It never holds a word of the file. */
export class Refused extends Error {
  constructor(
    readonly why: Refusal,
    readonly unread: Unread[] = [],
  ) {
    super(why)
  }
}

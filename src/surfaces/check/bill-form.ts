import type { Guide } from './guide.ts'

export const GUIDE: Guide = {
  title: 'Check a bill',
  about:
    'Compares the lines of a medical bill with published reference prices: what Medicare pays a doctor and a hospital, and what the hospital itself lists. Each amount has its source and a proof. Nothing is stored.',
  instead: ['`POST /reference/batch` with up to a hundred lines: prices, proofs and exact totals'],
}

/** The fields of the form, as they were sent. Hostile: they are shown to their sender alone, as text. */
export interface BillForm {
  lines: string
  place: string
  day: string
  npi: string
}
export const EMPTY_FORM: BillForm = { lines: '', place: '', day: '', npi: '' }

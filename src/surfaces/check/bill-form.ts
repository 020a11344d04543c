import type { BillFields } from '../browser/bill-request.ts'
import type { Guide } from './guide.ts'

export const GUIDE: Guide = {
  title: 'Check a bill',
  about:
    'Checks a medical bill by the published rules of its days: lines that Medicare would not pay, units above the limit, codes that are part of others, amounts that do not add up, charges above the hospital\u2019s own list. Each finding has its source and a proof. Nothing is stored.',
  instead: [
    '`POST /bill/check` with up to 200 lines: findings, prices and proofs',
    '`atr bill` reads bills, insurers\u2019 statements and estimates on your own machine',
  ],
}

/** The fields of the form, as they were sent. Hostile: they are shown to their sender alone, as text. */
export interface BillForm extends BillFields {
  lines: string
}
export const EMPTY_FORM: BillForm = {
  lines: '',
  place: '',
  day: '',
  npi: '',
  kind: '',
  payer: '',
  type: '',
  estimate: '',
}

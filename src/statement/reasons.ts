// Every sentence that a reader can say. None of them holds a word of the paper.

/** Why a line or a paper was left out. */
export const REASONS = {
  no_code: 'it has no code and no revenue code',
  code_form: 'its code is not a CPT, HCPCS, dental or drug code',
  local_code: 'its code belongs to one payer, and nobody else can look it up',
  hipps: 'it is a payment group of a stay or of home care, not a service',
  two_codes: 'it can be read with more than one code: type the code that is right',
  amount_form: 'an amount is not dollars and cents',
  two_amounts: 'its amounts can be read in more than one way: type the line by hand',
  units_form: 'its units are not a number above zero',
  two_units: 'its units can be read in more than one way: type the line by hand',
  day_form: 'its day is not a day of the calendar, such as 2026-05-14 or 5/14/2026',
  modifier_form: 'a modifier does not have two letters or digits',
  revenue_form: 'its revenue code does not have four digits',
  total_row: 'it is a total, not a service',
  credited: 'a credit takes it back',
  lone_credit: 'it is a credit, and no line has the same code, day and amount',
  too_many: 'the file has more than 5,000 lines',
  not_active: 'it is cancelled, a draft or entered in error',
  not_finished: 'the insurer has not finished with it, or refused it as faulty',
  preauthorization: 'it asks for leave before a treatment: it is no bill',
  summary: 'it sums up other papers of this file',
  replaced: 'another paper replaces it',
  same_again: 'the file holds it twice',
  void: 'it takes back an earlier bill',
  reversal: 'it takes back an earlier payment',
} as const
export type Reason = keyof typeof REASONS

/** What a reader says about a paper that it read. */
export const NOTES = {
  sums: 'The lines add up to the total of the paper.',
  sums_differ: 'The lines do not add up to the total of the paper.',
  balances: 'Charges, adjustments and payments balance.',
  does_not_balance: 'Charges, adjustments and payments do not balance: the paper contradicts itself.',
  header_only: 'The amounts are stated for the whole claim only, not for its lines.',
  no_lines: 'The paper has totals and no lines.',
  two_values: 'The paper states two values for one amount: it was left out.',
  allowed_derived: 'The allowed amount is what was paid plus the part of the patient.',
  bundled: 'The insurer paid under another code than was billed: compare the whole claim, not its lines.',
  code_from_modifier: 'The code was written in the place of a modifier.',
  modifier_left_out: 'What was written as a modifier is none, and was left out.',
  units_left_out: 'The quantity is in minutes, doses or zero: it was left out of the units.',
  range_of_days: 'It is for several days: the first one was taken.',
  inpatient: 'This is a stay in hospital. The rules that are checked are for outpatients and doctors.',
  replacement: 'It replaces an earlier bill.',
  partial: 'The insurer has not yet said what it allows.',
  secondary: 'Another insurer paid first.',
} as const
export type Note = keyof typeof NOTES

/** Why a whole file is refused: what is wrong, and what to do. */
export const REFUSALS = {
  empty: 'The file is empty.',
  too_large: 'The file is larger than 10 MB. A statement is smaller: give the pages with the lines alone.',
  pdf: 'This is a PDF. Open it, select everything, copy it, and paste the text.',
  picture: 'This is a picture. Type its lines: code, modifier, units, amount.',
  old_workbook: 'This is a workbook of an old form. Save it as .xlsx or .csv.',
  packed: 'This is a packed file. Unpack it, and give the files in it.',
  markup: 'This is a page or document in XML or HTML. Copy its text and paste it, or ask for the same as JSON.',
  binary: 'This is not a text. Copy the lines of the paper and paste them.',
  encoding: 'The letters of this file cannot be read. Save it as UTF-8.',
  json: 'This is not valid JSON.',
  json_deep: 'This JSON is nested too deeply.',
  json_twice: 'This JSON states one member twice, so that it can be read in two ways.',
  not_fhir: 'This JSON holds no claim and no statement of benefits (FHIR Claim or ExplanationOfBenefit).',
  not_x12: 'This is not a claim (837) or remittance (835) of X12.',
  workbook: 'This workbook is damaged, or not one.',
  workbook_large: 'This workbook unpacks to more than 30 MB.',
  no_lines: 'No line of a bill was found: a line needs a code and an amount. Type them: code, modifier, units, amount.',
  no_heading:
    'No column is named as a code. Name the columns in the first line, such as Code, Modifier, Units, Billed, Day.',
  two_columns: 'Two columns have the same meaning. Keep one of them.',
  long_text: 'The text is longer than 1 MB or 20,000 lines. Paste the pages with the lines alone.',
  long_line: 'A line is longer than 20,000 characters.',
} as const
export type Refusal = keyof typeof REFUSALS

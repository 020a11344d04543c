// Short words for the rules and kinds of bills, where a sheet has little room.

import { BILL_RULES, RULE_ENTRIES } from '../../tables/bill-rules.ts'

export const RULE_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  BILL_RULES.map((rule) => [rule, RULE_ENTRIES[rule].title]),
)

export const PLACE_WORDS: Readonly<Record<string, string>> = {
  hospital: 'hospital',
  professional: 'doctor or clinic',
  surgery_center: 'surgery center',
  equipment: 'equipment',
}

// Lookups: every outcome of the rule, each as an honest body with its question, and the same body for another question.

import { CODES } from '../../src/proof/answer-fixture.ts'
import type { Decision } from '../../src/proof/lookup/decision.ts'
import type { VectorOf } from '../../test/support/vector.ts'
import { type Line, tableOf, vectorsOf } from './table.ts'
import { asked, NPI, OVER, POLICY, registry, UNKNOWN } from './world.ts'

/** A decision, in the words of the table. */
function saying(decision: Decision): string {
  if (decision.outcome === 'price') {
    const { row, ignored, adjustment } = decision
    const amount = 'amount' in row.price ? row.price.amount : `${row.price.low}..${row.price.high}`
    return [amount, ...ignored, ...(adjustment ? [adjustment.modifier, adjustment.amount] : [])].join(' ')
  }
  const code = decision.outcome === 'absent' ? decision.row.reason : CODES[decision.outcome]
  return `${decision.rule} ${code}`
}

/**
 * Name, question, what the rule decides (a price, the modifiers left out or applied; or the step and the code of a
 * refusal), another question, and what is said of the same body for that.
 */
const TABLE = `
R6, the first setting | 99213 | 95.19 | 99213 setting=facility | answers_another_question
R6, a setting | 99213 setting=facility | 57.45 | 99213 | answers_another_question
R6, written another way | 99213 region=NATIONAL modifier= | 95.19
R6, a locality | 99213 region=us-il-16 | 98.00 | 99213 region=US-IL-15 | choice_not_proved
R6, a later setting where the first is not applicable | 99285 | 170.00 | 99285 setting=non_facility | choice_not_proved
R6, not applicable in the setting asked for | 99286 setting=non_facility basis=medicare_pfs | R6 not_applicable_in_setting | 99285 basis=medicare_pfs | choice_not_proved
R6, not applicable in any | 99286 basis=medicare_pfs | R6 not_applicable_in_setting | 99286 | choice_not_proved
R1, a ZIP code | 99213 region=60611 | 98.00 | 99213 region=US-IL-16 | answers_another_question
R1, a ZIP code with four digits | 99213 region=ZIP-60701-0001 | 97.00 | 99213 region=60701-0500 | choice_not_proved
R1, four digits of no part | 99213 region=60701-1000 basis=medicare_pfs | R8 region_ambiguous
R1, a ZIP code that four digits decide | 99213 region=60701 basis=medicare_pfs | R8 region_ambiguous | 99213 region=60611 basis=medicare_pfs | choice_not_proved
R1, an unknown ZIP code | 99213 region=99999 | R1 unknown_zip | 99213 region=60611 | choice_not_proved
R1, a ZIP code that a national schedule does not need | 80053 region=99999 basis=medicare_clfs | 10.56 | 80053 region=99999 | choice_not_proved
R2, a schedule by its basis | 66984 basis=medicare_asc | 10.56 | 66984 setting=outpatient | choice_not_proved
R2, a schedule by its setting | 66984 setting=asc | 10.56 | 66984 | choice_not_proved
R2, a group of stays | DRG-470 | 10.56 | DRG-471 | answers_another_question
R2, a drug after the other schedules | J0881 | 4.00
R3, no edition yet | 99213 as_of=2026-03-31 basis=medicare_pfs | R3 no_edition_for_day | 99213 as_of=2026-04-01 basis=medicare_pfs | choice_not_proved
R3, no edition any more | 99213 as_of=2026-10-01 basis=medicare_pfs | R3 no_edition_for_day | 99213 as_of=2026-09-30 basis=medicare_pfs | choice_not_proved
R3, a schedule that was never held | 99213 basis=medicare_pfs_qpp | R3 no_edition_for_day | 99213 | choice_not_proved
R3, an edition that was withdrawn | 74177 as_of=2026-05-01 basis=medicare_opps | R3 no_edition_for_day | 74177 as_of=2026-05-02 basis=medicare_opps region=60611 | ok
R3, without the table of ZIP codes on that day | 99213 region=60611 as_of=2026-05-01 basis=medicare_pfs | R3 no_edition_for_day | 99213 as_of=2026-05-01 basis=medicare_pfs | choice_not_proved
R3, the edition before | 99213 as_of=2026-06-30 basis=medicare_pfs | 94.00 | 99213 as_of=2026-07-01 basis=medicare_pfs | choice_not_proved
R4, a neutral modifier | 99213 modifier=25 | 95.19 25
R4, neutral modifiers in another order | 99213 modifier=59-25 | 95.19 25 59
R4, both sides | 99213 modifier=50 | 95.19 50 142.79 | 99213 modifier=LT-RT | ok
R4, an assistant and a neutral modifier | 99213 modifier=80-59 | 95.19 59 80 15.23 | 99213 modifier=80 | answers_another_question
R4, a modifier that is not allowed | 36415 modifier=50 | R4 modifier_not_allowed | 36415 | answers_another_question
R4, two modifiers that change the amount | 99213 modifier=50-80 basis=medicare_pfs | R9 modifier_not_priced
R5, a former bidding area | A4253 region=33101 basis=medicare_dmepos | 5.55 | A4253 region=FL basis=medicare_dmepos | choice_not_proved
R6, supplies of a rural area | A4253 region=59001 basis=medicare_dmepos | 3.00 | A4253 region=59001 setting=non_rural basis=medicare_dmepos | answers_another_question
R6, supplies of another ZIP code | A4253 region=59101 basis=medicare_dmepos | 2.00
R6, the rural column is empty | A4253 region=IL setting=rural | 8.32 | A4253 region=IL setting=rural modifier=RR | choice_not_proved
R7, bundled everywhere | 99070 region=US-IL-16 basis=medicare_pfs | R7 bundled | 99071 region=US-IL-16 basis=medicare_pfs | answers_another_question
R7, not covered | 99000 | R7 not_covered
R7, priced by the contractor | 99199 basis=medicare_pfs | R7 carrier_priced | 99070 basis=medicare_pfs | choice_not_proved
R7, anesthesia | 99100 basis=medicare_pfs | R7 anesthesia | 99070 basis=medicare_pfs | choice_not_proved
R8, the locality of a state that has one alone | 99213 region=AL basis=medicare_pfs | 91.00 | 99213 region=IL basis=medicare_pfs | answers_another_question
R8, a divided state | 99213 region=IL basis=medicare_pfs | R8 region_ambiguous | 99213 region=AL basis=medicare_pfs | choice_not_proved
R8, a price of the country is none of the place | 99213 region=US-WY-21 basis=medicare_pfs | R8 region_not_covered
R9, a code with other modifiers alone | 70450 basis=medicare_pfs | R9 modifier_not_priced | 70450 modifier=26 basis=medicare_pfs | answers_another_question
R9, a modifier that no row has | 99213 modifier=TC basis=medicare_pfs | R9 modifier_not_priced
R9, a laboratory code with another modifier alone | 85576 basis=medicare_clfs | R9 modifier_not_priced | 85576 modifier=QW basis=medicare_clfs | answers_another_question
R9, for places, and none was asked for | 99217 basis=medicare_pfs | R9 region_ambiguous | 99217 region=US-WY-21 basis=medicare_pfs | answers_another_question
R9, for other places | 99217 region=US-WY-21 basis=medicare_pfs | R9 region_not_covered
R9, supplies, and no place was asked for | E0601 modifier=RR basis=medicare_dmepos | R9 region_ambiguous
R10, paid by another schedule | 80053 | 10.56 | 80053 basis=medicare_pfs | answers_another_question
R10, a status that may be of another schedule | 99499 | R7 not_valid
R10, no price stated | 99600 basis=medicare_pfs | R7 no_price_stated | 99499 basis=medicare_pfs | choice_not_proved
R10, not on a schedule | 99999 | R10 not_on_schedule
R10, not on a schedule, and there | 99998 basis=medicare_pfs | R10 not_on_schedule | 99213 basis=medicare_pfs | choice_not_proved
R10, a row that begins later in its edition | 99214 basis=medicare_pfs | R10 not_on_schedule | 99214 as_of=2026-08-01 basis=medicare_pfs | answers_another_question
R10, no schedule for a setting | 99213 setting=outpatient basis=medicare_clfs | R10 not_on_schedule | 80053 setting=outpatient basis=medicare_clfs | choice_not_proved
R11, a hospital | 99213 npi=${NPI} | 150.00 | 99213 | choice_not_proved
R11, whatever the region | 99213 npi=${NPI} region=60611 | 150.00
R11, a hospital by its basis | 99213 npi=${NPI} basis=hospital_gross | 300.00 | 99213 npi=${NPI} basis=hospital_cash | choice_not_proved
R11, with the modifier on the bill | 99213 npi=${NPI} modifier=25 | 140.00 | 99213 npi=${NPI} modifier=59 | choice_not_proved
R11, without a neutral modifier | 99213 npi=${NPI} modifier=59 | 150.00 59 | 99213 npi=${NPI} modifier=26 | answers_another_question
R11, a range | 99214 npi=${NPI} | 80.00..90.00 | 99214 npi=${NPI} basis=hospital_cash | answers_another_question
R11, other modifiers alone | 99215 npi=${NPI} | R11 modifier_not_priced | 99215 npi=${NPI} modifier=TC | answers_another_question
R11, no price stated | 99216 npi=${NPI} | R11 no_price_stated
R11, a payer's own rate | 99213 npi=${NPI} payer=aetna/commercial | 60.00 | 99213 npi=${NPI} | choice_not_proved
R11, the one kind of plan of a payer | 99213 npi=${NPI} payer=cigna | 70.00 | 99213 npi=${NPI} | choice_not_proved
R11, a payer with two kinds of plan | 99213 npi=${NPI} payer=aetna | R11 payer_ambiguous | 99213 npi=${NPI} | choice_not_proved
R11, a payer that is not listed | 99213 npi=${NPI} payer=uhc | R11 payer_not_listed | 99213 npi=${NPI} | choice_not_proved
R11, what a payer allowed, median | 99213 npi=${NPI} payer=cigna basis=hospital_allowed_median | 66.00 | 99213 npi=${NPI} | choice_not_proved
R11, what a payer allowed, 10th | 99213 npi=${NPI} payer=cigna basis=hospital_allowed_10th | 61.00 | 99213 npi=${NPI} | choice_not_proved
R11, what a payer allowed, 90th | 99213 npi=${NPI} payer=cigna basis=hospital_allowed_90th | 75.00 | 99213 npi=${NPI} | choice_not_proved
R11, what a payer allowed, estimate | 99213 npi=${NPI} payer=cigna basis=hospital_allowed_estimate | 68.00 | 99213 npi=${NPI} | choice_not_proved
R11, a payer with a formula alone | 99213 npi=${NPI} payer=kaiser | R11 algorithm_only | 99213 npi=${NPI} | choice_not_proved
R11, listed with TC alone | 70551 npi=${NPI} | 1719.00 | 99213 npi=${NPI} | choice_not_proved
R11, not in the file | 99999 npi=${NPI} | R11 not_on_schedule | 99213 npi=${NPI} | choice_not_proved
R11, no file of the day | 99213 npi=${OVER} | R3 no_edition_for_day | 99213 npi=${NPI} | choice_not_proved
R11, a provider of whom no file speaks | 99213 npi=${UNKNOWN} | R11 unknown_provider | 99213 npi=${NPI} | choice_not_proved
a factor of anesthesia | 00810 basis=medicare_anesthesia | 20.49 | 99213 basis=medicare_anesthesia | answers_another_question
`
/** Questions without a meaning, whatever the body is. */
const MEANINGLESS = `9921 99213x 99213\u00a0 99213|modifier=2 99213|modifier=26-26-26-26-26 99213|region=ZZ 99213|region=606111 99213|setting=office
  99213|basis=medicare 99213|basis=hospital_cash 99213|npi=1234567890 99213|npi=${NPI}|basis=medicare_pfs
  99213|as_of=2026-02-30 99213|as_of=2026-7-15 99213|payer=x 99213|npi=${NPI}|payer=Aetna 99213|npi=${NPI}|basis=hospital_payer 99213|npi=${NPI}|basis=hospital_cash|payer=aetna`

const PRICED = JSON.stringify((await registry.answer(asked('66984 basis=medicare_asc'))).body)
const lines = tableOf(TABLE).map(async ([name, [question = '', states = '', another = '', refusal = '']]) => {
  const { body, decision } = await registry.answer(asked(question))
  const found = saying(decision)
  if (found !== states) throw new Error(`${name}: the table states ${states}, and the body that was made says ${found}`)
  const text = JSON.stringify(body)
  const rows = 'row' in decision ? 1 : 0
  const good = { rows, entries: 0, refused: 0 }
  const first: Line<object> = [name, { body: text, asked: { question: asked(question) } }, good]
  if (another === '') return [first]
  return [
    first,
    [`${name}: ${another}`, { body: text, asked: { question: asked(another) } }, refusal === 'ok' ? good : refusal],
  ] as Line<object>[]
})
const meaningless = MEANINGLESS.split(/ +|\n/)
  .filter((text) => text !== '')
  .map((text): Line<object> => {
    const question = asked(text.replaceAll('|', ' '))
    return [`a question without a meaning: ${text}`, { body: PRICED, asked: { question } }, 'question_malformed']
  })

export const lookups: VectorOf<'body'>[] = vectorsOf(
  'body',
  [...(await Promise.all(lines)).flat(), ...meaningless],
  (given) => ({ policy: POLICY, ...given }),
)

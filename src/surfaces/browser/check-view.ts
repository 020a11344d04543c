// "Check it yourself" on the page of a price: checks the answer that the page was made of. The answer is in the page, so the
// check works without network.

import { verifyBody } from '../../proof/verify.ts'
import { withArithmetic } from '../../proof/whole/arithmetic-check.ts'
import { REASONS } from '../../proof/whole/reasons.ts'
import { CheckPanel } from './check-panel.ts'
import { find } from './element.ts'
import { ageLimits, MOST_HOURS } from './steps.ts'

const section = find('#check')
if (section) {
  const panel = new CheckPanel(section, withArithmetic(verifyBody), { reasons: REASONS })
  const { question = '{}', answer = '' } = section.dataset
  const text = find('#answer')?.textContent ?? (await fetch(answer).then((response) => response.text()))
  await panel.prepare()
  await panel.show(() => ({
    text,
    asked: { question: JSON.parse(question) },
    options: ageLimits(MOST_HOURS, Date.now()),
  }))
}

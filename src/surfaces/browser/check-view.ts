// "Check it yourself" on the page of a price: checks the answer that the page was made of. The answer is in the page, so the
// check works without network.

import { type Inquiry, verifyBody } from '../../proof/verify.ts'
import { REASONS } from '../../proof/whole/reasons.ts'
import { CheckPanel } from './check-panel.ts'
import { find } from './element.ts'
import { ageLimits, MOST_HOURS, type PageCheck } from './steps.ts'

const checkLookup: PageCheck = (text, policy, asked, options) => verifyBody(text, policy, asked as Inquiry, options)

const section = find('#check')
if (section) {
  const panel = new CheckPanel(section, checkLookup, { reasons: REASONS })
  const { question = '{}', answer = '' } = section.dataset
  const text = find('#answer')?.textContent ?? (await fetch(answer).then((response) => response.text()))
  await panel.prepare()
  await panel.show(() => ({
    text,
    asked: { question: JSON.parse(question) },
    options: ageLimits(MOST_HOURS, Date.now()),
  }))
}

/** @jsxImportSource hono/jsx */
import type { Frame } from '../site/frame.ts'
import type { RulePage } from './rule-page.ts'

export const ruleHtml = (frame: Frame, { rule, title, says, questions, source }: RulePage): Promise<string> =>
  frame({
    title: `${title}: a rule of bills`,
    description: title,
    main: (
      <article class="problem">
        <p class="small">
          Rule <code>{rule}</code> of the check of a bill
        </p>
        <h1>{title}</h1>
        {says.map((paragraph) => (
          <p>{paragraph}</p>
        ))}
        <h2>What to ask</h2>
        <ul>
          {questions.map((question) => (
            <li>{question}</li>
          ))}
        </ul>
        <h2>Where it stands</h2>
        <p>{source}</p>
        <p class="small">
          Medicare’s rules are a reference: a plan may have others. Nothing here says whether a service was needed, or
          what a contract or a plan covers.
        </p>
      </article>
    ),
  })

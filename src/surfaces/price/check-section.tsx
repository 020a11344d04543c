/** @jsxImportSource hono/jsx */
import { raw } from 'hono/html'
import { verifyCommands } from '../site/landing-facts.ts'
import { Snippet } from '../site/layout.tsx'
import type { PriceFacts } from './price-facts.ts'
import { referencePath } from './price-question.ts'
import { CHECK_STEPS } from './price-words.ts'

/**
 * The check that a reader can run. Without a script it says what is checked and how to do it on the command line. The
 * answer is in the page, byte for byte as the service gave it, so that a page that was saved can still be checked.
 */
export const CheckSection = ({ base, question, reference }: Pick<PriceFacts, 'base' | 'question' | 'reference'>) =>
  question ? (
    <section
      id="check"
      data-question={JSON.stringify(question)}
      data-answer={referencePath(question)}
      data-policy="/log/policy"
    >
      <h2>Check it yourself</h2>
      <p>
        Nothing here has to be believed. The proof comes with the answer and is checked on your own computer, in five
        steps.
      </p>
      <ol class="checks">
        {CHECK_STEPS.map(([step, title, text]) => (
          <li data-step={step}>
            <strong>{title}</strong> <span class="verdict"></span>
            <p>{text}</p>
          </li>
        ))}
      </ol>
      <p class="check-result" role="status"></p>
      <div class="check-tools"></div>
      <div class="screen">
        <Snippet
          label="The same check on the command line"
          text={verifyCommands(base, referencePath(question)).join('\n')}
        />
      </div>
      <script type="application/json" id="answer">
        {raw(inScript(reference.text))}
      </script>
    </section>
  ) : null

/** JSON that cannot end the element around it: no character of it starts a tag or a comment. */
export const inScript = (json: string): string => json.replaceAll('<', '\\u003c')

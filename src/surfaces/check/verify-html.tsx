/** @jsxImportSource hono/jsx */
import { raw } from 'hono/html'
import { allOpenPoints, SHORT_ANSWER } from '../../proof/whole/open-points.ts'
import { REASONS } from '../../proof/whole/reasons.ts'
import { inScript } from '../price/check-section.tsx'
import { CHECK_STEPS } from '../price/price-words.ts'
import { assets } from '../site/assets.ts'
import type { Frame } from '../site/frame.ts'
import type { Guide } from './guide.ts'

const Steps = () => (
  <section id="check" data-policy="/log/policy">
    <h2>Step by step</h2>
    <p class="check-result" role="status" />
    <ol class="checks">
      {CHECK_STEPS.map(([step, title, text]) => (
        <li data-step={step}>
          <strong>{title}</strong> <span class="verdict" />
          <p>{text}</p>
        </li>
      ))}
    </ol>
    <div class="check-tools" />
  </section>
)

const Form = ({ exports }: { exports: string }) => (
  <form id="verify" data-exports={exports} hidden>
    <p>
      <label for="answer-text">The answer, as it came: paste it, or drop a file</label>
      <textarea id="answer-text" rows={8} spellcheck={false} />
    </p>
    <p>
      <label for="answer-file">Or choose a file</label>
      <input id="answer-file" type="file" />
    </p>
    <p>
      <label for="asked">What was asked</label>
      <input id="asked" spellcheck={false} autocomplete="off" aria-describedby="asked-help" />
      <small id="asked-help">
        The address, such as <code>/reference?cpt=99213&amp;region=94102&amp;as_of=2026-11-15</code>; the request of a
        bill; or, for an export, the name of its release. Without it, only what was published is checked.
      </small>
    </p>
    <p>
      <label for="hours">How old it may be</label>
      <select id="hours">
        <option value="72">three days</option>
        <option value="24">one day</option>
        <option value="">any age</option>
      </select>
    </p>
    <p>
      <button type="submit">Verify</button>
    </p>
  </form>
)

/** The texts of the check. They are in the page, because its script may not grow. */
const WORDS = {
  reasons: REASONS,
  open: { asked: allOpenPoints(true), unasked: allOpenPoints(false) },
  short: SHORT_ANSWER,
}

export const verifyHtml = async (frame: Frame, { title, about }: Guide): Promise<string> =>
  frame({
    title,
    description: about,
    path: '/verify',
    scripts: ['verify'],
    main: (
      <>
        <section>
          <h1>{title}</h1>
          <p class="lead">
            Paste an answer of this registry. The check runs here, in your browser: what you paste is sent nowhere, and
            once this page is loaded it works without a network.
          </p>
          <noscript>
            <p class="notice">
              This page needs its script. Without it, use <code>atr verify</code>: the same check, on the command line.
            </p>
          </noscript>
          <Form exports={(await assets()).exports.path} />
        </section>
        <Steps />
        <script type="application/json" id="words">
          {raw(inScript(JSON.stringify(WORDS)))}
        </script>
      </>
    ),
  })

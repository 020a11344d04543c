/** @jsxImportSource hono/jsx */
import type { Resource } from '../http/resource.ts'
import { CHECK_STEPS } from '../price/price-words.ts'
import { assets } from '../site/assets.ts'
import { type Frame, PAGE_HEADERS } from '../site/layout.tsx'
import { type Guide, guideForms } from './guide.ts'

const GUIDE: Guide = {
  title: 'Verify an answer',
  about:
    'Checks any answer of this registry that has a proof: a price, an absence, a bill, a page, a sheet, a history, figures, a checkpoint, or the export of a release as NDJSON, CSV or Parquet. The check runs in the browser, with log keys that the browser has pinned.',
  instead: [
    '`atr verify <file> --policy <file> --asked <address>` runs the same check on the command line',
    'the package exports `./verify` and `./verify/lists` for programs in Node, Bun and browsers',
    '`POST /reference/verify` lets this service check an answer under its own keys',
  ],
}

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

/** Everything on it happens in the browser: what is pasted is sent nowhere. */
export const verifyPage = (frame: Frame): Resource => ({
  name: 'get_verify_page',
  path: '/verify',
  summary: 'A page on which answers are checked in the browser',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  stamp: () => 'constant',
  lenient: true,
  isBesideApi: true,
  headers: PAGE_HEADERS,
  forms: [
    {
      type: 'text/html; charset=utf-8',
      render: async () =>
        frame({
          title: GUIDE.title,
          description: GUIDE.about,
          path: '/verify',
          scripts: ['verify'],
          main: (
            <>
              <section>
                <h1>{GUIDE.title}</h1>
                <p class="lead">
                  Paste an answer of this registry. The check runs here, in your browser: what you paste is sent
                  nowhere, and once this page is loaded it works without a network.
                </p>
                <noscript>
                  <p class="notice">
                    This page needs its script. Without it, use <code>atr verify</code>: the same check, on the command
                    line.
                  </p>
                </noscript>
                <Form exports={(await assets()).exports.path} />
              </section>
              <Steps />
            </>
          ),
        }),
    },
    ...guideForms(GUIDE),
  ],
})

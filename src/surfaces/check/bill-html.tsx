/** @jsxImportSource hono/jsx */
import { type Problem, withFullStop } from '../../problem.ts'
import { KINDS } from '../browser/bill-request.ts'
import { type BillSheet, type Cell, classOf, type ShownFinding, type Table } from '../browser/bill-sheet.ts'
import type { Frame } from '../site/frame.ts'
import { WithCode } from '../site/layout.tsx'
import { HospitalField } from '../site/lookup-form.tsx'
import type { Hospital } from '../words/hospitals.ts'
import { type BillForm, GUIDE } from './bill-form.ts'

const EXAMPLE = '99213, 25, 1, 300.00, 2026-11-02'

const Form = ({
  lines,
  place,
  day,
  npi,
  kind,
  payer,
  type,
  estimate,
  hospitals,
}: BillForm & { hospitals: readonly Hospital[] }) => (
  <form id="bill" method="post" action="/bill" autocomplete="off">
    <p class="drop">
      <label for="files">The bill, the insurer’s statement or the estimate, as files</label>
      <input id="files" type="file" multiple aria-describedby="files-help" />
      <small id="files-help">
        Needs a script. They are read on this device; no file is sent. CSV, workbooks, FHIR (JSON), X12 (837, 835), or
        text.
      </small>
    </p>
    <p>
      <label for="lines">Or the lines of the bill</label>
      <textarea
        id="lines"
        name="lines"
        rows={10}
        required
        spellcheck={false}
        placeholder={EXAMPLE}
        aria-describedby="lines-help"
      >
        {lines}
      </textarea>
      <small id="lines-help">
        Paste the text of a bill or a table with its headings, or type one line each: code, modifiers, units, amount,
        day. At most 200 lines.
      </small>
    </p>
    <div class="lookup">
      <p>
        <label for="place">Place of the service</label>
        <input id="place" name="place" value={place} placeholder="94102 or CA" />
      </p>
      <p>
        <label for="day">Day, if a line has none</label>
        <input id="day" name="day" type="date" value={day} />
      </p>
      <p>
        <label for="npi">Hospital, for its prices</label>
        <HospitalField hospitals={hospitals} value={npi} placeholder="NPI or name" />
      </p>
      <p>
        <label for="kind">Whose bill</label>
        <select id="kind" name="kind">
          <option value="">as the lines say</option>
          {KINDS.map(([name, words]) => (
            <option value={name} selected={name === kind}>
              {words}
            </option>
          ))}
        </select>
      </p>
      <p>
        <label for="payer">Insurer and plan</label>
        <input id="payer" name="payer" value={payer} placeholder="aetna/commercial" />
      </p>
      <p>
        <label for="estimate">Good faith estimate</label>
        <input id="estimate" name="estimate" value={estimate} inputmode="decimal" placeholder="1234.50" />
      </p>
      <input type="hidden" name="type" value={type} />
      <p>
        <button type="submit">Check</button>
      </p>
    </div>
    <noscript>
      <p>Without a script the text above is sent as it stands: leave names and dates of birth out.</p>
    </noscript>
    <div id="bill-preview" aria-live="polite" />
  </form>
)

const CellText = ({ text, href, note }: Cell) => (
  <>
    {href === undefined ? text : <a href={href}>{text}</a>}
    {note === undefined ? null : <small>{note}</small>}
  </>
)

const TableView = ({ name, caption, head, rows }: Table) => (
  <section class="scroll" tabindex={0} aria-label={caption}>
    <table id={name} class="stacked">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {head.map((text, i) => (
            <th scope="col" class={classOf(rows[0]?.[i])}>
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...cells]) => (
          <tr>
            <th scope="row">{first?.text}</th>
            {cells.map((cell, i) => (
              <td class={classOf(cell)} data-label={head[i + 1]}>
                <CellText {...cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

const FindingView = ({ title, says, ask, sources }: ShownFinding) => (
  <li>
    <strong>{title}</strong> {says} {ask}
    {sources.map(({ text, href }) => (
      <>
        {' '}
        <a href={href}>{text}</a>
      </>
    ))}
  </li>
)

const SheetView = ({ facts, summary, findings, tables, lists, letter, call }: BillSheet) => (
  <>
    <dl class="facts">
      {facts.map(([name, text]) => (
        <>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </>
      ))}
    </dl>
    <p>{summary}</p>
    {findings.length === 0 ? null : (
      <>
        <h2>Findings</h2>
        <ol id="findings">{findings.map(FindingView)}</ol>
      </>
    )}
    {tables.map(TableView)}
    {lists.map(({ title, items }) => (
      <>
        <h2>{title}</h2>
        <ul>
          {items.map((item) => (
            <li>{item}</li>
          ))}
        </ul>
      </>
    ))}
    {letter.length === 0 ? null : (
      <>
        <section id="letter">
          <h2>A letter</h2>
          {letter.map((text) => (
            <p>{text}</p>
          ))}
        </section>
        <section id="call">
          <h2>On the telephone</h2>
          <ol>
            {call.map((text) => (
              <li>{text}</li>
            ))}
          </ol>
        </section>
      </>
    )}
  </>
)

/** Advice on a bill that was refused. */
const Advice = ({ code, hint }: Pick<Problem, 'code' | 'hint'>) => (
  <p>
    <WithCode words={hint} /> Problem <a href={`/problems/${code}`}>{code}</a>.
  </p>
)

/** The page with its form, and what came of it: a sheet, or a sentence about what is wrong. */
export const billHtml = (
  frame: Frame,
  form: BillForm,
  hospitals: readonly Hospital[],
  result: { sheet?: BillSheet; refused?: Problem } = {},
): Promise<string> =>
  frame({
    title: GUIDE.title,
    description: GUIDE.about,
    path: '/bill',
    scripts: ['bill'],
    main: (
      <>
        <section>
          <h1>{GUIDE.title}</h1>
          <p class="lead screen">
            Your bill, checked by the published rules and prices of its days. Everything is read on this device: codes,
            units, days and amounts are sent, and no name. You see what will be sent before it is sent, and nothing is
            stored.
          </p>
          <Form {...form} hospitals={hospitals} />
          <p id="bill-status" class="check-result" role="status" data-state={result.refused ? 'bad' : undefined}>
            {result.refused ? withFullStop(result.refused.detail) : ''}
          </p>
          {result.refused && <Advice {...result.refused} hint={result.refused.hint} />}
        </section>
        <section id="sheet" aria-live="polite">
          {result.sheet ? <SheetView {...result.sheet} /> : null}
        </section>
      </>
    ),
  })

/** @jsxImportSource hono/jsx */
import { type Problem, withFullStop } from '../../problem.ts'
import { type BillSheet, type Cell, classOf, type Table } from '../browser/bill-sheet.ts'
import type { Frame } from '../site/frame.ts'
import { WithCode } from '../site/layout.tsx'
import { HospitalField } from '../site/lookup-form.tsx'
import type { Hospital } from '../words/hospitals.ts'
import { type BillForm, GUIDE } from './bill-form.ts'

const EXAMPLE = '99213\t25\t1\t300.00\t94102\t2026-11-02'

const Form = ({ lines, place, day, npi, hospitals }: BillForm & { hospitals: readonly Hospital[] }) => (
  <form id="bill" method="post" action="/bill" autocomplete="off">
    <p>
      <label for="lines">The lines of the bill</label>
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
        One line each: code, modifier, units, billed, place, day. Paste from a spreadsheet, or write commas between
        them. With a heading, the columns may be in any order. At most 100 lines.
      </small>
    </p>
    <div class="lookup">
      <p>
        <label for="place">Default place</label>
        <input id="place" name="place" value={place} placeholder="94102 or CA" />
      </p>
      <p>
        <label for="day">Default day</label>
        <input id="day" name="day" type="date" value={day} />
      </p>
      <p>
        <label for="npi">Hospital, for its prices</label>
        <HospitalField hospitals={hospitals} value={npi} placeholder="NPI or name" />
      </p>
      <p>
        <button type="submit">Compare</button>
      </p>
    </div>
    <noscript>
      <p>
        <button type="submit" name="as" value="csv">
          As CSV
        </button>{' '}
        <button type="submit" name="as" value="json">
          As JSON
        </button>
      </p>
    </noscript>
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

const SheetView = ({ summary, tables, lists, letter }: BillSheet) => (
  <>
    <p>{summary}</p>
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
    {letter === '' ? null : (
      <>
        <h2>For a letter</h2>
        <p id="letter">{letter}</p>
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
            Each line beside what Medicare pays for it and what the hospital itself lists, with source and proof.
            Nothing is stored, and nothing of the bill is in an address. Leave names and dates of birth out: they are
            not needed.
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

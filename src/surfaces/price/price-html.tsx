/** @jsxImportSource hono/jsx */
import { citedLines } from '../../proof/price/row-of-release.ts'
import type { Frame } from '../site/frame.ts'
import { Day } from '../site/landing-html.tsx'
import { Sample, ScrollingTable } from '../site/layout.tsx'
import { LookupForm } from '../site/lookup-form.tsx'
import { amountsText, dollars, grouped, inWords, priceText } from '../site/words.ts'
import type { Hospital } from '../words/hospitals.ts'
import { prolongedNotes, rateNote } from '../words/row-text.ts'
import { BASIS_WORDS, wordsOf } from '../words/schedules.ts'
import { Calculation } from './calculation.tsx'
import { CheckSection } from './check-section.tsx'
import { HistoryChart } from './history-chart.tsx'
import { editionIn, type PriceAnswer, type PriceFacts, type ShortRow } from './price-facts.ts'
import { type PriceQuestion, pricePath } from './price-question.ts'
import {
  absenceTitle,
  codeText,
  namedText,
  questionFor,
  refusalTitle,
  scopeText,
  sentencesBeside,
  settingIn,
  shownAmount,
  statement,
} from './price-words.ts'
import { RefusalPart } from './refusal-html.tsx'
import { LocalityStrip, stripText } from './strip.tsx'

export function priceHtml(frame: Frame, facts: PriceFacts): Promise<string> {
  const { base, question, price } = facts
  const code = question ? codeText(question) : 'a code'
  const title = price && question ? `${shownAmount(price)} for code ${code}` : refusalTitle(facts)
  return frame({
    title: `${title}: Agent Trust Registry`,
    description: price && question ? `${shownAmount(price)} ${statement(price, question)}` : title,
    scripts: ['site', 'check'],
    head: question && <link rel="canonical" href={`${base}${pricePath(question)}`} />,
    main: (
      <>
        {price && question ? (
          <Statement price={price} question={question} hospital={facts.hospital} />
        ) : (
          <RefusalPart {...facts} />
        )}
        {price && question && (
          <section class="columns">
            <Source {...price} />
            <Calculation {...price} />
          </section>
        )}
        <Sheet {...facts} />
        <div class="pair">
          <Localities {...facts} />
          <History {...facts} />
        </div>
        <div class="pair">
          <CheckSection {...facts} />
          <Citation {...facts} />
        </div>
        <section class="screen">
          <h2>Look up another</h2>
          <LookupForm {...(question ? { values: question } : {})} />
        </section>
      </>
    ),
  })
}

interface StatementProps {
  price: PriceAnswer
  question: PriceQuestion
  hospital: Hospital | undefined
}

/** The amount, what it is and is not, and when it is in force. */
const Statement = ({ price, question, hospital }: StatementProps) => {
  const { is, isNot } = wordsOf(price.basis)
  const { release, from, to } = editionIn(price)
  return (
    <section class="statement">
      <h1>
        Code {codeText(question)} on <span class="whole">{inWords(question.as_of)}</span>{' '}
        {release.data_class === 'sample' && <Sample />}
      </h1>
      <p class="amount">{shownAmount(price)}</p>
      <p class="lead">{statement(price, question)}</p>
      {sentencesBeside(price, question).map((sentence) => (
        <p>{sentence}</p>
      ))}
      {price.kind === 'rate' && <p>{rateNote(price)}</p>}
      <dl class="facts">
        {hospital?.name !== undefined && (
          <>
            <dt>Hospital</dt>
            <dd>{namedText(hospital)}</dd>
          </>
        )}
        <dt>In force</dt>
        <dd>
          <span class="whole">{inWords(from)}</span> to <span class="whole">{inWords(to)}</span>
        </dd>
        <dt>It is</dt>
        <dd>{is}</dd>
        <dt>It is not</dt>
        <dd>{isNot}</dd>
        {price.flags.length > 0 && (
          <>
            <dt>Marked</dt>
            <dd>{price.flags.map((flag) => flag.replaceAll('_', ' ')).join(', ')}</dd>
          </>
        )}
      </dl>
    </section>
  )
}

const Source = (price: PriceAnswer) => {
  const { release } = editionIn(price)
  return (
    <div>
      <h2>Where it stands</h2>
      <dl class="facts">
        <dt>Published by</dt>
        <dd>{release.publisher}</dd>
        <dt>Release</dt>
        <dd>
          <code>{release.release_id}</code>
        </dd>
        {citedLines(price, release).map(({ file, sha256, url, line }) => (
          <>
            <dt>File</dt>
            <dd>
              <code>{file}</code>, <strong class="whole">line {grouped(String(line))}</strong>
              <code class="hash">SHA-256 {sha256}</code>
              {/^https:\/\//.test(url) && (
                <a class="screen" href={url} rel="noreferrer">
                  The file at its publisher
                </a>
              )}
            </dd>
          </>
        ))}
      </dl>
    </div>
  )
}

const Sheet = ({ question, price, sheet, notHeld }: PriceFacts) => {
  if (!question || sheet.length === 0) return null
  const isThis = (row: ShortRow): boolean =>
    price !== undefined &&
    (['basis', 'setting', 'modifier', 'region', 'npi', 'class'] as const).every((part) => row[part] === price[part])
  return (
    <section>
      <h2>Side by side</h2>
      <ScrollingTable
        id="sheet"
        caption={`Everything in force for code ${question.cpt} on this day, ${scopeText(sheet)}`}
        stacked
        head={['Kind of price', 'Setting', 'Modifier', 'Place', 'Amount']}
        numbers={1}
      >
        {sheet.map((row, at) => (
          <tr class={rowClass(isThis(row), at >= ROWS_ON_PAPER.sheet)}>
            <th scope="row">
              {BASIS_WORDS[row.basis].short}
              {row.class && `, ${row.class}`}
            </th>
            <td data-label="Setting">{settingIn(sheet, row)}</td>
            <td data-label="Modifier">{row.modifier ?? 'none'}</td>
            <td data-label="Place" class="whole">
              {row.npi === null ? row.region : `NPI ${row.npi}`}
            </td>
            <td data-label="Amount" class="number">
              {'price' in row ? (
                <a href={pricePath(questionFor(question, row))}>{priceText(row.price)}</a>
              ) : (
                <span class="reason">{absenceTitle(row.reason)}</span>
              )}
            </td>
          </tr>
        ))}
      </ScrollingTable>
      <MoreOnScreen rows={sheet.length} most={ROWS_ON_PAPER.sheet} />
      {prolongedNotes(sheet).map((note) => (
        <p class="small">{note}</p>
      ))}
      {notHeld.length > 0 && (
        <p class="small">
          Not loaded for this day:{' '}
          {notHeld.map((chart, at) => (
            <>
              {at > 0 && ', '}
              <code>{chart}</code>
            </>
          ))}
          . What they say is not known here.
        </p>
      )}
    </section>
  )
}

const Localities = ({ question, price, localities }: PriceFacts) => {
  if (!question || !price || localities.length < 2) return null
  const here = localities.find(({ region }) => region === price.region)
  return (
    <section>
      <h2>Across the country</h2>
      <p>{stripText(localities, here)}</p>
      <LocalityStrip prices={localities} here={here} />
      <details class="screen">
        <summary>The {localities.length} areas as a table</summary>
        <ScrollingTable id="localities" caption="Lowest first" head={['Medicare area', 'Amount']} numbers={1}>
          {localities.map(({ region, amount }) => (
            <tr class={region === here?.region ? 'this' : undefined}>
              <th scope="row">
                <a href={pricePath({ ...question, region })}>{region}</a>
              </th>
              <td class="number">{dollars(amount)}</td>
            </tr>
          ))}
        </ScrollingTable>
      </details>
    </section>
  )
}

const History = ({ price, history }: PriceFacts) => {
  if (!price || history.length === 0) return null
  return (
    <section>
      <h2>Over time</h2>
      <HistoryChart editions={history} />
      <ScrollingTable
        id="history"
        caption="What each edition that is held says"
        stacked
        head={['From', 'To', 'Edition', 'Amount']}
        numbers={1}
      >
        {history.toReversed().map(({ release_id, edition, effective_from, effective_to, price: stated }, at) => (
          <tr class={rowClass(release_id === editionIn(price).release.release_id, at >= ROWS_ON_PAPER.history)}>
            <td data-label="From">
              <Day day={effective_from} />
            </td>
            <td data-label="To">
              <Day day={effective_to} />
            </td>
            <td data-label="Edition">
              <code>{edition}</code>
            </td>
            <td data-label="Amount" class="number">
              {stated ? amountsText(stated) : 'none'}
            </td>
          </tr>
        ))}
      </ScrollingTable>
      <MoreOnScreen rows={history.length} most={ROWS_ON_PAPER.history} />
    </section>
  )
}

/** Paper shows the beginning of a long table, and the row that was asked about in any case. */
const ROWS_ON_PAPER = { sheet: 6, history: 4 }
const rowClass = (isThis: boolean, isFar: boolean): string | undefined =>
  isThis ? 'this' : isFar ? 'screen' : undefined
const MoreOnScreen = ({ rows, most }: { rows: number; most: number }) =>
  rows > most ? <p class="paper">The table has {rows} rows; the rest is on the page itself.</p> : null

const Citation = ({ base, question }: PriceFacts) => {
  if (!question) return null
  const address = `${base}${pricePath(question)}`
  return (
    <section>
      <h2>Cite or print this page</h2>
      <p>
        This address keeps asking the same question, for the same day:
        <br />
        <a id="permalink" href={address}>
          <code>{address}</code>
        </a>
      </p>
      <p>
        <button type="button" data-print hidden>
          Print
        </button>
      </p>
    </section>
  )
}

/** @jsxImportSource hono/jsx */
import { citedLines } from '../../proof/price/row-of-release.ts'
import { Day } from '../site/landing-html.tsx'
import { amountsText, grouped, inWords, periodText } from '../site/words.ts'
import { prolongedNote } from '../words/row-text.ts'
import { editionIn, type PriceFacts, type Refusal } from './price-facts.ts'
import { type PriceQuestion, pricePath } from './price-question.ts'
import { choiceText, hasSeveral, OTHER_LISTS, otherLists, refusalTitle, refusalWords } from './price-words.ts'

/** Why there is no price, for a patient; and what there is instead. */
export const RefusalPart = (facts: PriceFacts) => {
  const { question, refusal, alternatives } = facts
  if (!refusal) return null
  if (alternatives.length > 0) return <Choice {...facts} />
  const { title, meaning, detail } = refusalWords(refusal, question)
  return (
    <section>
      <h1>
        {refusalTitle(facts)}
        {question && (
          <>
            {' '}
            on <span class="whole">{inWords(question.as_of)}</span>
          </>
        )}
      </h1>
      <p class="lead">{meaning}</p>
      <dl class="facts">
        <dt>Reason</dt>
        <dd>
          {title}. <a href={`/problems/${refusal.code}`}>More about this reason</a>
        </dd>
        {detail && !refusal.row && (
          <>
            <dt>In detail</dt>
            <dd>{detail}</dd>
          </>
        )}
      </dl>
      {otherLists(facts).length > 0 && (
        <p>
          {OTHER_LISTS}:{' '}
          {otherLists(facts).map(({ label, question: other }, at) => (
            <>
              {at > 0 && '; '}
              <a href={pricePath(other)}>{label}</a>
            </>
          ))}
          .
        </p>
      )}
      {question && <Instead question={question} refusal={refusal} />}
      {question && !hasSeveral(refusal) && <p>That there is no price is proved, like every price here.</p>}
    </section>
  )
}

/** Links to choose from, where the text may mean several places or hospitals. */
const Choice = (facts: PriceFacts) => (
  <section>
    <h1>{refusalTitle(facts)}</h1>
    <p class="lead">What you wrote can mean several. Choose one:</p>
    <ul>
      {facts.alternatives.map(({ label, question }) => (
        <li>
          <a href={pricePath(question)}>{label}</a>
        </li>
      ))}
    </ul>
  </section>
)

const Instead = ({ question, refusal }: InsteadProps) => {
  const { row, last_known: last, charts, about: { choices, available } = {} } = refusal
  const stated = row && editionIn(refusal, row)
  const over = last && editionIn(refusal, last)
  return (
    <>
      {row && stated && (
        <dl class="facts">
          <dt>Stated in</dt>
          <dd>
            <code>{stated.release.release_id}</code>
            {citedLines(row, stated.release).map(({ file, line }) => (
              <>
                {', '}
                <code>{file}</code>, line {grouped(String(line))}
              </>
            ))}
            {prolongedNote(row).map((note) => `. ${note}`)}
          </dd>
        </dl>
      )}
      {last && over && (
        <p class="notice">
          <span class="expired">Expired</span> on this day: {amountsText(last.price)} until <Day day={over.to} />, by{' '}
          <code>{over.release.release_id}</code>. {prolongedNote(last).map((note) => `${note} `)}No later edition is
          known, so it is not the price on this day.{' '}
          <a href={pricePath({ ...question, as_of: over.to })}>See it on its last day</a>
        </p>
      )}
      {charts && (
        <ul>
          {charts.map(({ chart, held }) => (
            <li>
              <code>{chart}</code>:{' '}
              {held.length === 0
                ? 'no edition is held'
                : `held for ${held.map(({ from, to }) => periodText(from, to)).join('; ')}`}
            </li>
          ))}
        </ul>
      )}
      {choices && (
        <ul>
          {choices.map(({ region }) => (
            <li>
              <a href={pricePath({ ...question, region })}>{choiceText(region)}</a>
            </li>
          ))}
        </ul>
      )}
      {available && available.modifiers.length > 0 && (
        <p>
          With other modifiers:{' '}
          {available.modifiers.map((modifier) => (
            <>
              <a href={pricePath({ ...question, modifier })}>{`${question.cpt}-${modifier}`}</a>{' '}
            </>
          ))}
        </p>
      )}
    </>
  )
}

interface InsteadProps {
  question: PriceQuestion
  refusal: Refusal
}

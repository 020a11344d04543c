/** @jsxImportSource hono/jsx */
import { Sample } from '../site/layout.tsx'
import { inWords } from '../site/words.ts'
import type { Hospital } from '../written/hospital.ts'
import type { PriceAnswer } from './price-facts.ts'
import type { PriceQuestion } from './price-question.ts'
import { codeText, limitsOf, namedText, sentencesBeside, shownAmount, statement } from './price-words.ts'

interface StatementProps {
  price: PriceAnswer
  question: PriceQuestion
  hospital: Hospital | undefined
}

/** The amount, what it is and is not, and when it is in force. */
export const Statement = ({ price, question, hospital }: StatementProps) => {
  const { is, isNot } = limitsOf(price.basis)
  const { release, in_force } = price.proof
  const { from, to } = in_force?.period ?? { from: release.effective_from, to: release.effective_to }
  return (
    <section class="statement">
      <h1>
        Code {codeText(question)} on <span class="whole">{inWords(question.as_of)}</span>{' '}
        {release.data_class === 'sample' && <Sample />}
      </h1>
      <p class="amount">{shownAmount(price)}</p>
      <p class="lead">{statement(price, question)}</p>
      {sentencesBeside(price).map((sentence) => (
        <p>{sentence}</p>
      ))}
      {price.kind === 'rate' && <p>This is a factor that is multiplied by units, not a price.</p>}
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

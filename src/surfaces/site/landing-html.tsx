/** @jsxImportSource hono/jsx */
import { ABOUT, SERVICE } from '../discovery/descriptor.ts'
import { FigureTiles } from './figure-tiles.tsx'
import type { Frame } from './frame.ts'
import {
  connections,
  isSample,
  type LandingChart,
  type LandingFacts,
  NEVER_EXPOSED,
  noExample,
  STATUS_WORDS,
  TERMS,
} from './landing-facts.ts'
import { Sample, ScrollingTable, Snippet } from './layout.tsx'
import { LookupForm } from './lookup-form.tsx'
import { grouped, inWords } from './words.ts'

export const landingHtml = (frame: Frame, facts: LandingFacts): Promise<string> =>
  frame({
    title: `${SERVICE}: medical reference prices that anyone can check`,
    description: ABOUT,
    path: '/',
    head: (
      <>
        <link rel="canonical" href={`${facts.base}/`} />
        <link rel="alternate" type="text/markdown" href="/" />
        <link rel="service-desc" type="application/json" href="/api/openapi.json" />
        <link rel="describedby" type="application/json" href="/api/readme" />
      </>
    ),
    main: (
      <>
        <Hero {...facts} />
        <Figures {...facts} />
        <Charts {...facts} />
        <Agents {...facts} />
        <section id="never">
          <h2>What is never exposed</h2>
          <ul>
            {NEVER_EXPOSED.map((thing) => (
              <li>{thing}</li>
            ))}
          </ul>
        </section>
        <section id="terms">
          <h2>Terms</h2>
          <ul>
            {TERMS.map((term) => (
              <li>{term}</li>
            ))}
          </ul>
        </section>
      </>
    ),
  })

const Hero = ({ sample, hospitals, example, charts }: LandingFacts) => (
  <section class="hero">
    <div>
      <h1>Medical reference prices that anyone can check</h1>
      <p class="lead">
        What Medicare and hospitals state as the price of a procedure code, with the file and line it comes from, and a
        proof that you can check without trusting us.
      </p>
      <LookupForm hospitals={hospitals} {...(example ? { example: example.cpt } : {})} />
      <p class="small">
        A place is a ZIP code, a state, an address that ends with one of them, a Medicare area such as{' '}
        <code>US-CA-05</code>, or nothing for the whole country. The day is today unless you say another. A hospital is
        optional.
      </p>
      {sample && (
        <p class="notice">
          <Sample /> This installation shows sample data. Amounts and figures marked SAMPLE are invented for
          demonstration. Real prices come by <code>atr fetch all</code>, <code>atr update --publish</code> and{' '}
          <code>atr serve</code> in a folder of their own.
        </p>
      )}
    </div>
    <Example example={example} charts={charts} />
  </section>
)

const Example = ({ example: price, charts }: Pick<LandingFacts, 'example' | 'charts'>) =>
  price ? (
    <aside class="receipt" aria-labelledby="example">
      <h2 id="example">A price and its source {price.sample && <Sample />}</h2>
      <p class="amount">{price.shown}</p>
      <p>
        is the {price.region === 'national' ? 'national' : <code>{price.region}</code>} reference price of code{' '}
        <code>{price.cpt}</code>, in force since <Day day={price.effective_from} />.
      </p>
      <dl class="facts">
        <dt>Stated by</dt>
        <dd>{price.schedule}</dd>
        <dt>In the file</dt>
        <dd>
          <code>{price.file}</code>, <span class="whole">line {grouped(String(price.line))}</span>
        </dd>
        <dt>Release</dt>
        <dd>
          <code>{price.release_id}</code>
        </dd>
      </dl>
      <p>
        <a href={price.address}>See it, print it, check it</a>
      </p>
    </aside>
  ) : (
    <aside class="receipt">
      <h2>No example today</h2>
      <p>{noExample(charts)}</p>
    </aside>
  )

const Figures = ({ figures: { released, sample, list } }: LandingFacts) => (
  <section id="figures">
    <h2>Dispute figures {sample && <Sample />}</h2>
    <p>
      Aggregates of medical bill disputes.{' '}
      {released === null ? (
        'No figures have been released yet.'
      ) : (
        <>
          Released <Day day={released} />.
        </>
      )}
    </p>
    <FigureTiles list={list} />
    <p>
      <a href="/figures">What they mean, how exact they are, and what is held back</a>
    </p>
  </section>
)

const Charts = ({ charts: { list, total } }: LandingFacts) => (
  <section id="charts">
    <h2>Price lists</h2>
    {list.length === 0 ? <p>No price list is in force yet.</p> : <ChartList list={list} />}
    {total > list.length && (
      <p>
        The first {list.length} of {grouped(String(total))}. <a href="/status">All of them, and how fresh they are</a>
      </p>
    )}
  </section>
)

/** Price lists with the edition of each that was in force last. */
export const ChartList = ({ list }: { list: readonly LandingChart[] }) => (
  <ScrollingTable
    id="chart-list"
    caption="The edition of each that was in force last"
    stacked
    head={['Price list', 'Edition', 'Period', 'Today', 'Rows']}
    numbers={1}
  >
    {list.map((chart) => (
      <ChartRow {...chart} />
    ))}
  </ScrollingTable>
)

const ChartRow = (chart: LandingChart) => (
  <tr>
    <th scope="row">
      {chart.title} {isSample(chart) && <Sample />}
      <br />
      <code>{chart.chart}</code>
    </th>
    <td data-label="Edition">{chart.edition}</td>
    <td data-label="Period">
      <Day day={chart.effective_from} /> to <Day day={chart.effective_to} />
    </td>
    <td data-label="Today" class={chart.status === 'expired' ? 'today expired' : 'today'}>
      {STATUS_WORDS[chart.status]}
    </td>
    <td data-label="Rows" class="number">
      {grouped(String(chart.rows))}
    </td>
  </tr>
)

const Agents = ({ base, steps, operations }: LandingFacts) => (
  <section id="agents">
    <h2>How an agent connects</h2>
    <p>Prices and figures are open to all. Save the log keys once, and every answer can be checked offline.</p>
    <div class="columns">
      {connections(base).map((each) => (
        <Snippet {...each} />
      ))}
    </div>
    {steps.length > 0 && (
      <>
        <h3>For what is protected</h3>
        <p>The rest needs a short-lived token, which an agent obtains in four steps with a key from the operator.</p>
        <ol class="steps">
          {steps.map((step) => (
            <li>{step}</li>
          ))}
        </ol>
      </>
    )}
    <details>
      <summary>What can be asked: {operations.length} operations</summary>
      <ScrollingTable id="operation-list" caption="Operations" stacked routes head={['Route', 'Answer', 'Needs']}>
        {operations.map(({ route, summary, needs }) => (
          <tr>
            <th scope="row">
              <code>{route}</code>
            </th>
            <td>{summary}</td>
            <td data-label="Needs">{needs}</td>
          </tr>
        ))}
      </ScrollingTable>
    </details>
    <p>
      Read the <a href="/api/readme">briefing</a> first
      {steps.length > 0 && (
        <>
          , then the <a href="/api/agent-rails/policy">rails policy</a>
        </>
      )}
      . The <a href="/docs">documentation</a> has all of it; there are an{' '}
      <a href="/.well-known/agent-card.json">agent card</a> and a{' '}
      <a href="/.well-known/ai-plugin.json">plugin manifest</a>.
    </p>
  </section>
)

export const Day = ({ day }: { day: string }) => (
  <time class="whole" datetime={day}>
    {inWords(day)}
  </time>
)

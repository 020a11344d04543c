/** @jsxImportSource hono/jsx */
import type { Ask } from '../site/ask.ts'
import { FigureTiles } from '../site/figure-tiles.tsx'
import { type FiguresAnswer, figureTiles, WITHHELD_MEANS } from '../site/figure-words.ts'
import type { Frame } from '../site/frame.ts'
import { verifyCommands } from '../site/landing-facts.ts'
import { Day } from '../site/landing-html.tsx'
import { figureLine, sampleMark } from '../site/landing-markdown.ts'
import { Sample, ScrollingTable, Snippet } from '../site/layout.tsx'
import { blocks, bullets, markdownText } from '../site/markup.ts'
import { grouped, inWords } from '../site/words.ts'
import type { PageForms } from './site-page.ts'

export interface FiguresParts {
  frame: Frame
  ask: Ask
  baseUrl: () => string
}

/** The disclosure rule for people. The whole of it is in the specification. */
const RULE_WITH_NOISE = [
  'Cases are counted in windows that are closed once: a quarter, or a month where there are many cases.',
  'Random noise is added to the counts of a window once, and never drawn again. So nobody learns whether one case is in them.',
  'A person counts with at most three cases in a window, and one case with at most 5,000 dollars in the sum.',
  'A figure is withheld if its counts, noise included, come to fewer than 50 cases; a rate also if one side of it has fewer than 11 cases, or 33 where the noise protects persons.',
  'The standard error says how far noise and rounding move a value. About two of three times it is nearer to the truth than that.',
] as const
const RULE_EXACT = [
  'These figures have no noise: the operator may publish exact ones. Who knows all cases but one can learn that one.',
  'A figure is shown only if it rests on enough cases, and if it tells nothing beside those shown before it.',
] as const

const ruleOf = ({ exact }: FiguresAnswer): readonly string[] => (exact ? RULE_EXACT : RULE_WITH_NOISE)

export function figuresForms({ frame, ask, baseUrl }: FiguresParts): PageForms {
  const answer = async (): Promise<FiguresAnswer> => (await ask('get_figures', {})).body as FiguresAnswer
  return {
    html: async () => figuresHtml(frame, await answer(), baseUrl()),
    markdown: async () => figuresMarkdown(await answer()),
    json: answer,
  }
}

const figuresHtml = (frame: Frame, figures: FiguresAnswer, base: string): Promise<string> =>
  frame({
    title: 'Dispute figures: Agent Trust Registry',
    description: 'Aggregate figures on medical bill disputes, with their errors and the rule that protects people.',
    path: '/figures',
    main: (
      <>
        <section class="doc">
          <h1>Dispute figures {figures.data_class === 'sample' && <Sample />}</h1>
          <p class="lead">
            What became of medical bill disputes, in aggregates that say nothing about any person.{' '}
            {figures.as_of === null ? (
              'No figures have been released yet.'
            ) : (
              <>
                Released <Day day={figures.as_of} />.
              </>
            )}
          </p>
          <FigureTiles list={figureTiles(figures)} />
        </section>
        <Definitions {...figures} />
        <section>
          <h2>The rule, in plain words</h2>
          <ul>
            {ruleOf(figures).map((sentence) => (
              <li>{sentence}</li>
            ))}
          </ul>
          <p>{WITHHELD_MEANS}</p>
          <p class="small">
            Rule <code>{figures.sdc_rule_version}</code>
          </p>
        </section>
        <section>
          <h2>Releases and their proof</h2>
          <p>
            {figures.release_id === null ? (
              'There is no release yet.'
            ) : (
              <>
                This is release <code>{figures.release_id}</code>, the last entry of the public figures log. Every
                earlier change is an entry of the same log, and can be read with the scope <code>audit:read</code>.
              </>
            )}
          </p>
          <Snippet label="Check it offline" text={verifyCommands(base, '/api/figures').join('\n')} />
        </section>
      </>
    ),
  })

const Definitions = (figures: FiguresAnswer) => (
  <section>
    <h2>What is counted</h2>
    <ScrollingTable
      id="definitions"
      caption="Definitions"
      stacked
      head={['Figure', 'Definition', 'Value', 'Standard error']}
      numbers={2}
    >
      {figureTiles(figures).map(({ key, name, value, error }) => (
        <tr>
          <th scope="row">
            {name}
            <br />
            <code>{key}</code>
          </th>
          <td>{figures.metrics[key as keyof FiguresAnswer['metrics']].definition}</td>
          <td data-label="Value" class="number">
            {value ?? 'withheld'}
          </td>
          <td data-label="Standard error" class="number">
            {error ?? 'none'}
          </td>
        </tr>
      ))}
    </ScrollingTable>
    <p class="small">{countsOf(figures)}</p>
  </section>
)

/** Only a count without noise is a lower bound. */
function countsOf({ exact, counts_standard_error: error, ...figures }: FiguresAnswer): string {
  const about = (count: number | null, noun: string): string => {
    if (count === null) return `The number of ${noun} is withheld.`
    const many = `${grouped(String(count))} ${noun}`
    if (exact) return `At least ${many}, rounded down to ten.`
    return `About ${many}${typeof error === 'number' ? ` (standard error ${grouped(String(error))})` : ''}.`
  }
  return `${about(figures.cases_floor10, 'cases')} ${about(figures.settlements_floor10, 'settlements')}`
}

const figuresMarkdown = (figures: FiguresAnswer): string =>
  blocks([
    '# Dispute figures',
    `${figures.as_of === null ? 'No figures have been released yet.' : `Released ${markdownText(inWords(figures.as_of))}.`}${sampleMark(figures.data_class === 'sample')}`,
    bullets(figureTiles(figures).map(figureLine)),
    countsOf(figures),
    '## The rule, in plain words',
    bullets(ruleOf(figures)),
    WITHHELD_MEANS,
    'With their proof: [/api/figures](/api/figures)',
  ])

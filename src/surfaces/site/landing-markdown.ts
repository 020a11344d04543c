import { ABOUT, RULES, SERVICE } from '../discovery/descriptor.ts'
import { DOCUMENTS } from '../guides/documents.ts'
import { markdownCode as code, markdownText as text } from './html.ts'
import { inWords, isSample, type LandingFacts, NEVER_EXPOSED, TERMS, verifyCommands } from './landing-facts.ts'

/** The same page as markdown, mainly for agents. */
export const landingMarkdown = (facts: LandingFacts): string =>
  [
    `# ${SERVICE}`,
    `> ${ABOUT}`,
    facts.sample ? '**SAMPLE**: amounts and figures marked SAMPLE are invented for demonstration.' : '',
    '## A price and its source',
    example(facts),
    '## Dispute figures',
    figures(facts),
    '## Price lists in force',
    charts(facts),
    '## Check it yourself, offline',
    'Save the keys of the log once, then check any answer with them, without a network.',
    ['```sh', ...verifyCommands(facts.base, facts.example?.address ?? '/reference?cpt=99213'), '```'].join('\n'),
    '## How an agent gets access',
    facts.steps.map((step, at) => `${at + 1}. ${text(step)}`).join('\n'),
    '## Operations',
    facts.operations
      .map(({ route, summary, needs }) => `- ${code(route)}: ${text(summary)} (needs ${text(needs)})`)
      .join('\n'),
    '## Rules',
    bullets(RULES),
    '## What is never exposed',
    bullets(NEVER_EXPOSED),
    '## Terms',
    bullets(TERMS),
    '## More',
    bullets(DOCUMENTS.map(({ title, path, summary }) => `[${title}](${path}): ${summary}`)),
  ]
    .filter((block) => block !== '')
    .join('\n\n')
    .concat('\n')

const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')
const mark = (sample: boolean): string => (sample ? ' **SAMPLE**' : '')

function example({ example: price }: LandingFacts): string {
  if (!price) return 'The code `99213` has no price in force today.'
  return (
    `${text(price.shown)} is the reference price of code ${code(price.cpt)} in region ${code(price.region)}, in force since ` +
    `${text(inWords(price.effective_from))}. It is stated by the ${text(price.schedule)}, file ${code(price.file)}, line ${price.line}, ` +
    `release ${code(price.release_id)}.${mark(price.sample)} [See it with its proof](${price.address})`
  )
}

function figures({ figures: { released, sample, list } }: LandingFacts): string {
  const from = released === null ? 'No figures have been released yet.' : `Released ${text(inWords(released))}.`
  const lines = list.map(
    ({ key, name, value, meaning }) =>
      `- ${code(key)} ${name}: ${value === undefined ? 'withheld, which is not zero' : text(value)}. ${meaning}`,
  )
  return `${from}${mark(sample)} All of them with their definitions: [/api/figures](/api/figures)\n\n${lines.join('\n')}`
}

function charts({ charts: { list, total } }: LandingFacts): string {
  if (list.length === 0) return 'No price list is in force yet.'
  const rows = list.map(
    (chart) =>
      `| ${text(chart.title)}${mark(isSample(chart))} | ${code(chart.chart)} | ${code(chart.edition)} | ` +
      `${text(inWords(chart.effective_from))} | ${chart.rows} |`,
  )
  const table = ['| Price list | Chart | Edition | In force since | Rows |', '|---|---|---|---|---:|', ...rows].join(
    '\n',
  )
  return total > list.length
    ? `${table}\n\nThe first ${list.length} of ${total}. [All of them, with their content](/api/coverage)`
    : table
}

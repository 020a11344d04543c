import { z } from 'zod'
import { BILL_RULES, type BillRule, RULE_ENTRIES } from '../../tables/bill-rules.ts'
import { jsonForm, type Resource } from '../http/resource.ts'
import { type Frame, PAGE_HEADERS } from '../site/frame.ts'
import { markdownText } from '../site/markup.ts'

const html = () => import('./rule-html.tsx')

export const RulePage = z
  .strictObject({
    rule: z.enum(BILL_RULES),
    title: z.string(),
    says: z.array(z.string()).meta({ description: 'Paragraphs for patients' }),
    questions: z
      .array(z.string())
      .meta({ description: 'What to ask the billing office; a word in braces is that of the bill' }),
    source: z.string(),
  })
  .meta({ id: 'BillRule', description: 'What one rule of bills means' })
export type RulePage = z.infer<typeof RulePage>

/** What a rule of bills means, for whoever has a bill on which it finds something. */
export const rulePages = (frame: Frame): Resource => ({
  name: 'get_bill_rule',
  path: '/rules/{rule}',
  summary: 'What a rule of bills means, for patients',
  tag: 'discovery',
  cache: 'public, max-age=3600',
  stamp: () => 'constant',
  lenient: true,
  parameters: [{ name: 'rule', values: BILL_RULES, description: 'The `rule` of a finding of `POST /bill/check`' }],
  headers: PAGE_HEADERS,
  forms: [
    { type: 'text/html; charset=utf-8', render: async (rule) => (await html()).ruleHtml(frame, rulePage(rule)) },
    { type: 'text/markdown; charset=utf-8', render: (rule) => ruleMarkdown(rulePage(rule)) },
    jsonForm(RulePage, rulePage),
  ],
})

function rulePage(parameter: string): RulePage {
  const rule: BillRule = RulePage.shape.rule.parse(parameter)
  const { title, says, source, variants } = RULE_ENTRIES[rule]
  return { rule, title, says: [...says], questions: Object.values(variants).map(({ ask }) => ask), source }
}

const ruleMarkdown = ({ rule, title, says, questions, source }: RulePage): string =>
  `# ${markdownText(title)}

Rule \`${rule}\` of the check of a bill

${says.map(markdownText).join('\n\n')}

## What to ask

${questions.map((question) => `- ${markdownText(question)}`).join('\n')}

## Where it stands

${markdownText(source)}
`

import { BILL_RULES } from '../../tables/bill-rules.ts'
import { jsonForm, type Resource } from '../http/resource.ts'
import { type Frame, PAGE_HEADERS } from '../site/frame.ts'
import { markdownText } from '../site/markup.ts'
import { RulePage, rulePage } from './rule-type.ts'

const html = () => import('./rule-html.tsx')

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

const ruleMarkdown = ({ rule, title, says, questions, source }: RulePage): string =>
  `# ${markdownText(title)}

Rule \`${rule}\` of the check of a bill

${says.map(markdownText).join('\n\n')}

## What to ask

${questions.map((question) => `- ${markdownText(question)}`).join('\n')}

## Where it stands

${markdownText(source)}
`

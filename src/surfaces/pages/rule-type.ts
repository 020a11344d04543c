import { z } from 'zod'
import { BILL_RULES, type BillRule, RULE_ENTRIES } from '../../tables/bill-rules.ts'

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

export function rulePage(parameter: string): RulePage {
  const rule: BillRule = RulePage.shape.rule.parse(parameter)
  const { title, says, source, variants } = RULE_ENTRIES[rule]
  return { rule, title, says: [...says], questions: Object.values(variants).map(({ ask }) => ask), source }
}

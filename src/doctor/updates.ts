import { isDue, looksByChart } from '../fetch/run.ts'
import { finding } from './finding.ts'
import type { FactsAndFindings, Subject } from './records.ts'

/** A chart or hospital that `atr update` looks after. */
export interface UpdateFact {
  chart: string
  is_due: boolean
  newest_edition: string | null
  looked_at: string | null
  trouble: string | null
  failures: number
}

/** A trouble that lasts is a finding. The first retries often help by themselves. */
const LASTING = 3

export async function updateFacts(
  { installation: { db }, now }: Subject,
  fetchable: readonly string[],
): Promise<FactsAndFindings<UpdateFact[]>> {
  const looks = await looksByChart(db)
  const facts = fetchable.map((chart) => {
    const look = looks.get(chart)
    return {
      chart,
      is_due: isDue(look, now),
      newest_edition: look?.newest ?? null,
      looked_at: look ? new Date(look.looked_at).toISOString() : null,
      trouble: look?.trouble ?? null,
      failures: look?.failures ?? 0,
    }
  })
  const lasting = facts.filter(({ failures }) => failures >= LASTING)
  return {
    facts,
    findings: lasting.map(({ chart, trouble, failures }) =>
      finding('fetch_failing', `${chart}: ${trouble} at the last ${failures} looks`),
    ),
  }
}

import type { ChartReport } from '../fetch/run.ts'
import { DONE, REFUSED } from './command.ts'

/** Something is wrong, or waits for a person. An edition that is not all there yet is neither. */
const needsPerson = ({ trouble, releases }: ChartReport): boolean =>
  (trouble !== null && trouble.code !== 'incomplete') || releases.some(({ held }) => held.length > 0)

export const exitCodeOf = (reports: readonly ChartReport[]): number => (reports.some(needsPerson) ? REFUSED : DONE)

/** A line for each chart, and one for each of its releases. */
export function reportLines(report: ChartReport): string[] {
  const { chart, newest, outcome, trouble, wanted, releases, files } = report
  const shown = newest === null ? '' : files ? `: ${newest}` : `, newest edition shown: ${newest}`
  const head = trouble
    ? `${chart}: ${trouble.code}: ${trouble.says}`
    : wanted.length > 0
      ? `${chart}: would take ${wanted.join(', ')}`
      : `${chart}: ${OUTCOMES[outcome]}${shown}`
  const from = files ? [`  ${files.join(', ')}`] : []
  return [head, ...from, ...releases.flatMap(releaseLines)]
}

const OUTCOMES: Readonly<Record<ChartReport['outcome'], string>> = {
  nothing_new: 'nothing new',
  new: 'taken',
  wanted: 'there is something new',
  trouble: 'trouble',
  not_due: 'not due yet',
}

function releaseLines({ release_id, state, held, details }: ChartReport['releases'][number]): string[] {
  if (state === 'published') return [`  ${release_id} published`]
  if (held.length === 0) return [`  ${release_id} staged: \`atr release publish ${release_id}\``]
  const why = `  ${release_id} staged and held by ${held.join(', ')}: \`atr release check ${release_id}\` says more`
  return [why, ...details.map((detail) => `    ${detail}`)]
}

// The last whole run on each kind of processor, and the table of docs/performance.md that is made of it.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Line } from './measure.ts'

const FILE = join(import.meta.dir, 'results.json')
const PAGE = join(import.meta.dir, '../docs/performance.md')
const [BEGIN, END] = ['<!-- made by npm run bench -->', '<!-- end -->']

/** By kind of processor: ratios of one say little about those of another. */
export type Results = Record<string, { at: string; machine: string; lines: Line[] }>

export const committed = (): Results => (existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {})

export const mark = ({ isMet }: Line): string => (isMet === undefined ? '' : isMet ? 'met' : 'MISSED')

/** Markdown: a table for each kind of processor. */
export const tables = (results: Results): string =>
  Object.keys(results).length === 0 ? 'There was no whole run yet.' : Object.entries(results).map(tableOf).join('\n\n')

const tableOf = ([arch, { at, machine, lines }]: [string, Results[string]]): string =>
  [
    `### ${arch}`,
    '',
    `${machine}, ${at}`,
    '',
    '| What | Floor | Measured | |',
    '|---|---|---|---|',
    ...lines.map((line) => `| ${line.what} | ${line.floor} | ${line.figure} | ${mark(line)} |`),
  ].join('\n')

/** The page with its generated part as these results have it. */
export function pageWith(page: string, results: Results): string {
  const [before = '', rest = ''] = page.split(BEGIN)
  const [, after = ''] = rest.split(END)
  return `${before}${BEGIN}\n\n${tables(results)}\n\n${END}${after}`
}

/** Results of other processors stay. */
export function writeResults(machine: string, at: string, lines: Line[]): void {
  const results = { ...committed(), [process.arch]: { at, machine, lines } }
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(PAGE, pageWith(readFileSync(PAGE, 'utf8'), results))
}

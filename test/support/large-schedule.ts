import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOCALITIES } from '../../src/ingest/schedules/localities.ts'

// A physician schedule as large as it is asked to be, in CMS's layout. Values are invented, and differ from line to line.

const SAMPLE = join(import.meta.dir, '../../sample/PPRRVU-SAMPLE26D.csv')

/** 10000 to 99999: five digits are a code. */
export const codeAt = (i: number): string => String(10_000 + i)

/** Each code has two prices in every locality and two for the nation. */
export const rowsOf = (codes: number): number => codes * 2 * (LOCALITIES.length + 1)

/** The files to load. */
export function writeLargeSchedule(folder: string, codes: number): string[] {
  const sample = readFileSync(SAMPLE, 'utf8').split('\n')
  const head = sample.slice(0, sample.findIndex((line) => line.startsWith('HCPCS')) + 1)
  const hundredths = (n: number): string => (n / 100).toFixed(2)
  const lines = Array.from({ length: codes }, (_, i) => {
    const [work, outside, inside, malpractice] = [7 + (i % 941), 11 + (i % 1_709), 5 + (i % 613), 1 + (i % 97)]
    const totals = [work + outside + malpractice, work + inside + malpractice].map(hundredths)
    const values = [work, outside, '', inside, '', malpractice].map((each) =>
      each === '' ? '' : hundredths(Number(each)),
    )
    return `${codeAt(i)},,${codeAt(i)},A,,${values},${totals},0,010,0.00,0.00,0.00,0,0,0,0,0,9,,33.4009,09,0,99,0.00,0.00,0.00`
  })
  const indices = LOCALITIES.map((region, i) => {
    const [, state, number] = region.split('-')
    const [work, practice, malpractice] = [0.9 + i / 1_000, 0.8 + i / 500, 0.3 + i / 200].map((each) => each.toFixed(3))
    return `${10_000 + i},${state},${number},${state}-${number},${work},${work},${practice},${malpractice}`
  })
  const columns =
    'Medicare Administrative Contractor (MAC),State,Locality Number,Locality Name,2026 PW GPCI (without 1.0 Floor),2026 PW GPCI (with 1.0 Floor),2026 PE GPCI,2026 MP GPCI'
  const [rvus, gpci] = [join(folder, 'PPRRVU.csv'), join(folder, 'GPCI.csv')]
  writeFileSync(rvus, [...head, ...lines, ''].join('\n'))
  writeFileSync(gpci, [columns, ...indices, ''].join('\n'))
  return [rvus, gpci]
}

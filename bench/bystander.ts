import { besideACrowd } from '../test/support/bystander.ts'
import type { Line } from './measure.ts'

const CROWD_MS = 15_000

/** What fifty callers at their full quota on the most expensive public routes do to a bystander. The aim is a p99 under 50 ms. */
export async function bystanders(): Promise<Line[]> {
  const { quiet, busy, statuses } = await besideACrowd(CROWD_MS)
  const ms = (value: number): string => `${value.toFixed(1)} ms`
  return [
    { what: 'a price, p99, alone', figure: ms(quiet.wall), beside: `the service computes ${ms(quiet.work)}` },
    { what: 'a price, p99, beside a crowd', figure: ms(busy.wall), beside: `the service computes ${ms(busy.work)}` },
    {
      what: 'answers to the crowd',
      figure: Object.entries(statuses)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
      beside: '',
    },
  ]
}

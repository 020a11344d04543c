import { expect, test } from 'bun:test'
import { type CitationRecord, intervalDays, judge, type Observation } from './judgement.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 6, 1)
const context = { chart: 'cms-pfs', isSuccessor: (sha256: string) => sha256 === 'next' }

/** The records of a source with these observations, each made when it is due. */
function history(
  ...seen: (Observation['kind'] | { sha256: string | null } | { moved: Observation['kind'] })[]
): CitationRecord[] {
  const records: CitationRecord[] = []
  for (const each of seen) {
    const at = records.at(-1)?.next_check_at ?? START
    const moved = typeof each === 'object' && 'moved' in each
    const kind = typeof each === 'string' ? each : 'moved' in each ? each.moved : 'other_bytes'
    const observation = (
      typeof each === 'object' && 'sha256' in each ? { kind: 'other_bytes', sha256: each.sha256 } : { kind }
    ) as Observation
    const http_status = { missing: 404, blocked: 403, no_answer: null }[kind as string] ?? 200
    records.push(judge(records.at(-1), { at, observation, http_status, moved }, context))
  }
  return records
}
const states = (...seen: Parameters<typeof history>): string[] => history(...seen).map(({ state }) => state)

test('each observation has its state', () => {
  expect(states('same_bytes')).toEqual(['ok'])
  expect(states('same_fingerprint')).toEqual(['not_modified'])
  expect(states({ moved: 'same_bytes' })).toEqual(['redirected_permanent'])
  expect(states({ sha256: 'other' })).toEqual(['changed'])
  expect(states({ sha256: 'next' })).toEqual(['superseded'])
  expect(states('blocked')).toEqual(['blocked'])
  expect(states('no_answer')).toEqual(['unreachable'])
})

test('a source is gone after three missing answers over three days, and not before', () => {
  expect(states('missing', 'missing', 'missing', 'missing', 'missing')).toEqual([
    ...['unreachable', 'unreachable', 'unreachable', 'unreachable', 'gone'],
  ])
  const last = history('missing', 'missing', 'missing', 'missing', 'missing').at(-1) as CitationRecord
  expect((last.checked_at - START) / HOUR).toBe(1 + 6 + 24 + 72)
})

test('a failing source is looked at again after 1, 6, 24 and then every 72 hours', () => {
  const waits = history('no_answer', 'blocked', 'no_answer', 'missing', 'no_answer').map(
    ({ checked_at, next_check_at }) => (next_check_at - checked_at) / HOUR,
  )
  expect(waits).toEqual([1, 6, 24, 72, 72])
})

test('one good look ends a failure, and the next failure counts from the beginning', () => {
  const [, failed, good, again] = history('same_bytes', 'no_answer', 'same_bytes', 'missing') as CitationRecord[]
  expect(failed).toMatchObject({ failures: 1, last_ok_at: START })
  expect(good).toMatchObject({ failures: 0, first_failed_at: null, last_ok_at: good?.checked_at })
  expect(again).toMatchObject({ failures: 1, first_failed_at: again?.checked_at })
})

test('a schedule is looked at every week and a hospital every month', () => {
  expect([intervalDays('cms-asp'), intervalDays('hospital-mrf:1234567893')]).toEqual([7, 30])
})

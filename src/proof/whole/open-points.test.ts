import { expect, test } from 'bun:test'
import { PROOF_REF } from '../envelope.ts'
import { isShortAnswer } from './open-points.ts'

test('a pointer is the mark of a short answer only where there is no checkpoint', () => {
  const pointer = { type: PROOF_REF, href: '/rows/x:y:1/0' }
  const whole = { log: { checkpoint: '' } }
  expect(isShortAnswer({ proof: pointer })).toBe(true)
  expect(isShortAnswer({ data: [{ answer: { row: { proof: pointer } } }] })).toBe(true)
  expect(isShortAnswer({ data: [{ proof: pointer }], ...whole })).toBe(false)
  for (const body of [{}, [], null, 'text', { code: '99213' }, { code: 'not_on_schedule', agent_hint: '' }])
    expect(isShortAnswer(body)).toBe(false)
})

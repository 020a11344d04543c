import { expect, test } from 'bun:test'
import { fitsRefusal } from '../answer.ts'
import { aFee, aPlace } from '../registry-fixture.ts'
import { conditionOf } from './condition.ts'
import type { Adjustment } from './modifiers.ts'

test('an adjusted amount says what it depends on: documents, specialties or nothing', () => {
  const condition = (rule: string, assistant: string, co_surgeon: string) =>
    conditionOf({ indicators: { assistant, co_surgeon } }, { rule } as Adjustment)
  expect([condition('assistant/1', '0', '1'), condition('assistant/1', '2', '1')]).toEqual(['documents', undefined])
  expect([condition('co-surgeon/1', '0', '1'), condition('co-surgeon/1', '0', '2')]).toEqual([
    'documents',
    'specialties',
  ])
  expect(condition('bilateral/1', '0', '1')).toBeUndefined()
})

test('only a price can stand beside the refusal of its modifier', () => {
  const said = (row: Parameters<typeof fitsRefusal>[1]) => fitsRefusal('modifier_not_allowed', row)
  expect([said(aFee({ cpt: '99213' })), said(aPlace('60611', 'US-IL-16'))]).toEqual([true, false])
  expect(fitsRefusal('not_on_schedule', aFee({ cpt: '99213' }))).toBe(false)
})

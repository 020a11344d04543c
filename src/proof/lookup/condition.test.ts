import { expect, test } from 'bun:test'
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

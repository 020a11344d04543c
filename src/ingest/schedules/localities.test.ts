import { expect, test } from 'bun:test'
import { isDivided } from '../../proof/lookup/region.ts'
import { LOCALITIES } from './localities.ts'

test('the rule of the lookup knows which states have several localities', () => {
  const states = Map.groupBy(LOCALITIES, (region) => region.slice(3, 5))
  expect(states.size).toBeGreaterThan(50)
  for (const [state, localities] of states) expect([state, isDivided(state)]).toEqual([state, localities.length > 1])
})

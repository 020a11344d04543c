// Changes of published figures, a state after them, and the log that holds them.

import { utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { aState } from '../../src/proof/figures-fixture.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { figures } from './keys.ts'

export const change = (seq: number, given: Record<string, unknown> = {}) => ({
  seq,
  release_id: '2026-10-06.1',
  released_at: '2026-10-06T00:00:00Z',
  metric: ['w', 'r', 'p'][seq] ?? 'savings_total',
  old: null,
  new: 0.48 + seq / 50,
  old_as_of: null,
  new_as_of: '2026-10-06T00:00:00Z',
  reason: 'initial',
  sdc_rule_version: '1.0.0',
  ...given,
})
export const logOf = (...entries: readonly object[]): MemoryLog =>
  new MemoryLog(figures).append(...entries.map((entry) => utf8(canonical(entry))))
export const figuresLog = logOf(...[0, 1, 2].map((seq) => change(seq)), aState())
export const stateEntry = async () => ({ ...aState(), proof: { log: await figuresLog.prove(3) } })
export const changeEntry = async (seq: number) => ({ ...change(seq), proof: { log: await figuresLog.prove(seq) } })

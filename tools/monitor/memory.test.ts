import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Alarm, AlarmCode } from './alarm.ts'
import { StateFile } from './memory.ts'

const anAlarm = (code: AlarmCode, evidence: Record<string, string>): Alarm => ({
  code,
  sentence: 'what, and where',
  advice: 'what to do',
  evidence,
})

function inFolder(work: (file: StateFile) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'atr-monitor-'))
  try {
    work(new StateFile(join(folder, 'state'), 'http://service.example'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('many files about one code leave room for the evidence of a fork', () =>
  inFolder((file) => {
    const kept = Array.from({ length: 60 }, (_, i) =>
      file.keep(anAlarm('answer_unverified', { answer: String(i) }), 0),
    ).filter((path) => path !== undefined)
    expect(kept).toHaveLength(50)
    expect(file.keep(anAlarm('log_forked', { older_checkpoint: '1', newer_checkpoint: '2' }), 0)).toBeDefined()
  }))

test('a fault that stays is kept once, and not again under each later checkpoint', () =>
  inFolder((file) => {
    const fault = { entry: '{}', index: '3', inclusion: 'path', checkpoint: 'note' }
    const first = file.keep(anAlarm('time_backwards', fault), 0)
    expect(file.keep(anAlarm('time_backwards', { ...fault, inclusion: 'other', checkpoint: 'later' }), 0)).toBe(first)
    expect(file.keep(anAlarm('time_backwards', { ...fault, entry: '[]' }), 0)).not.toBe(first)
    // Where the checkpoint itself is what is wrong, each is kept.
    const wrong = (checkpoint: string) => file.keep(anAlarm('checkpoint_invalid', { checkpoint }), 0)
    expect(wrong('one')).not.toBe(wrong('two'))
  }))

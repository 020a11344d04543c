import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { classOf, type Fault, type VerdictClass } from '../fault.ts'
import { REASONS } from './reasons.ts'

test('every reason of the specification has its sentence, and no other', () => {
  const spec = readFileSync(join(import.meta.dir, '../../../docs/spec/proof.md'), 'utf8')
  const verdicts = spec.slice(spec.indexOf('## Verdicts'), spec.indexOf('## Words'))
  const [ofFiles = ''] = /\*\*With the cited files\*\*.*?The least/s.exec(verdicts) ?? []
  const lists = [...[...verdicts.matchAll(/^- `\w+`: (.*)$/gm)].map(([, reasons = '']) => reasons), ofFiles]
  const named = new Set(lists.flatMap((list) => [...list.matchAll(/`([a-z_]+)`/g)].map(([, reason = '']) => reason)))
  expect(Object.keys(REASONS).sort()).toEqual([...named].sort())
  for (const sentence of Object.values(REASONS)) expect(sentence).toMatch(/^[A-Z].{10,200}\.$/)
})

test('every reason has the class that the specification gives it', () => {
  const spec = readFileSync(join(import.meta.dir, '../../../docs/spec/proof.md'), 'utf8')
  const verdicts = spec.slice(spec.indexOf('## Verdicts'), spec.indexOf('**With the cited files**'))
  const classes = [...verdicts.matchAll(/^- `([a-z_]+)`: (.*)$/gm)]
  expect(classes).toHaveLength(11)
  for (const [, name, reasons = ''] of classes)
    for (const [, reason] of reasons.matchAll(/`([a-z_]+)`/g))
      expect([reason, classOf(reason as Fault)]).toEqual([reason, name as VerdictClass])
})

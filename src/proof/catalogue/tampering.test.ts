// Every value of an honest list, changed or taken away, one at a time.

import { expect, test } from 'bun:test'
import { aSigner, keyOf } from '../fixture.ts'
import { aFee, aRow, MemoryRegistry } from '../registry-fixture.ts'
import { type Inquiry, type TrustPolicy, verifyBody } from '../verify-lists.ts'
import { coverageList, releaseList } from './catalogue-fixture.ts'
import { historyOf } from './history-fixture.ts'

const signer = await aSigner('registry.example/log/registry')
const policy: TrustPolicy = { logs: [{ key: keyOf(signer) }], retired: [], witnesses: [], groups: [], quorum: 'none' }

function aRegistry(): MemoryRegistry {
  const registry = new MemoryRegistry(signer)
  const fee = (edition: string, effective_from: string) =>
    registry.publish([aFee({ code: '99213', effective_from })], {
      chart: 'cms-pfs',
      edition,
      effective_from,
      effective_to: '2026-12-31',
    })
  fee('2026A', '2026-01-01')
  registry.withdraw(fee('2026B', '2026-04-01'))
  fee('2026C', '2026-07-01')
  registry.publish([aRow({ code: '80053' })], { chart: 'cms-clfs' })
  return registry
}

/** Members that are documented as not proved. */
const FREE = /^(page\.(limit|total|next_offset)|links|data\.\d+\.about\b.*|data\.\d+\.answer\.problem\.status)$/

/** A claim that there is more is not proved: the next page would show it. A withdrawn release is in force on no day. */
const MISSED: { [name: string]: string[] } = {
  releases: ['without data.2', 'another page.has_more'],
  coverage: ['another page.has_more'],
}

type Node = { [name: string]: unknown }
const pathsOf = (value: unknown, path: string[] = []): string[][] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...path, name]))]
    : [path]

/** Another value of the same kind: the worst that a shape would not notice. */
function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string') return value === null ? 'x' : null
  const last = value.at(-2) ?? ''
  return value.slice(0, -2) + (last === '1' || last === 'A' ? '2' : '1') + value.slice(-1)
}

function edited(body: object, path: readonly string[], remove: boolean): object {
  const copy = structuredClone(body)
  const last = path.at(-1) as string
  const parent = path.slice(0, -1).reduce<Node>((at, name) => at[name] as Node, copy as Node)
  if (!remove) parent[last] = other(parent[last])
  else if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete parent[last]
  return copy
}

const registry = aRegistry()
const CASES: [string, object, Inquiry][] = [
  ['releases', await releaseList(registry), { releases: {} }],
  ['coverage', await coverageList(registry, { as_of: '2026-07-15' }), { coverage: { as_of: '2026-07-15' } }],
  ['a history', await historyOf(registry, { cpt: '99213' }), { history: { cpt: '99213' } }],
]

test.each(CASES)('no value of %s can be changed or taken away', async (name, body, asked) => {
  expect(await verifyBody(JSON.stringify(body), policy, asked)).toMatchObject({ ok: true })
  const passed: string[] = []
  // Deeper down are the members of closed shapes, which have tests of their own.
  for (const path of pathsOf(body).slice(1))
    for (const remove of path.length <= 3 ? [false, true] : [false]) {
      const text = JSON.stringify(edited(body, path, remove))
      const { ok } = await verifyBody(text, policy, asked)
      if (ok && !FREE.test(path.join('.'))) passed.push(`${remove ? 'without' : 'another'} ${path.join('.')}`)
    }
  expect(passed).toEqual(MISSED[name] ?? [])
})

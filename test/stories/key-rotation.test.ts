import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/harness.ts'
import { atr, DemoService } from '../support/service.ts'

const ASKED = ['--cpt', '99213', '--as-of', '2026-11-15']

test('after a key rotation old proofs verify under every later policy, and new ones under the new', async () => {
  const folder = temporaryFolder()
  const file = (name: string) => join(folder.path, name)
  const env = { DATA_DIR: file('data') }
  const collect = async (name: string): Promise<void> => {
    const service = await DemoService.start({}, folder)
    writeFileSync(file(`${name}.policy`), await (await fetch(`${service.url}/log/policy`)).text())
    writeFileSync(
      file(`${name}.row`),
      await (await fetch(`${service.url}/reference?cpt=99213&as_of=2026-11-15`)).text(),
    )
    await service.stop()
  }
  const verified = async (row: string, policy: string, ...more: string[]) =>
    (await atr(['verify', file(`${row}.row`), ...ASKED, '--policy', file(`${policy}.policy`), ...more])).out.split(
      '\n',
    )[0]

  await collect('old')
  const keys = (await atr(['log', 'keys'], env)).out.trimEnd().split('\n')
  const idle = await atr(['log', 'retire-key'], env)
  expect([idle.code, idle.out]).toEqual([0, expect.stringMatching(/^there is nothing to retire: each log has one key/)])
  const rotated = await atr(['log', 'rotate-key'], env)
  expect(rotated.code).toBe(0)
  expect(rotated.out.match(/^new {2}\S+$/gm)).toHaveLength(2)
  for (const key of keys) expect(rotated.out).toContain(`\nold  ${key}\n`)
  expect(rotated.out).toMatch(/Next: back up log-keys, give the policy/)
  await collect('both')
  const retired = await atr(['log', 'retire-key'], env)
  expect(retired.code).toBe(0)
  for (const key of keys) expect(retired.out).toContain(`\nretired  ${key}\n`)
  expect(retired.out).toMatch(/Next: back up log-keys, make a new backup with `atr backup`, and give the policy/)
  await collect('new')

  expect(await verified('old', 'old')).toBe('ok')
  expect(await verified('both', 'old')).toBe('ok')
  expect(await verified('both', 'new')).toBe('ok')
  expect(await verified('old', 'both')).toBe('ok')
  // What the retired key signed goes on counting, though it is no view of today.
  expect(await verified('old', 'new')).toBe('ok')
  expect(await verified('old', 'new', '--max-age', '9999d')).toBe('failed: state_too_old')
  expect(await verified('both', 'new', '--max-age', '9999d')).toBe('ok')
  expect(readFileSync(file('new.policy'), 'utf8').match(/^log /gm)).toHaveLength(2)
  expect(readFileSync(file('new.policy'), 'utf8').match(/^#retired /gm)).toHaveLength(2)
  expect(readFileSync(file('both.policy'), 'utf8').match(/^log /gm)).toHaveLength(4)

  // What the old key signed is still checked with it, and publishing goes on under the new one.
  const publishing = [
    'load',
    'cms-clfs',
    'sample/CLFS-SAMPLE26Q4.csv',
    '--edition',
    'NEXT',
    '--effective-from',
    '2026-11-01',
    '--sample',
    '--publish',
    '--override',
    'r11_overlap',
    '--reason',
    'sample_data',
  ]
  expect((await atr(publishing, env)).code).toBe(0)
  expect((await atr(['fsck'], env)).code).toBe(0)
  await collect('after')
  expect(await verified('after', 'new')).toBe('ok')
  expect(await verified('after', 'old')).toBe('failed: note_unsigned')
  // Who stole the old key cannot continue the log with it: the policy says where it ended.
  const policy = readFileSync(file('new.policy'), 'utf8')
  const [, size] = /^#retired \S+\/log\/registry\+\S+ (\d+) /m.exec(policy) ?? []
  const earlier = policy.replace(` ${size} `, ` ${Number(size) - 1} `)
  writeFileSync(file('earlier.policy'), earlier)
  expect(await verified('old', 'earlier')).toBe('failed: key_retired')
  folder[Symbol.dispose]()
})

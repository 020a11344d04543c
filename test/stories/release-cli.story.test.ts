import { expect, test } from 'bun:test'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/harness.ts'
import { releaseFile } from '../support/release-file.ts'
import { atr } from '../support/service.ts'

const SAMPLE = join(import.meta.dir, '../../sample')
const HOSPITAL = join(SAMPLE, '1234567893_sample-hospital_standardcharges.csv')
const physician = (edition: string, from: string): string[] => [
  'load',
  'cms-pfs',
  join(SAMPLE, `PPRRVU-${edition}.csv`),
  join(SAMPLE, 'GPCI-SAMPLE26.csv'),
  '--edition',
  edition,
  '--effective-from',
  from,
  '--sample',
]

test('an operator checks, compares, publishes and withdraws', async () => {
  using folder = temporaryFolder()
  const env = { DATA_DIR: join(folder.path, 'data') }
  const run = (...args: string[]) => atr(args, env)
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out) as never
  expect((await run('init', '--origin', 'cli.example')).code).toBe(0)

  const overridden = ['--override', 'rejected_share', '--override', 'conflicting_keys', '--reason', 'sample_data']
  expect((await run(...physician('SAMPLE26A', '2026-01-01'), '--publish', ...overridden)).code).toBe(0)
  const again = await run(...physician('SAMPLE26A', '2026-01-01'))
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('loaded before') })

  // A hospital file with amounts that are none is held until someone says why it may go out.
  const held = await run('load', 'hospital-mrf', HOSPITAL, '--sample', '--publish')
  expect(held).toMatchObject({ code: 1, err: expect.stringContaining('release_held') })
  const [, hospital] = (await json('release', 'list')) as [unknown, { release_id: string; state: string }]
  expect(hospital.state).toBe('staged')
  const check = await run('release', 'check', hospital.release_id)
  expect(check.code).toBe(1)
  expect(check.out).toContain('HELD by the breaker')
  expect(check.out).toMatch(/R02 +reject +1 of 52/)
  expect(await json('release', 'check', hospital.release_id)).toMatchObject({
    held: [{ rule: 'rejected_share', limit: 1 }],
    previous: null,
    diff: null,
  })
  expect((await run('release', 'publish', hospital.release_id)).code).toBe(1)
  const bad = ['--override', 'rejected_share', '--reason', 'because']
  expect((await run('release', 'publish', hospital.release_id, ...bad)).code).toBe(2)
  expect((await run('release', 'publish', hospital.release_id, ...overridden)).code).toBe(0)

  const staged = await run(...physician('SAMPLE26D', '2026-10-01'))
  expect(staged.out).toMatch(
    /\n\nIt is staged, and HELD by the breaker: \w+.*\. Next: `atr release check cms-pfs:SAMPLE26D:1` says why\. If it is right, `atr release publish cms-pfs:SAMPLE26D:1` with /,
  )
  const before = await json(...physician('SAMPLE26D', '2026-10-01'))
  expect(before).toMatchObject({ state: 'staged', already: true, held: expect.any(Array) })
  const compared = await run('release', 'diff', 'cms-pfs:SAMPLE26D:1')
  expect(compared.out).toMatch(/^cms-pfs:SAMPLE26A:1 -> cms-pfs:SAMPLE26D:1\n {2}\d+ added, \d+ removed, \d+ changed/)
  const named = await json('release', 'diff', 'cms-pfs:SAMPLE26D:1', 'cms-pfs:SAMPLE26A:1')
  expect(await json('release', 'diff', 'cms-pfs:SAMPLE26D:1')).toEqual(named)
  const every = [
    'row_count_drop',
    'prices_moved',
    'rejected_share',
    'conflicting_keys',
    'r11_gap',
    'r11_overlap',
    'w03_short',
    'gpci_changed',
  ]
  const all = every.flatMap((rule) => ['--override', rule, '--reason', 'sample_data'])
  expect((await run('release', 'publish', 'cms-pfs:SAMPLE26D:1', ...all)).code).toBe(0)
  // The earliest by its days, though it was not loaded first.
  const earliest = await run(...physician('SAMPLE26A', '2025-01-01'), '--edition', 'EARLIER')
  expect(earliest.code).toBe(0)
  expect((await run('release', 'check', 'cms-pfs:EARLIER:1')).out).toContain(
    '\nThere is no edition before this one to compare it with.\n',
  )

  expect((await run('release', 'withdraw', 'cms-pfs:SAMPLE26D:1')).code).toBe(2)
  expect(await json('release', 'withdraw', 'cms-pfs:SAMPLE26D:1', '--reason', 'wrong_source')).toEqual({
    release_id: 'cms-pfs:SAMPLE26D:1',
    withdrawn_index: 7,
    in_its_place: null, // the edition before it has run out
    providers_passed: [],
  } as never)
  expect(await json('release', 'show', 'cms-pfs:SAMPLE26D:1')).toMatchObject({
    state: 'withdrawn',
    withdrawal: { reason: 'wrong_source' },
    delta: { previous_release: 'cms-pfs:SAMPLE26A:1' },
  })
  expect((await run('release', 'withdraw', 'cms-pfs:SAMPLE26D:1', '--reason', 'wrong_source')).code).toBe(1)
  expect((await run('release', 'show', 'cms-pfs:NONE:1')).code).toBe(1)
  expect((await run('release', 'check')).code).toBe(2)
  expect((await run('fsck')).code).toBe(0)
})

test('a release that cannot be compared with the one before it was loaded all the same, and is told', async () => {
  using folder = temporaryFolder()
  const env = { DATA_DIR: join(folder.path, 'data') }
  const run = (...args: string[]) => atr(args, env)
  expect((await run('init', '--origin', 'cli.example')).code).toBe(0)
  const overridden = ['--override', 'rejected_share', '--override', 'conflicting_keys', '--reason', 'sample_data']
  expect((await run(...physician('SAMPLE26A', '2026-01-01'), '--publish', ...overridden)).code).toBe(0)
  const path = await releaseFile(env, 1)
  chmodSync(path, 0o600)
  writeFileSync(
    path,
    readFileSync(path).map((byte, at) => (at < 100 ? byte : byte ^ 255)),
  )
  const staged = await run(...physician('SAMPLE26D', '2026-10-01'))
  expect(staged.code).toBe(3)
  expect(staged.out).toContain('cms-pfs:SAMPLE26D:1')
  expect(staged.err).toContain('damaged')
  expect((await run('release', 'list')).out).toMatch(/cms-pfs:SAMPLE26D:1 +staged/)
})

import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/harness.ts'
import { atr } from '../support/service.ts'

const SAMPLE = join(import.meta.dir, '../../sample')
const CLFS = join(SAMPLE, 'CLFS-SAMPLE26Q4.csv')
const PHYSICIAN = ['PPRRVU-SAMPLE26D.csv', 'GPCI-SAMPLE26.csv'].map((file) => join(SAMPLE, file))
const FROM = ['--effective-from', '2026-10-01', '--url', 'https://example.org/schedule']
const DATED = ['--edition', 'OWN', ...FROM]

test('what was loaded is told, also when the breaker holds it back', async () => {
  using folder = temporaryFolder()
  const run = (...args: string[]) => atr(args, { DATA_DIR: join(folder.path, 'data') })
  await run('init', '--origin', 'cli.example')

  const twice = join(folder.path, 'twice.csv')
  const lines = readFileSync(CLFS, 'utf8').trimEnd().split('\n')
  writeFileSync(twice, [...lines, lines.at(-1)?.replace(/,N,[0-9.]+,/, ',N,00001.23,')].join('\n'))
  const held = await run('load', 'cms-clfs', twice, ...DATED, '--publish')
  expect(held).toMatchObject({ code: 1, err: expect.stringContaining('refused: release_held: conflicting_keys') })
  expect(held.out).toMatch(/release +cms-clfs:OWN:1\nstate +staged\nrows +[0-9]+/)
  expect(held.out).toMatch(/R10 +withhold +1/)
  expect(held.out).toMatch(/W03 +flag +1/) // not marked as a sample, it is far too short to be the schedule

  // A dry run leaves nothing that could be looked at.
  const tried = await run('load', 'cms-clfs', twice, '--edition', 'TRIED', ...FROM, '--publish', '--dry-run')
  expect([tried.code, tried.err]).toEqual([1, expect.stringContaining('refused: release_held: conflicting_keys')])
  expect(tried.out + tried.err).not.toMatch(/atr release (check|publish)/)

  const other = ['--edition', 'OTHER', ...FROM]
  const json = await run('load', 'cms-clfs', twice, ...other, '--publish', '--json')
  expect(json.code).toBe(1)
  expect(JSON.parse(json.out)).toMatchObject({ release_id: 'cms-clfs:OTHER:1', state: 'staged', already: false })

  const rules = ['conflicting_keys', 'rejected_share', 'w03_short']
  const override = [...rules.flatMap((rule) => ['--override', rule]), '--reason', 'sample_data']
  const published = await run('load', 'cms-clfs', twice, ...DATED, '--publish', ...override)
  expect(published).toMatchObject({ code: 0, out: 'cms-clfs:OWN:1 published: was loaded before\n' })
  const again = await run('load', 'cms-clfs', twice, ...DATED, '--publish')
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('was loaded before: nothing to do') })

  const accepted = ['--accept', 'locality_count']
  const short = await run('load', 'cms-pfs', ...PHYSICIAN, ...DATED, ...accepted, '--publish', ...override)
  expect(short.code).toBe(0)
  for (const rule of ['W01', 'W03']) expect(short.out).toMatch(new RegExp(`${rule} +flag +1`))
})

test('options are checked before anything is read', async () => {
  using folder = temporaryFolder()
  const run = (...args: string[]) => atr(args, { DATA_DIR: join(folder.path, 'data') })
  await run('init', '--origin', 'cli.example')
  for (const [args, said] of [
    [['cms-clfs', CLFS, '--regions', 'national'], '--regions is not an option of load cms-clfs'],
    [['cms-pfs', ...PHYSICIAN, '--npi', '1234567893'], '--npi is not an option of load cms-pfs'],
    [['providers', CLFS, CLFS], 'load providers takes one file'],
    [['providers', CLFS, '--publish'], '--publish is not an option of load providers'],
    [['cms-pfs', ...PHYSICIAN, '--accept', 'anything'], '--accept must be one of locality_count'],
    [['cms-pfs', ...PHYSICIAN, '--conversion-factor-kind', 'QPP'], 'check --conversion-factor-kind'],
    [['prices', CLFS], 'load takes cms-pfs'],
    [['cms-clfs', CLFS, ...FROM, ...FROM.slice(2)], '--url is given 2 times for 1 file'],
  ] as const)
    expect(await run('load', ...args)).toMatchObject({ code: 2, err: expect.stringContaining(said) })

  const physician = ['load', 'cms-pfs', ...PHYSICIAN, '--sample', ...DATED]
  const few = await run(...physician, '--regions', 'National, us-ca-18', '--json')
  expect(few.code).toBe(0)
  expect((await run(...physician, '--regions', 'US-CA-18,national')).out).toContain('was loaded before')
  for (const [option, value] of [
    ['--regions', 'US-CA'],
    ['--url', 'two words'],
    ['--retrieved-at', 'today'],
    ['--edition', 'two words'],
    ['--effective-from', '2026-02-30'],
    ['--effective-to', '2026-02-30'],
    ['--effective-to', '2026-09-30'],
  ] as const)
    expect(await run(...physician, option, value)).toMatchObject({
      code: 1,
      err: expect.stringContaining('invalid_parameter'),
    })
})

test('a wrong file leaves the store as it was', async () => {
  using folder = temporaryFolder()
  const run = (...args: string[]) => atr(args, { DATA_DIR: join(folder.path, 'data') })
  await run('init', '--origin', 'cli.example')
  const [rvus = '', gpci = ''] = PHYSICIAN
  const changed = (name: string, path: string, change: (text: string) => string): string => {
    const file = join(folder.path, name)
    writeFileSync(file, change(readFileSync(path, 'utf8')))
    return file
  }
  const page = changed('page.csv', rvus, () => '<!DOCTYPE html><html></html>')
  const cut = changed('cut.csv', rvus, (text) => text.slice(0, -20))
  const twice = changed('twice.csv', gpci, (text) => text.replace(/(\n02102[^\n]*)/, '$1$1'))
  for (const files of [
    [page, gpci],
    [cut, gpci],
    [rvus, twice],
    [rvus, gpci],
  ]) {
    const { code, out, err } = await run('load', 'cms-pfs', ...files, ...DATED)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^refused: source_unreadable: [^\n]{20,200}\n$/)
  }
  expect((await run('release', 'list', '--json')).out.trim()).toBe('[]')
})

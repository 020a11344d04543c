import { expect, test } from 'bun:test'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inFiles } from '../support/engines.ts'
import { temporaryFolder } from '../support/harness.ts'
import { atr, DemoService } from '../support/service.ts'

const publishing = (edition: string) => [
  'load',
  'cms-clfs',
  'sample/CLFS-SAMPLE26Q4.csv',
  '--edition',
  edition,
  '--effective-from',
  '2026-11-01',
  '--sample',
  '--publish',
  '--override',
  'r11_overlap',
  '--reason',
  'sample_data',
]

const IN_FILES = inFiles('the whole store is copied and put back, as a folder')

test('a client that pins a checkpoint sees that the log has grown, was rolled back, or was forked', async () => {
  const folder = temporaryFolder()
  const file = (name: string) => join(folder.path, name)
  const env = { DATA_DIR: file('data'), ...IN_FILES }
  const save = (name: string) => {
    for (const suffix of ['', '.lock']) cpSync(file(`data${suffix}`), file(`${name}${suffix}`), { recursive: true })
  }
  const restore = (name: string) => {
    for (const suffix of ['', '.lock']) {
      rmSync(file(`data${suffix}`), { recursive: true })
      cpSync(file(`${name}${suffix}`), file(`data${suffix}`), { recursive: true })
    }
  }
  const first = await DemoService.start(IN_FILES, folder)
  const { port } = new URL(first.url)
  writeFileSync(file('policy'), await (await fetch(`${first.url}/log/policy`)).text())
  const check = async (...options: string[]) => {
    const service = await DemoService.start({ PORT: port, ...IN_FILES }, folder)
    const said = await atr(['verify', `${service.url}/reference?cpt=99213`, '--policy', file('policy'), ...options])
    await service.stop()
    return said.out.split('\n')[0]
  }
  writeFileSync(file('early'), await (await fetch(`${first.url}/log/registry/checkpoint`)).text())
  await first.stop()
  expect(await check('--pin', file('pin'))).toBe('ok')
  expect(readFileSync(file('pin'), 'utf8')).toBe(readFileSync(file('early'), 'utf8'))
  save('early-store')

  expect((await atr(publishing('ONE'), env)).code).toBe(0)
  expect((await atr(publishing('TWO'), env)).code).toBe(0)
  expect(await check('--pin', file('pin'))).toBe('ok')
  expect(await check('--since', file('early'))).toBe('ok')
  expect(readFileSync(file('pin'), 'utf8')).not.toBe(readFileSync(file('early'), 'utf8'))

  restore('early-store')
  expect(await check('--pin', file('pin'))).toBe('failed: log_rolled_back')
  for (const edition of ['OTHER', 'HISTORY', 'ALTOGETHER']) expect((await atr(publishing(edition), env)).code).toBe(0)
  expect(await check('--pin', file('pin'))).toBe('failed: log_forked')
  expect(await check('--since', file('early'))).toBe('ok')
  folder[Symbol.dispose]()
})

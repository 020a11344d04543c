import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { atr } from '../support/service.ts'

test('atr status does not call a list expired that answers today because its operator said so', async () => {
  using folder = temporaryFolder()
  const environment = { DATA_DIR: join(folder.path, 'data'), LOCK_DIR: join(folder.path, 'lock'), PORT: '1' }
  const files = ['PPRRVU-SAMPLE26D.csv', 'GPCI-SAMPLE26.csv'].map((name) => join(import.meta.dir, '../../sample', name))
  const period = ['--edition', 'OLD', '--effective-from', '2025-01-01', '--effective-to', '2099-12-31']
  expect((await atr(['init'], environment)).code).toBe(0)
  const given = [
    'load',
    'cms-pfs',
    ...files,
    ...period,
    '--url',
    'https://publisher.example/rvu',
    '--sample',
    '--publish',
  ]
  expect(await atr(given, environment)).toMatchObject({ code: 0 })
  const { out } = await atr(['status'], environment)
  expect(out).toMatch(/^cms-pfs:OLD:1 +overdue +2025-01-01 to 2099-12-31/m)
})

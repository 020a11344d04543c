import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/folder.ts'

test('a load whose command is gone removes its own folder for temporary files, and no other', async () => {
  using folder = temporaryFolder()
  const [own, temporary, neighbour] = ['atr-load-own', 'atr-load-archive', 'atr-load-other'].map((name) =>
    join(folder.path, name),
  ) as [string, string, string]
  for (const each of [own, temporary, neighbour]) {
    mkdirSync(each)
    writeFileSync(join(each, 'file'), 'x')
  }
  const script = `import { asChild } from ${JSON.stringify(join(import.meta.dir, 'load-process.ts'))}
    asChild(process.argv[1]).tell({ staged: 'ready' })
    setInterval(() => undefined, 1_000)`
  const ready = Promise.withResolvers<void>()
  const child = Bun.spawn([process.execPath, '-e', script, own], {
    env: { ...process.env, TMPDIR: temporary },
    ipc: () => ready.resolve(),
  })
  await Promise.race([ready.promise, child.exited])
  child.disconnect()
  expect(await child.exited).toBe(137)
  expect([own, temporary, neighbour].map((each) => existsSync(join(each, 'file')))).toEqual([false, true, true])
})

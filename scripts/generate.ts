// Writes the files that are made by the code. A test fails when one of them is out of date.

import { spawnSync } from 'node:child_process'
import { generated } from './generated.ts'

/** The examples and vectors state the digest of the tables, which a program reads when it starts: another one makes them. */
const SECOND = 'examples-and-vectors'

const write = async (files: Record<string, string | Uint8Array>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) await Bun.write(path, content)
}

if (process.argv[2] === SECOND) {
  const [{ exampleFiles }, { vectorFiles }, { writeClientTypes }] = await Promise.all([
    import('./example.ts'),
    import('./vectors/files.ts'),
    import('./client-types.ts'),
  ])
  await write({ ...(await exampleFiles()), ...vectorFiles })
  await writeClientTypes()
} else {
  await write(generated())
  process.exitCode = spawnSync(process.execPath, [import.meta.path, SECOND], { stdio: 'inherit' }).status ?? 1
}

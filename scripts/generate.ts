// Writes the files that are made by the code. A test fails when one of them is out of date.

import { writeClientTypes } from './client-types.ts'
import { exampleFiles } from './example.ts'
import { generated } from './generated.ts'
import { vectorFiles } from './vectors/files.ts'

const files = { ...generated(), ...(await exampleFiles()), ...vectorFiles }
for (const [path, text] of Object.entries(files)) await Bun.write(path, text)
await writeClientTypes()

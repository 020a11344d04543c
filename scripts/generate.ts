// Writes the files that are made by the code. A test fails when one of them is out of date.

import { writeClientTypes } from './client-types.ts'
import { generated } from './generated.ts'
import { vectorFiles } from './vectors/files.ts'

for (const [path, text] of Object.entries({ ...generated(), ...vectorFiles })) await Bun.write(path, text)
await writeClientTypes()

// Writes the files that are read off the code. A test fails when one of them is out of date.

import { writeClientTypes } from './client-types.ts'
import { generated } from './generated.ts'

for (const [path, text] of Object.entries(generated())) await Bun.write(path, text)
await writeClientTypes()

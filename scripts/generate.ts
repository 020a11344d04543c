// Writes the files that are read off the code. A test fails when one of them is out of date.

import { environmentExample } from '../src/config.ts'

await Bun.write('.env.example', environmentExample())

// One round of a mirror, in a process that a test kills.

import { readConfig } from '../../src/config.ts'
import { mirror } from '../../tools/mirror/command.ts'

process.umask(0o077)
process.exitCode = await mirror.run(process.argv.slice(2), readConfig({}))

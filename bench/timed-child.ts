// Runs a command in a small process, and says on its last line what the command took.
// The kernel's account of a child's memory begins with what its parent had, and a bench may have hundreds of megabytes.

import type { Timing } from './measure.ts'

const started = performance.now()
const child = Bun.spawn(process.argv.slice(2), { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' })
const code = await child.exited
const usage = child.resourceUsage()
const timing: Timing = {
  seconds: (performance.now() - started) / 1000,
  cpuSeconds: Number(usage?.cpuTime.total ?? 0) / 1e6,
  maxRss: Number(usage?.maxRSS ?? 0),
}
console.log(JSON.stringify(timing))
process.exitCode = code

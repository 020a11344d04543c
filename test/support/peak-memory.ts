// Loaded before a program (`bun --preload`), notes at its end the most memory it had, in the file that PEAK_MEMORY names.
// The kernel's account for its parent (getrusage) will not do: a child begins with what its parent had.

import { readFileSync, writeFileSync } from 'node:fs'

process.on('exit', () => {
  const [, kib = ''] = /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  writeFileSync(process.env['PEAK_MEMORY'] ?? '', String(Number(kib) * 1024))
})

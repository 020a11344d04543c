#!/usr/bin/env node
// Runs the command line under the Bun that this package depends on. It comes in the package of the platform. Bun's install
// script moves it from there into the package `bun`, under one name on every platform, unless npm held that script back.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const OS = { linux: 'linux', darwin: 'darwin', win32: 'windows', freebsd: 'freebsd', android: 'linux' }
const CPU = { x64: 'x64', arm64: 'aarch64' }

function findBun() {
  const require = createRequire(import.meta.url)
  const program = process.platform === 'win32' ? 'bun.exe' : 'bun'
  const name = `@oven/bun-${OS[process.platform]}-${CPU[process.arch]}`
  for (const place of [`${name}${isMusl() ? '-musl' : ''}/bin/${program}`, 'bun/bin/bun.exe']) {
    try {
      const path = require.resolve(place)
      if (existsSync(path)) return path
    } catch {
      // Not installed: the one on the path may do.
    }
  }
  return program
}

/** Alpine and its like have no glibc. */
function isMusl() {
  return process.platform === 'linux' && process.report?.getReport().header.glibcVersionRuntime === undefined
}

const script = fileURLToPath(new URL('../src/cli/atr.ts', import.meta.url))
const child = spawn(findBun(), [script, ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('error', () => {
  const message = 'atr needs Bun, which is a dependency of this package: install it again'
  console.error(process.argv.includes('--json') ? JSON.stringify({ error: { code: 'fault', message } }) : `atr: ${message}`)
  process.exit(3)
})
child.on('exit', (code, signal) => {
  if (signal) process.kill(process.pid, signal)
  else process.exit(code ?? 3)
})

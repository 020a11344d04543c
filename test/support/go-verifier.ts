// The verifier in Go, for the tests that run it.

import { join } from 'node:path'
import { findProgram } from './program.ts'

const ROOT = join(import.meta.dir, '../..')

const go = findProgram(['go'], ['golang-go', 'golang-golang-x-mod-dev'])
/** True where tests with Go are left out: on CI they fail instead. */
export const isGoMissing = !go && process.env['CI'] !== 'true'
if (isGoMissing) console.log('SKIPPED: the verifier in Go, because there is no Go here and none can be installed')

/** Builds the verifier as a file of this folder, and says where it is. */
export async function buildGoVerifier(folder: string): Promise<string> {
  if (!go) throw new Error('there is no Go here and none can be installed')
  const path = join(folder, 'atr-verify-go')
  const env = { ...process.env, GOCACHE: join(folder, 'cache') }
  const child = Bun.spawn(['sh', 'interop/go/build.sh', path], { cwd: ROOT, env, stdin: 'ignore', stderr: 'pipe' })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`the verifier in Go does not build: ${said}`)
  return path
}

// The verifier in Go, for the tests that run it.

import { join } from 'node:path'
import { findProgram } from './program.ts'
import { isSkipped } from './skipping.ts'

const ROOT = join(import.meta.dir, '../..')

const go = findProgram(['go'], ['golang-go', 'golang-golang-x-mod-dev'])
export const isGoMissing = isSkipped(
  'the verifier in Go',
  go === undefined ? 'there is no Go here and none can be installed' : undefined,
)

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

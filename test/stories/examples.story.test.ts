// The examples, run as their page says, against a service as a newcomer starts it.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../../scripts/build.ts'
import { temporaryFolder } from '../support/harness.ts'
import { ATR, DemoService } from '../support/service.ts'
import { isSkipped } from '../support/skipping.ts'

const ROOT = join(import.meta.dir, '../..')
/** The client of MCP. Where it is not installed, its example is not run. */
const MCP = join(ROOT, 'node_modules/@modelcontextprotocol')
const folder = temporaryFolder()
let service: DemoService

beforeAll(async () => {
  cpSync(join(ROOT, 'examples'), folder.path, { recursive: true })
  const installed = join(folder.path, 'node_modules/agent-trust-registry')
  await build(join(installed, 'dist'))
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'))
  if (existsSync(MCP)) symlinkSync(MCP, join(folder.path, 'node_modules/@modelcontextprotocol'))
  service = await DemoService.start()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const BILL = `99213  billed 250.00  reference 113.34 USD
99214  billed 380.00  reference 156.09 USD
36415  billed 30.00  reference 18.10 USD
71046  billed 210.00  reference 43.19 USD
70450  billed 190.00  reference 45.96 USD
85025  billed 45.00  reference 7.92 USD
J0001  billed 140.00  reference 77.964 USD
76499  billed 600.00  reference no price: absent_carrier_priced
99999  billed 10.00  reference no price: not_on_schedule
99213  billed 160.00  reference 145.20 USD
`

const COMMANDS: Record<string, [command: string[], end: RegExp]> = {
  'client.mjs': [['node', 'client.mjs'], /\nverified: 9 rows under the checkpoint of \d{4}-[^\n]*\n$/],
  'curl.sh': [['./curl.sh'], /\nok\n/],
  'mcp.mjs': [['node', 'mcp.mjs'], /\nverified: 9 rows under the checkpoint of \d{4}-[^\n]*\n$/],
  'python.py': [['python3', 'python.py'], /\nin their releases: 9 rows; [^\n]*\n$/],
}

const missing = ['jq', 'curl', 'python3'].filter((program) => Bun.which(program) === null)
const areLeftOut = isSkipped('examples', missing.length > 0 ? `there is no ${missing.join(', ')} here` : undefined)

const runnable = Object.entries(COMMANDS).filter(([name]) => name !== 'mcp.mjs' || existsSync(MCP))
test.skipIf(areLeftOut).each(runnable)(
  '%s prices the bill and checks it, twice',
  (_, [[command = '', ...args], end]) => {
    for (let time = 0; time < 2; time++) {
      const { status, stdout, stderr } = spawnSync(command, [...args, service.url], {
        cwd: folder.path,
        encoding: 'utf8',
        env: { ...process.env, ATR: ATR.join(' ') },
      })
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toStartWith(BILL)
      expect(stdout).toMatch(/total medicare_pfs: 358\.58 of 1030\.00 billed/)
      expect(stdout).toMatch(end)
    }
  },
)

test('every example is run here', () => {
  const shown = readdirSync(join(ROOT, 'examples')).filter((name) => !/\.(json|md)$/.test(name))
  expect(shown.sort()).toEqual(Object.keys(COMMANDS).sort())
})

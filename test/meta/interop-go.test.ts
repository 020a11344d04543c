// A verifier that others wrote, in another language and from docs/spec alone, against a service that runs.

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildGoVerifier, isGoMissing } from '../support/go-verifier.ts'
import { DemoService } from '../support/service.ts'
import { until } from '../support/until.ts'

const ROOT = join(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'interop-go-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string): string => join(folder, name)

const run = async (...command: string[]): Promise<{ code: number; out: string; err: string }> => {
  const child = Bun.spawn(command, { cwd: ROOT, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, out, err }
}

let built: Promise<string> | undefined
/** Built once, by the test that needs it first. */
async function verifier(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  built ??= buildGoVerifier(folder)
  return run(await built, ...args)
}

const interop = test.skipIf(isGoMissing)

async function save(name: string, url: string): Promise<string> {
  writeFileSync(file(name), await (await fetch(url)).text())
  return file(name)
}

/** A token for pages of rows and for the entries of the figures log, as an auditor gets one. */
async function auditorsToken({ url, demoKey }: DemoService): Promise<string> {
  const post = async (path: string, body?: object): Promise<Record<string, string>> => {
    const headers = { 'X-Agent-Key': demoKey, ...(body && { 'Content-Type': 'application/json' }) }
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, string>
  }
  const { nonce } = await post('/api/agent-rails/challenge')
  return (
    (await post('/api/agent-rails/attest', { nonce, scopes: ['registry:read', 'audit:read'] }))['rails_token'] ?? ''
  )
}

const sizeIn = (path: string): number => Number(readFileSync(path, 'utf8').split('\n')[1])

interop('the verifier in Go gives every vector the expected outcome', async () => {
  const { code, out } = await verifier('vectors', 'docs/spec/vectors')
  expect(out).toMatch(/\n[1-9]\d* vectors: [1-9]\d* accepted, [1-9]\d* refused, 0 disagreements, 0 other reasons\n$/)
  expect(code).toBe(0)
})

interop('the verifier in Go says that vectors disagree when they do', async () => {
  const text = readFileSync(join(ROOT, 'docs/spec/vectors/policy.json'), 'utf8')
  const { vectors, ...rest } = JSON.parse(text) as { vectors: { expect: { ok: boolean } }[] }
  const turned = vectors.map((each) => ({ ...each, expect: { ok: !each.expect.ok, reason: 'another' } }))
  const dir = mkdtempSync(join(folder, 'vectors-'))
  writeFileSync(join(dir, 'policy.json'), JSON.stringify({ ...rest, vectors: turned }))
  const { code, out } = await verifier('vectors', dir)
  expect([code, out.match(/^DISAGREES /gm)?.length]).toEqual([1, vectors.length])
})

interop('a stranger with the verifier in Go checks a running service', async () => {
  await using service = await DemoService.start()
  const { url } = service
  const policy = ['--policy', await save('policy', `${url}/log/policy`)]
  const said = async (...args: string[]): Promise<string> => {
    const { out, err } = await verifier(...args, ...policy)
    return out || err
  }

  const today = new Date().toISOString().slice(0, 10)
  const asked = (cpt: string): string[] => ['--cpt', cpt, '--as-of', today]
  const row = await save('row', `${url}/reference?cpt=99213`)
  expect(await said('body', row, ...asked('99213'))).toStartWith(
    'ok\nprice 99213|national|||medicare_pfs|non_facility| in ',
  )
  expect(await said('body', row, ...asked('99214'))).toMatch(/^failed: (choice_not_proved|answers_another_question)\n$/)
  writeFileSync(file('forged'), readFileSync(row, 'utf8').replace('"amount":"', '"amount":"1'))
  expect(await said('body', file('forged'), '--any')).toBe('failed: leaf_hash_mismatch\n')

  for (const cpt of ['99999', '76499', '80053', '70450'])
    expect([cpt, await said('body', `${url}/reference?cpt=${cpt}`, ...asked(cpt))]).toEqual([
      cpt,
      expect.stringMatching(/^ok\n/),
    ])
  const header = ['--header', `X-Agent-Rails: ${await auditorsToken(service)}`]
  expect(await said('body', `${url}/api/registry?limit=200`, '--as-of', today, ...header)).toStartWith('ok\n')
  expect(await said('body', `${url}/api/figure-changes`, '--any', ...header)).toMatch(
    /^ok\nchecked: 0 rows, [1-9]\d* log entries/,
  )

  const log = `${url}/log/registry`
  const early = await save('early', `${log}/checkpoint`)
  const edition = [
    '--edition',
    'NEXT',
    '--effective-from',
    '2026-11-01',
    '--sample',
    '--publish',
    '--override',
    'r11_overlap',
    '--reason',
    'sample_data',
  ]
  expect(await service.atr(['load', 'cms-clfs', 'sample/CLFS-SAMPLE26Q4.csv', ...edition])).toMatchObject({ code: 0 })
  // A service looks once a second whether another process has published.
  let late = early
  await until(async () => {
    late = await save('late', `${log}/checkpoint`)
    return sizeIn(late) > sizeIn(early)
  })
  expect(sizeIn(late)).toBe(sizeIn(early) + 2)
  const grew = new RegExp(`^ok\n\\S+/log/registry grew from ${sizeIn(early)} to ${sizeIn(late)}\n$`)
  expect(await said('growth', early, late, '--url', log)).toMatch(grew)
  expect(await said('growth', late, early, '--url', log)).toBe('failed: log_rolled_back\n')
  expect(await said('growth', early, late, '--url', `${url}/log/figures`)).toMatch(
    /^failed: tile(_unavailable|s_not_of_checkpoint)\n$/,
  )

  const size = sizeIn(late)
  const registry = new RegExp(
    `: size ${size}, root \\S+\n1 tiles, ${size} entries, the row hashes of ${(size - 1) / 2} releases, 0 rows\n$`,
  )
  expect(await said('clone', log, '--rows')).toMatch(registry)

  const figures = `${url}/log/figures`
  expect(await said('clone', figures)).toBe('failed: tile_unavailable\n')
  expect(await said('clone', figures, '--no-entries')).toMatch(/^ok\n.*\n1 tiles, 0 entries/)
  expect(await said('clone', figures, ...header)).toMatch(
    /^ok\nthe newest figures are of .*Z\n.*\n1 tiles, [1-9]\d* entries/,
  )
})

import { expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ATR, atr, DemoService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** A mirror as an operator serves it: a process of its own, without any store. */
async function served(folder: string): Promise<{ url: string; greeting: string } & AsyncDisposable> {
  const env = { ...process.env, PORT: '0', DATA_DIR: join(folder, 'none'), LOG_LEVEL: 'error' }
  const child = Bun.spawn([...ATR, 'serve', '--mirror', folder], { env, stdout: 'pipe', stderr: 'pipe' })
  let greeting = ''
  for await (const chunk of child.stdout) {
    greeting += new TextDecoder().decode(chunk)
    if (greeting.includes('state of')) break
  }
  return {
    url: /listening on (\S+)/.exec(greeting)?.[1] ?? '',
    greeting,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
    },
  }
}

test('a service is mirrored, the mirror is served, and its answers verify under the policy of the service', async () => {
  await using service = await DemoService.start({ RATE_LIMITS: 'off' })
  const [folder, policy] = ['mirror', 'policy'].map((name) => join(service.folder.path, name)) as [string, string]
  writeFileSync(policy, await (await fetch(`${service.url}/log/policy`)).text())
  const mirrored = (...options: string[]) =>
    atr(['mirror', service.url, folder, ...options], { ATR_AGENT_KEY: service.demoKey })
  expect((await atr(['serve', '--mirror', folder])).err).toContain('there is no mirror in this folder')
  expect((await mirrored()).err).toContain('name the log policy that you pinned')
  const first = await mirrored('--policy', policy)
  expect([first.code, first.out]).toEqual([0, ''])
  expect(first.err).toContain('13 releases, 13 of them new')

  await using mirror = await served(folder)
  expect(mirror.greeting).toMatch(/\nmirror of \S+\/log\/registry, state of 20/)
  const verified = async (path: string) => (await atr(['verify', `${mirror.url}${path}`, '--policy', policy])).out
  for (const path of ['/reference?cpt=99213', '/reference?cpt=99999', '/reference/sheet?cpt=80053', '/api/figures'])
    expect([path, await verified(path)]).toEqual([path, expect.stringMatching(/^ok\n/)])

  const file = ['cms-clfs', 'sample/CLFS-SAMPLE26Q4.csv', '--edition', 'NEXT', '--effective-from', '2026-11-01']
  const options = ['--effective-to', '2027-12-31', '--override', 'r11_overlap', '--reason', 'sample_data', '--sample']
  expect((await service.atr(['load', ...file, ...options, '--publish'])).code).toBe(0)
  const checkpoint = async (url: string) => (await fetch(`${url}/log/registry/checkpoint`)).text()
  const areSame = async () => (await checkpoint(service.url)) === (await checkpoint(mirror.url))
  await until(async () => !(await areSame()))
  const again = await mirrored('--json')
  expect([again.err, again.out.split('\n').length]).toEqual(['', 2])
  expect(JSON.parse(again.out)).toMatchObject({ ok: true, alarms: [], releases: 14, brought: 1 })
  await until(areSame)
  const answer = async (url: string) => (await fetch(`${url}/reference?cpt=80053`)).text()
  expect(await answer(mirror.url)).toBe(await answer(service.url))
  expect(await answer(mirror.url)).toContain('cms-clfs:NEXT:1')

  // Without a key nobody may read rows: it is said what is missing, and what was wrong is kept.
  const other = join(service.folder.path, 'other')
  const refused = await atr(['mirror', service.url, other, '--policy', policy])
  expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(/^refused rows_unreadable: .*answered 401/)])
  expect(refused.out).toMatch(/answered 401, and no agent key was given\n {2}what to do: .* set ATR_AGENT_KEY to it/)
  expect(refused.err).toEndWith('the folder has no mirror yet\n')
  expect(readdirSync(join(other, '.mirror')).join()).toContain('mirror.alarm.rows_unreadable.')
})

import { expect, test } from 'bun:test'
import { spawn } from 'bun'
import { onSqlite } from '../support/engines.ts'
import { testApp } from '../support/harness.ts'
import { aroundPrism } from '../support/through-prism.ts'

const HOLDER = `const db = new (require('bun:sqlite').Database)(process.argv[1])
  db.run('BEGIN IMMEDIATE'); console.log('held'); setTimeout(() => db.close(), 12_000)`

test('while another process writes for long, agents are answered, and who must write is told when to come back', async () => {
  const engine = onSqlite('the lock of the one writer is that of SQLite')
  await using app = await testApp({ sample: true, engine, ...aroundPrism('how long an answer takes is measured') })
  const { key } = await app.createKey()
  const other = spawn([process.execPath, '-e', HOLDER, app.config.storeFile], { stdout: 'pipe' })
  for await (const _ of other.stdout) break
  let answered = false
  // The second waits behind the first, and no longer than if it were alone.
  const challenges = Promise.all(
    [1, 2].map(() => app.request('/api/agent-rails/challenge', { method: 'POST', headers: { 'x-agent-key': key } })),
  ).finally(() => {
    answered = true
  })
  let longest = 0
  while (!answered) {
    const started = performance.now()
    expect((await app.request('/healthz')).status).toBe(200)
    expect((await app.request('/reference?cpt=99213')).status).toBe(200)
    longest = Math.max(longest, performance.now() - started)
    await Bun.sleep(50)
  }
  // Whoever waits for the store waits for ten seconds.
  expect(longest).toBeLessThan(5_000)
  for (const refused of await challenges) {
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await refused.json()).toMatchObject({ code: 'unavailable' })
  }
  await other.exited
  expect(await app.challenge(key)).toMatch(/^[\w.-]{20,}$/)
})

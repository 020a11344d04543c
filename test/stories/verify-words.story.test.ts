// What `atr verify` says beside its verdict: what was checked, of which edition and day, and why it failed.

import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REASONS } from '../../src/proof/whole/reasons.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { type TestApp, testApp } from '../support/harness.ts'
import { atr } from '../support/service.ts'

async function verifier(app: TestApp) {
  const put = (name: string, text: string): string => {
    writeFileSync(join(app.folder.path, name), text)
    return join(app.folder.path, name)
  }
  const policy = put('policy', await (await app.request('/log/policy')).text())
  return async (answer: string, ...options: string[]) =>
    atr(['verify', put('answer.json', answer), '--policy', policy, ...options])
}

test('of a history each edition without a price is named', async () => {
  await using app = await testApp()
  await app.publish(aRelease({ edition: 'A', effective_from: '2026-01-01' }))
  await app.publish(aRelease({ edition: 'B', effective_from: '2026-10-01', rows: [aPrice({ code: 'G0102' })] }))
  const verify = await verifier(app)
  const path = '/reference/history?cpt=G0101'
  const { code, out } = await verify(await (await app.request(path)).text(), '--asked', path)
  expect([code, out]).toEqual([0, expect.stringContaining('\nno price: not_on_schedule in cms-pfs:B:1\n')])
  expect(out).not.toContain('no price: not_on_schedule in cms-pfs:A:1')
})

test('of a bill it is said for which days its lines were checked', async () => {
  await using app = await testApp()
  await app.publish(aRelease())
  const verify = await verifier(app)
  const lines = [{ cpt: 'G0101', as_of: '2026-11-01' }, { cpt: 'G0101' }]
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ lines }) }
  const bill = await (await app.request('/reference/batch', request)).text()
  const sent = join(app.folder.path, 'lines.json')
  writeFileSync(sent, JSON.stringify({ lines }))
  const { code, out } = await verify(bill, '--lines', sent, '--as-of', '2026-11-15')
  expect([code, out]).toEqual([
    0,
    expect.stringContaining('\nthe lines were checked for the day 2026-11-01, 2026-11-15\n'),
  ])
})

test('a short answer of any kind is told to have a pointer in place of its proof', async () => {
  await using app = await testApp()
  await app.publish(aRelease())
  const verify = await verifier(app)
  for (const path of ['/reference?cpt=G0101', '/reference/sheet?cpt=G0101']) {
    const { code, err } = await verify(await (await app.request(`${path}&proof=ref`)).text(), '--asked', path)
    expect([path, code, err]).toEqual([path, 2, expect.stringContaining('has a pointer in place of its proof')])
    expect(err).toContain('cannot be checked as it stands')
  }
})

test('a verdict that is printed as JSON has the sentence too', async () => {
  await using app = await testApp()
  await app.publish(aRelease())
  const verify = await verifier(app)
  const answer = await (await app.request('/reference?cpt=G0101')).text()
  const { code, out } = await verify(answer, '--cpt', 'G0102', '--as-of', '2026-11-15', '--json')
  expect([code, JSON.parse(out)]).toEqual([
    1,
    {
      ok: false,
      class: 'not_the_answer',
      reason: 'answers_another_question',
      detail: REASONS.answers_another_question,
    },
  ])
})

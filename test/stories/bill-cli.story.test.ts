import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aTest, somePairs } from '../../src/proof/check/check-fixture.ts'
import {
  A_CLAIM_835,
  A_COPIED_TEXT,
  A_CSV,
  an835,
  an837,
  anEob,
  CANARIES,
  LINES_837,
} from '../../src/statement/fixture.ts'
import { aRelease } from '../support/builders.ts'
import { testApp } from '../support/harness.ts'
import { atr } from '../support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'bills-'))
afterAll(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'papers'))
const PAPERS: Record<string, string> = {
  'a.csv': A_CSV,
  'b.edi': an837(LINES_837),
  'c.835': an835(A_CLAIM_835),
  'd.json': JSON.stringify(anEob()),
  'e.txt': A_COPIED_TEXT,
  'f.pdf': '%PDF-1.7',
}
for (const [name, text] of Object.entries(PAPERS)) writeFileSync(join(folder, 'papers', name), text)

test('atr bill shows what it would send of every file of a folder, and sends nothing', async () => {
  const { code, out } = await atr(['bill', join(folder, 'papers'), '--dry-run', '--json'])
  const { papers, summary } = JSON.parse(out)
  expect(code).toBe(1)
  expect(
    papers.map(({ file, request }: { file: string; request?: { lines: object[] } }) => [file, request?.lines.length]),
  ).toEqual([
    ['a.csv', 2],
    ['b.edi', 2],
    ['c.835', 1],
    ['d.json', 1],
    ['e.txt', 2],
    ['f.pdf', undefined],
  ])
  expect(summary).toMatchObject({ papers: 6, checked: 0, refused: 1, lines: 8 })
  for (const canary of CANARIES) expect([canary, out.includes(canary)]).toEqual([canary, false])
})

test('a folder of fifty papers is checked, a line for each, and codes alone reach the service', async () => {
  await using app = await testApp({ today: '2026-11-15' })
  await app.publish(aRelease({ chart: 'cms-clfs', rows: [aTest('80053', '10.56'), aTest('82947', '3.93')] }))
  const pairs = { chart: 'ncci-ptp-outpatient', rows: [somePairs('80053', ['82947', 1])], edits_left_out: 0 }
  await app.publish(aRelease(pairs as never))
  const bodies: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      bodies.push(await request.clone().text())
      return app.app.fetch(request, '192.0.2.1')
    },
  })
  mkdirSync(join(folder, 'fifty'))
  const heading = 'Patient,Rev,Code,Units,Billed,Day'
  for (let i = 0; i < 50; i++)
    writeFileSync(
      join(folder, 'fifty', `${i}.csv`),
      `${heading}\nZebulon Canary,0301,80053,1,310.00,2026-07-15\nZebulon Canary,0301,82947,1,${62 + i}.00,2026-07-15`,
    )
  const { code, out } = await atr(['bill', join(folder, 'fifty'), '--url', server.url.origin])
  await server.stop(true)
  expect([code, out.trim().split('\n').length]).toEqual([0, 51])
  expect(out).toContain('50 papers, 50 checked, 0 refused; 100 lines read, 0 not read; 50 findings')
  expect(out).toMatch(/7\.csv +bill +2 lines +billed 379\.00 +Medicare by rules 10\.56 +1 findings, at issue 69\.00/)
  expect(bodies).toHaveLength(50)
  for (const body of bodies)
    for (const canary of CANARIES) expect([canary, body.includes(canary)]).toEqual([canary, false])
})

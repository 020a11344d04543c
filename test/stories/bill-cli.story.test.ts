import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

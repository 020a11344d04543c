// Papers of ten layouts, printed by a browser, copied out of the page and out of the PDF, and read again.

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BillLine, readStatement } from '../../src/statement/statement.ts'
import { findChromium, openBrowser } from '../support/browser.ts'
import { isLong } from '../support/long.ts'
import { hasPdfReader } from '../support/pdf.ts'
import { noBrowser } from '../support/site.ts'
import { isSkipped } from '../support/skipping.ts'
import { LAYOUTS, type Layout, type TrueLine, trueLines } from '../support/statement-layouts.ts'

const folder = mkdtempSync(join(tmpdir(), 'copied-'))
afterAll(() => rmSync(folder, { recursive: true }))

const WAYS = { page: undefined, columns: ['-layout'], stream: ['-raw'], reading: [] }
type Way = keyof typeof WAYS
const PAPERS = isLong ? 40 : 10
/** The way of a paper: the page itself, the PDF with its columns, the PDF in the order in which it was written. */
const wayOf = (n: number): Way => (['page', 'columns', 'stream'] as const)[(n + Math.floor(n / 10)) % 3] ?? 'page'

function pdfText(file: string, options: readonly string[]): string {
  const { stdout, exitCode } = Bun.spawnSync(['pdftotext', ...options, file, '-'])
  if (exitCode !== 0) throw new Error('pdftotext failed')
  return stdout.toString()
}

const shown = (line: BillLine, { shows }: Layout): string =>
  JSON.stringify(shows.flatMap((name) => (line[name] === undefined ? [] : [[name, line[name]]])))

/** What stands on the paper: a layout without credits leaves them out, in the others a credit takes its line back. */
const standing = (lines: readonly TrueLine[], { html }: Layout): TrueLine[] => {
  const hasCredits = html(lines) !== html(lines.filter(({ isCredit }) => !isCredit))
  return lines.filter((line, i) => !line.isCredit && !(hasCredits && lines[i + 1]?.isCredit))
}

test.skipIf(noBrowser || isSkipped('copied papers', hasPdfReader() ? undefined : 'there is no pdftotext here'))(
  'at least 95 of 100 lines of copied papers are read, and none is read wrongly',
  async () => {
    const browser = await openBrowser(findChromium() ?? '')
    const page = await browser.newPage()
    const counts = { lines: 0, read: 0 }
    try {
      for (let n = 0; n < PAPERS; n++) {
        const layout = LAYOUTS[n % LAYOUTS.length] as Layout
        const lines = trueLines(n)
        await page.setContent(layout.html(lines))
        const file = join(folder, `${n}.pdf`)
        writeFileSync(file, await page.pdf({ format: 'Letter' }))
        const copied = await page.evaluate(() => {
          const selection = getSelection()
          selection?.selectAllChildren(document.body)
          return selection?.toString() ?? ''
        })
        const ways = (isLong ? Object.keys(WAYS) : [wayOf(n), 'reading']) as Way[]
        for (const way of ways) {
          const options = WAYS[way]
          const statement = await readStatement(options ? pdfText(file, options) : copied)
          const read = statement.ok ? statement.papers.flatMap(({ request }) => request.lines) : []
          const left = standing(lines, layout).map((line) => shown(line, layout))
          if (way === wayOf(n)) counts.lines += left.length
          for (const line of read) {
            const at = left.indexOf(shown(line, layout))
            // In the reading order of `pdftotext` columns are torn apart: what cannot be found again is left out, and never wrong.
            const isPart = left.some((each) => isPartOf(shown(line, layout), each))
            expect([layout.name, way, n, line, at >= 0 || (way === 'reading' && isPart)]).toEqual([
              layout.name,
              way,
              n,
              line,
              true,
            ])
            if (way === wayOf(n)) counts.read++
            if (at >= 0) left.splice(at, 1)
          }
        }
      }
    } finally {
      await browser.close()
    }
    expect(counts.read / counts.lines).toBeGreaterThanOrEqual(0.95)
  },
)

const isPartOf = (some: string, all: string): boolean => {
  const members = new Set((JSON.parse(all) as unknown[]).map((each) => JSON.stringify(each)))
  return (JSON.parse(some) as unknown[]).every((each) => members.has(JSON.stringify(each)))
}

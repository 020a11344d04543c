// Writes docs/screenshots: a few pages as people see them, on a service with the sample.

import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { closeBrowser, openSite } from '../test/support/site.ts'

const FOLDER = join(import.meta.dir, '../docs/screenshots')

interface Shot {
  name: string
  path: string
  width: number
  height: number
  colorScheme: 'light' | 'dark'
  /** Done on the page before the picture is taken. */
  before?: (page: Page) => Promise<void>
}

const BILL = [
  ['CPT', 'Mod', 'Qty', 'Charges', 'ZIP', 'Date'],
  ['99213', '25', '1', '$300.00', '94102', '11/2/2026'],
  ['71046', '26', '1', '$145.20', '94102', '11/2/2026'],
  ['80053', '', '1', '$45.50', '94102', '11/2/2026'],
  ['36415', '', '1', '$20.00', '94102', '11/2/2026'],
  ['27447', '80', '1', '$4,500.00', '94102', '11/2/2026'],
]

async function compareBill(page: Page): Promise<void> {
  await page.fill('#lines', BILL.map((cells) => cells.join('\t')).join('\n'))
  await page.fill('#npi', '1234567893')
  await page.click('#bill button[type=submit]')
  await page.waitForSelector('#bill-status[data-state=read]')
  await page.click('#bill button[type=submit]')
  await page.waitForSelector('#bill-status[data-state=good]')
  await page.evaluate(() => document.querySelector('#sheet')?.scrollIntoView())
}

async function seeCheck(page: Page): Promise<void> {
  await page.waitForSelector('#check[data-state=good]')
  await page.evaluate(() => document.querySelector('#check')?.scrollIntoView())
}

const SHOTS: readonly Shot[] = [
  { name: 'landing', path: '/', width: 1000, height: 640, colorScheme: 'light' },
  { name: 'price', path: '/price/99213?region=94102', width: 1000, height: 760, colorScheme: 'light' },
  { name: 'absence', path: '/price/00100', width: 1000, height: 480, colorScheme: 'dark' },
  { name: 'price-phone', path: '/price/99213?npi=1234567893', width: 390, height: 800, colorScheme: 'dark' },
  {
    name: 'check',
    path: '/price/99213?region=94102',
    width: 1000,
    height: 720,
    colorScheme: 'light',
    before: seeCheck,
  },
  { name: 'bill', path: '/bill', width: 1000, height: 760, colorScheme: 'light', before: compareBill },
]

await using site = await openSite()
for (const { name, path, width, height, colorScheme, before } of SHOTS) {
  const page = await site.page({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })
  await page.clock.setFixedTime(site.app.clock.now)
  await page.goto(path, { waitUntil: 'networkidle' })
  await before?.(page)
  await page.screenshot({ path: join(FOLDER, `${name}.jpg`), type: 'jpeg', quality: 46 })
  if (process.argv[2]) await page.screenshot({ path: join(process.argv[2], `${name}.png`) })
  await page.context().close()
}
await closeBrowser()

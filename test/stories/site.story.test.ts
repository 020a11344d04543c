// What people do on the site, in a real browser: with a script, without one, and with the keyboard alone.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { aPrice, aRelease } from '../support/builders.ts'
import { closeBrowser, noBrowser, openSite, type Site } from '../support/site.ts'

let site: Site
/** Its one edition has run out. */
let lapsed: Site
beforeAll(async () => {
  if (noBrowser) return
  site = await openSite()
  const ended = { effective_from: '2026-07-01', effective_to: '2026-09-30' }
  const rows = [aPrice({ code: 'G0101', effective_from: '2026-07-01' })]
  lapsed = await openSite(async (app) => void (await app.publish(aRelease({ ...ended, rows }))), false)
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await lapsed?.[Symbol.asyncDispose]()
  await closeBrowser()
})

interface Fields {
  cpt: string
  region?: string
  as_of?: string
  npi?: string
}

/** Fills in the form of the landing page and sends it. */
async function lookUp(page: Page, fields: Fields): Promise<void> {
  await page.goto('/')
  for (const [name, value] of Object.entries(fields)) await page.fill(`#${name}`, value)
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.waitForLoadState()
}
const textOf = async (page: Page, selector: string): Promise<string> =>
  ((await page.locator(selector).textContent()) ?? '').replaceAll(/\s+/g, ' ').trim()
const heading = (page: Page): Promise<string> => textOf(page, 'h1')
const amount = (page: Page): Promise<string> => textOf(page, '.statement .amount')

for (const javaScriptEnabled of [true, false])
  test.skipIf(noBrowser)(
    `a price is looked up by code, ZIP, modifier, day and hospital${javaScriptEnabled ? '' : ', without a script'}`,
    async () => {
      const page = await site.page({ javaScriptEnabled })

      await lookUp(page, { cpt: '99213', region: '94102' })
      expect(await amount(page)).toBe('$113.34')
      expect(await textOf(page, '.lead')).toContain('US-CA-05, where ZIP code 94102 lies')
      if (javaScriptEnabled) expect(new URL(page.url()).search).toBe('?region=94102')

      await lookUp(page, { cpt: '99213-25', as_of: '2026-03-01' })
      expect(await heading(page)).toContain('99213-25 on 1 March 2026')
      expect(await amount(page)).toBe('$94.19')
      expect(await textOf(page, 'main')).toContain('Modifier 25 does not change the amount.')

      await lookUp(page, { cpt: '99213', npi: '1234567893' })
      expect(await amount(page)).toBe('$145.20')
      const sheet = await textOf(page, 'table:has(#sheet)')
      for (const fact of ['Hospital, gross charge', '$242.00', '$118.50', '$131.75', '$95.19', '$57.45'])
        expect(sheet).toContain(fact)

      await lookUp(page, { cpt: '00100' })
      expect(await heading(page)).toBe('No price for code 00100 on 15 November 2026')
      expect(await textOf(page, '.lead')).toContain('how long the anesthesia took')

      await lookUp(page, { cpt: 'hello' })
      expect(await heading(page)).toBe('This question cannot be asked')
      expect(await textOf(page, '.lead')).toContain('A code has five characters')

      await lookUp(page, { cpt: '99213', region: 'ca' })
      await page.getByRole('link', { name: 'US-CA-18' }).click()
      expect(await textOf(page, '.lead')).toContain('Medicare area US-CA-18')
      expect(page.complaints).toEqual([])
      await page.context().close()
    },
  )

test.skipIf(noBrowser)('a lapsed edition is called expired, and leads to its last day', async () => {
  const page = await lapsed.page({ javaScriptEnabled: false })
  await lookUp(page, { cpt: 'G0101' })
  expect(await heading(page)).toContain('No price for code G0101')
  expect(await textOf(page, '.notice')).toContain('Expired on this day: $12.34 until 30 September 2026')
  await page.getByRole('link', { name: 'See it on its last day' }).click()
  expect(await amount(page)).toBe('$12.34')
  await page.goto('/')
  expect(await textOf(page, '#charts .expired')).toBe('expired')
  await page.goto('/status')
  expect(await textOf(page, '.lead')).toContain('1 has expired and gives no price for today')
  await page.context().close()
})

test.skipIf(noBrowser)('the keyboard alone looks up a price, opens a table and reaches every link of it', async () => {
  const page = await site.page()
  await page.goto('/')
  const tabTo = async (selector: string): Promise<void> => {
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Tab')
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return
    }
    throw new Error(`${selector} cannot be reached with the keyboard`)
  }
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Skip to the content')
  await page.keyboard.press('Enter')
  await tabTo('#cpt')
  await page.keyboard.type('99213')
  await tabTo('#region')
  await page.keyboard.type('94102')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/price\/99213/)
  expect(await amount(page)).toBe('$113.34')
  await tabTo('summary')
  await page.keyboard.press('Enter')
  await tabTo('#localities ~ tbody a, details a')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('US-AL-00')
  await page.keyboard.press('Enter')
  await page.waitForURL(/US-AL-00/)
  expect(await amount(page)).toBe('$88.10')
  await page.context().close()
})

test.skipIf(noBrowser)('the permalink of a price asks the same question again', async () => {
  const page = await site.page()
  await page.goto('/price/99213?region=94102')
  const address = await textOf(page, '#permalink')
  expect(address).toBe('https://registry.example/price/99213?region=94102&as_of=2026-11-15')
  await page.goto(address.replace('https://registry.example', ''))
  expect(await textOf(page, '#permalink')).toBe(address)
  expect(await amount(page)).toBe('$113.34')
  await page.context().close()
})

test.skipIf(noBrowser)('a text is copied, and a printed page is one sheet', async () => {
  const page = await site.page({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto('/')
  await page.getByRole('button', { name: 'Copy' }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as object
  expect(copied).toEqual({
    mcpServers: { 'agent-trust-registry': { type: 'http', url: 'https://registry.example/mcp' } },
  })
  for (const path of ['/price/99213?region=94102&npi=1234567893', '/price/71046?region=94102', '/price/00100'])
    for (const format of ['Letter', 'A4']) {
      await page.goto(path)
      const pdf = await page.pdf({ format })
      expect([path, format, pdf.toString('latin1').match(/\/Count (\d+)/)?.[1]]).toEqual([path, format, '1'])
    }
  await page.context().close()
})

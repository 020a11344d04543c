// The site in a real browser: a whole service on loopback, and the pages of it as people see them.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { findChromium, openBrowser, whyNoChromium } from './browser.ts'
import { type TestApp, testApp } from './harness.ts'
import { isSkipped } from './skipping.ts'

const found = findChromium()
export const noBrowser = isSkipped('pages in a browser', whyNoChromium(found))

/** To start a browser takes longer than most pages do: all sites of a file share one. */
let opened: Promise<Browser> | undefined

function browser(): Promise<Browser> {
  if (!found) throw new Error('there is no Chromium here, and none can be installed')
  opened ??= openBrowser(found)
  return opened
}

/** For `afterAll` of a file that opens sites. */
export async function closeBrowser(): Promise<void> {
  await (await opened)?.close()
  opened = undefined
}

export interface Site {
  app: TestApp
  url: string
  /** A page in a window of its own. What it complains about is in `complaints`. */
  page: (options?: BrowserContextOptions) => Promise<Page & { complaints: string[] }>
  [Symbol.asyncDispose](): Promise<void>
}

/** One service, for all tests of a file. */
export async function openSite(fill: (app: TestApp) => Promise<void> = async () => {}, sample = true): Promise<Site> {
  const app = await testApp({ sample })
  await fill(app)
  const site = await siteOf(app)
  return {
    ...site,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await app[Symbol.asyncDispose]()
    },
  }
}

/** A service that a test has made, as a site. The service goes on after it. */
export async function siteOf(app: TestApp): Promise<Site> {
  const contexts: BrowserContext[] = []
  const following = app.app.followHeads(({ fault }) => {
    throw fault
  })
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.app.fetch(request, '127.0.0.1') })
  return {
    app,
    url: server.url.origin,
    page: async (options = {}) => {
      const context = await (await browser()).newContext({ baseURL: server.url.origin, ...options })
      contexts.push(context)
      const page = Object.assign(await context.newPage(), { complaints: [] as string[] })
      page.on('pageerror', (error) => page.complaints.push(String(error)))
      page.on('console', (message) => {
        // That a page answers 404 is said here too, and is no complaint about it.
        if (message.type() === 'error' && !/status of 40[04]/.test(message.text())) page.complaints.push(message.text())
      })
      page.on('request', (request) => {
        if (!request.url().startsWith(server.url.origin)) page.complaints.push(`asked another host: ${request.url()}`)
      })
      return page
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(contexts.map((context) => context.close()))
      await server.stop(true)
      await following.stop()
    },
  }
}

/** A page at this path, with the clock of the service. */
export async function openPage({ app, page }: Site, path: string): Promise<Page> {
  const opened = await page()
  await opened.clock.setFixedTime(app.clock.now)
  await opened.goto(path)
  return opened
}

const SHOTS = join(import.meta.dir, '../../coverage/screenshots')

/** Kept as an artefact of the run, to be looked at by a person. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}

// A real Chromium for tests: found or installed, started afresh, fed from loopback.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium as driver } from 'playwright-core'
import { findProgram } from './program.ts'

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The browser's path; undefined where there is none to be had. */
export const findChromium = (): string | undefined =>
  findProgram(['chromium', 'chromium-browser', 'google-chrome'], ['chromium'])

export const whyNoChromium = (found: string | undefined): string | undefined =>
  found === undefined ? 'there is no Chromium here and none can be installed' : undefined

/** A browser that is driven from outside: pages, keys, print. */
export const openBrowser = (chromium: string): Promise<Browser> =>
  driver.launch({ executablePath: chromium, args: FLAGS.slice(1) })

/**
 * Runs a module in a page and returns what it posts to `/answer`. The files are served under their names; loopback
 * counts as a secure context, without which a page has no WebCrypto. A page that never answers is ended by the limit of its test.
 */
export async function answerOfPage<T>(chromium: string, files: Record<string, string>, module: string): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const pages: Record<string, string> = { ...files, 'page.js': module, '': PAGE }
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const name = new URL(request.url).pathname.slice(1)
      if (name === 'answer') {
        resolve((await request.json()) as T)
        return new Response()
      }
      if (name === 'error') {
        reject(new Error(`the page failed: ${await request.text()}`))
        return new Response()
      }
      const body = pages[name]
      const type = name === '' ? 'text/html' : name.endsWith('.json') ? 'application/json' : 'text/javascript'
      return body === undefined
        ? new Response('', { status: 404 })
        : new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } })
    },
  })
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
  const browser = Bun.spawn([chromium, ...FLAGS, `--user-data-dir=${profile}`, server.url.href], {
    stdout: 'ignore',
    stderr: 'ignore',
    onExit: () => reject(new Error('the browser ended before it answered')),
  })
  try {
    return await promise
  } finally {
    browser.kill()
    await browser.exited
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>test</title><script type="module">
const post = (path, body) => fetch(path, { method: 'POST', body })
try { await post('/answer', JSON.stringify(await (await import('/page.js')).default())) }
catch (error) { await post('/error', String(error)) }
</script>`

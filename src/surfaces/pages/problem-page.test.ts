import { expect, test } from 'bun:test'
import { StoreBusy } from '../../db/db.ts'
import { PROBLEMS } from '../../problem.ts'
import { STATUS } from '../../status.ts'
import { rendered, served } from '../discovery/fixture.ts'
import { frameOf } from '../site/frame.ts'
import { problemPages } from './problem-page.ts'

test('every problem code has a page in all three forms', async () => {
  for (const [code, { kind, title, hint }] of Object.entries(PROBLEMS)) {
    const page = await rendered(problemPages(frameOf()), 'text/html', code)
    expect(page.match(/<h1>/g)).toHaveLength(1)
    expect(page).toContain(`HTTP status ${STATUS[kind]}`)
    expect(page).not.toContain('`')
    expect(await rendered(problemPages(frameOf()), 'text/markdown', code)).toContain(hint)
    expect(JSON.parse(await rendered(problemPages(frameOf()), 'application/json', code))).toMatchObject({
      code,
      title,
      status: STATUS[kind],
      agent_hint: hint,
    })
  }
})

test('a code that does not exist has no page, and its name is not repeated', async () => {
  const get = served(problemPages(frameOf()))
  for (const path of ['/problems/made_up', '/problems/toString', '/problems/__proto__', '/problems/%3Cscript%3E']) {
    const response = await get(path)
    expect(response.status).toBe(404)
    expect(await response.text()).not.toMatch(/made_up|toString|__proto__|script/)
  }
})

test('a person who follows a problem type sees a page, a program gets JSON', async () => {
  const get = served(problemPages(frameOf()))
  const page = await get('/problems/invalid_cpt?from=mail', { accept: 'text/html,*/*;q=0.8' })
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('vary')).toBe('Accept, Accept-Encoding')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const json = await get('/problems/invalid_cpt', { accept: 'application/json' })
  expect(await json.json()).toMatchObject({ code: 'invalid_cpt', status: 400 })
})

test('a store that is away is a page for a browser, with the time to wait, and a document for a program', async () => {
  const get = served({
    ...problemPages(frameOf()),
    forms: [{ type: 'text/plain', render: () => Promise.reject(new StoreBusy('the store is away')) }],
  })
  const path = '/problems/unavailable'
  const [page, document] = [await get(path, { accept: 'text/html' }), await get(path, { accept: 'application/json' })]
  const wait = document.headers.get('retry-after') ?? 'none'
  for (const { status, headers } of [page, document]) expect([status, headers.get('retry-after')]).toEqual([503, wait])
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const words = await page.text()
  for (const said of ['unavailable', PROBLEMS.unavailable.title, PROBLEMS.unavailable.hint, `after ${wait} second`])
    expect(words).toContain(said)
  expect(await document.json()).toMatchObject({ status: 503, code: 'unavailable' })
})

// Everything that can go wrong on the way from a publisher's page to a staged release: one clear sentence each, nothing half
// done, and the next chart goes on.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { FetchParts } from '../../src/fetch/source.ts'
import type { TroubleCode } from '../../src/fetch/trouble.ts'
import { zip } from '../../src/files/zip-fixture.ts'
import { listReleases } from '../../src/registry/release/store.ts'
import { ACCEPTED, FetchingStore } from '../support/fetching.ts'
import { drugFile, laboratoryFile, monthOf } from '../support/publisher-site.ts'

const LABORATORY = 'cms-clfs'
const DRUGS = 'cms-asp'
const FILE = '/files/zip/26clabq3.zip'
const HOUR_MS = 3_600_000

let store: FetchingStore
beforeAll(async () => {
  store = await FetchingStore.open('2026-07-10')
})
afterAll(() => store[Symbol.asyncDispose]())

/** The list of drugs is always sound: it is the chart that goes on. */
function soundDrugs(): void {
  const path = `/files/zip/${monthOf(3)}-2026-medicare-part-b-payment-limit-files.zip`
  store.site.archive(path, { 'limits.csv': drugFile(2026, 3) })
  store.site.links(store.site.pathOf(DRUGS), [path])
}

beforeEach(async () => {
  const { db } = store.app.installation
  for (const table of ['fetch_host', 'fetch_page', 'fetch_look', 'fetch_file', 'fetch_agreement', 'fetch_origin'])
    await db.query(`DELETE FROM ${table}`)
  await db.query("DELETE FROM release WHERE state = 'staged'")
  store.laboratory(2026, 3)
  store.laboratoryList([2026, 3])
  soundDrugs()
  store.site.put('/robots.txt', () => new Response('User-agent: *\nDisallow: /*?\n'))
  store.site.page('/license/ama', 'the agreement')
  store.site.asked.splice(0)
})

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response('<html>an error page with <b>words</b></html>', { status: code, headers })
const page = (): string => store.site.pathOf(LABORATORY)
const own = (): string => `${page()}/26clabq3`
const member = 'PUF_CLFS_CY2026_Q3V1.csv'
const archive = (...members: Parameters<typeof zip>[0]): Uint8Array => zip(members)

interface Case {
  make: () => void
  code: TroubleCode
  /** What the sentence also has. */
  says?: string | RegExp
  parts?: Partial<FetchParts>
}

const DRIP: NonNullable<FetchParts['patience']> = { answerMs: 2_000, fileMs: 150 }

const CASES: Readonly<Record<string, Case>> = {
  'the page is another page now': { make: () => store.site.page(page(), '<p>We have moved</p>'), code: 'no_link' },
  'the page of the edition has no file': { make: () => store.site.page(own(), '<p>Soon</p>'), code: 'no_link' },
  'the page is gone': { make: () => store.site.remove(page()), code: 'missing', says: 'HTTP 404' },
  'the page of the edition is not there yet': { make: () => store.site.remove(own()), code: 'missing' },
  'the file is not there': { make: () => store.site.remove(FILE), code: 'missing' },
  'two links for one edition': {
    make: () => store.site.links(own(), [`/license/ama?file=${FILE}`, '/license/ama?file=/files/zip/26clabq3-1.zip']),
    code: 'two_links',
  },
  'the link leads to another host': {
    make: () => store.site.links(own(), ['https://files.example.org/files/zip/26clabq3.zip']),
    code: 'leads_elsewhere',
  },
  'the page asks for a login': { make: () => store.site.put(page(), status(401)), code: 'refused', says: 'HTTP 401' },
  'the server refuses programs': { make: () => store.site.put(page(), status(403)), code: 'refused', says: '--from' },
  'the server wants to see a person first': {
    make: () => store.site.put(page(), status(202)),
    code: 'unexpected_answer',
  },
  'the server is busy': {
    make: () => store.site.put(page(), status(429, { 'retry-after': '7200' })),
    code: 'asked_to_wait',
    says: 'not before 2026-07-10T14:',
  },
  'the server has a fault': { make: () => store.site.put(page(), status(500)), code: 'server_fault' },
  'the file has a fault': { make: () => store.site.put(FILE, status(502)), code: 'server_fault' },
  'robots.txt forbids the page': {
    make: () =>
      store.site.put('/robots.txt', () => new Response('User-agent: agent-trust-registry\nDisallow: /medicare/')),
    code: 'robots',
  },
  'robots.txt has a fault': { make: () => store.site.put('/robots.txt', status(503)), code: 'robots_unreadable' },
  'a page in place of the file': {
    make: () => store.site.page(FILE, '<p>Please wait</p>'),
    code: 'page_for_file',
  },
  'the body of a redirection in place of the file': {
    make: () => store.site.bytes(FILE, '<!DOCTYPE html><meta http-equiv="refresh" content="0">', 'application/zip'),
    code: 'page_for_file',
  },
  'something else in place of the archive': {
    make: () => store.site.bytes(FILE, laboratoryFile(2026), 'application/zip'),
    code: 'not_an_archive',
  },
  'an archive that was cut off': {
    make: () =>
      store.site.bytes(
        FILE,
        archive({ name: member, data: laboratoryFile(2026) }).subarray(0, 4_000),
        'application/zip',
      ),
    code: 'not_loaded',
  },
  'an archive in the archive': {
    make: () => store.site.archive(FILE, { 'inner.zip': archive({ name: member, data: laboratoryFile(2026) }) }),
    code: 'not_loaded',
    says: 'another archive',
  },
  'wrong sums in the archive': {
    make: () =>
      store.site.bytes(
        FILE,
        archive({ name: member, data: laboratoryFile(2026), claims: { crc: 7 } }),
        'application/zip',
      ),
    code: 'not_loaded',
    says: 'checksum',
  },
  'a name in the archive that points outside it': {
    make: () => store.site.archive(FILE, { '../../etc/cron.d/x.csv': laboratoryFile(2026) }),
    code: 'not_loaded',
  },
  'another schedule in the archive': {
    make: () => store.site.archive(FILE, { [member]: drugFile(2026, 3) }),
    code: 'not_loaded',
  },
  'an older edition under a newer name': {
    make: () => store.site.archive(FILE, { 'PUF_CLFS_CY2026_Q2V1.csv': laboratoryFile(2026) }),
    code: 'other_edition',
    says: 'the link says 2026 Q3, the file 2026-04-01',
  },
  'a connection that ends early': {
    make: () =>
      store.site.put(FILE, () => {
        const stream = new ReadableStream({
          async start(controller) {
            controller.enqueue(new Uint8Array([0x50, 0x4b, 3, 4]))
            await Bun.sleep(20)
            controller.error(new Error('the connection is gone'))
          },
        })
        return new Response(stream, { headers: { 'content-length': '90000' } })
      }),
    code: 'cut_off',
  },
  'a server that drips': {
    make: () =>
      store.site.put(FILE, () => {
        let timer: ReturnType<typeof setInterval>
        const stream = new ReadableStream({
          start(controller) {
            timer = setInterval(() => controller.enqueue(new Uint8Array(1)), 20)
          },
          cancel: () => clearInterval(timer),
        })
        return new Response(stream)
      }),
    code: 'too_slow',
    parts: { patience: DRIP },
  },
  'a file that is far too large': {
    make: () => store.site.put(FILE, () => new Response(new Uint8Array(65 * 1024 ** 2))),
    code: 'too_large',
  },
  'a redirection to another host': {
    make: () => store.site.put(FILE, () => Response.redirect('https://cdn.example.org/26clabq3.zip', 302)),
    code: 'leads_elsewhere',
  },
  'a redirection to a private address': {
    make: () => store.site.put(page(), () => Response.redirect('http://169.254.169.254/latest/meta-data', 302)),
    code: 'leads_elsewhere',
  },
  'redirections without an end': {
    make: () => store.site.put(page(), () => Response.redirect(`${store.site.url}${page()}`, 302)),
    code: 'redirected_too_often',
  },
  'the agreement cannot be read': {
    make: () => store.site.remove('/license/ama'),
    code: 'agreement_unreadable',
    says: '--agreement-text',
  },
  'the clock of this machine is a day off': {
    make: () =>
      store.site.put(
        page(),
        () => new Response('<html>', { headers: { date: new Date(store.clock.now - 24 * HOUR_MS).toUTCString() } }),
      ),
    code: 'clock',
  },
}

test('there are thirty of them', () => {
  expect(Object.keys(CASES).length).toBeGreaterThanOrEqual(30)
})

test.each(Object.entries(CASES))('%s', async (_, { make, code, says = '', parts = {} }) => {
  make()
  const { db } = store.app.installation
  const more = { ...ACCEPTED, ...parts }
  const [laboratory, drugs] = await store.update([LABORATORY, DRUGS], { ...more, publishes: false })
  expect(laboratory?.trouble?.code).toBe(code)
  const sentence = laboratory?.trouble?.says ?? ''
  expect(sentence).toMatch(says instanceof RegExp ? says : new RegExp(says.replaceAll(/[.()]/g, '\\$&')))
  // The sentence is ours: nothing of what the server sent, and no address of it.
  expect(sentence).not.toMatch(/an error page|words|We have moved|127\.0\.0\.1|example\.org|meta-data/)
  const releases = (await listReleases(db)).map(({ release_id }) => release_id)
  expect(releases.filter((id) => id.startsWith(LABORATORY))).toEqual([])
  expect(readdirSync(`${store.app.folder.path}/downloads`).filter((name) => name.includes('clabq'))).toHaveLength(
    ['not_loaded', 'other_edition'].includes(code) ? 1 : 0,
  )
  // A host that is to be left alone, or that allows nothing, is not asked for the next chart either.
  const isOfHost = ['asked_to_wait', 'robots', 'robots_unreadable'].includes(code)
  if (isOfHost) expect(drugs?.trouble?.code).toBe(code)
  else
    expect(drugs?.releases).toMatchObject([{ release_id: expect.stringMatching(/^cms-asp:ASP26Q3:/), state: 'staged' }])
})

describe('addresses', () => {
  const names: string[] = []
  /** A resolver that counts, and gives private addresses to the names of a hostile owner. */
  const resolve: NonNullable<NonNullable<FetchParts['outgoing']>['resolve']> = (name, _, done) => {
    names.push(name)
    done(null, [{ address: '10.0.0.7', family: 4 }])
  }

  test('a name that resolves to a private address is refused, and no name but the table\u2019s is looked up', async () => {
    const { PUBLISHERS } = await import('../../src/tables/publishers.ts')
    const reports = await store.update(undefined, { publishers: PUBLISHERS, outgoing: { resolve } })
    expect(reports.length).toBeGreaterThan(9)
    for (const { trouble } of reports) expect(trouble?.code).toBe('address_refused')
    expect([...new Set(names)]).toEqual([...PUBLISHERS.hosts])
  })

  test('links and redirections to other hosts are not even looked up', async () => {
    names.splice(0)
    store.site.links(own(), ['https://evil.example.org/files/zip/26clabq3.zip'])
    store.site.put(store.site.pathOf(DRUGS), () => Response.redirect('https://evil.example.org/', 302))
    const outgoing = { loopback: true, resolve }
    const reports = await store.update([LABORATORY, DRUGS], { ...ACCEPTED, outgoing })
    expect(reports.map(({ trouble }) => trouble?.code)).toEqual(['leads_elsewhere', 'leads_elsewhere'])
    expect(names).toEqual([])
  })
})

describe('manners', () => {
  test('a second between two requests to a host, each with project, version and contact', async () => {
    await store.update([LABORATORY, DRUGS], ACCEPTED)
    const times = store.site.asked.map(({ at }) => at)
    expect(times.length).toBeGreaterThan(5)
    for (const [i, at] of times.entries()) if (i > 0) expect(at - (times[i - 1] ?? 0)).toBeGreaterThanOrEqual(1_000)
    for (const { headers } of store.site.asked)
      expect(headers.get('user-agent')).toMatch(/^agent-trust-registry\/[0-9.]+/)
  })

  test('a busy host is left alone, longer each time, and a good answer ends that', async () => {
    store.site.put(page(), status(429))
    const waits: number[] = []
    for (let i = 0; i < 4; i++) {
      await store.update([LABORATORY])
      const [host] = await store.app.installation.db.query<{ not_before: number }>('SELECT not_before FROM fetch_host')
      waits.push(((host?.not_before ?? 0) - store.clock.now) / HOUR_MS)
      const asked = store.site.asked.length
      await store.fetch(LABORATORY)
      expect(store.site.asked.length).toBe(asked)
      store.clock.now = (host?.not_before ?? 0) + 72 * HOUR_MS
    }
    expect(waits.map(Math.round)).toEqual([0, 1, 6, 24])
    store.laboratoryList([2026, 3])
    store.today = '2026-09-10'
    expect((await store.fetch(LABORATORY, ACCEPTED)).trouble).toBeNull()
  })

  test('a chart in trouble is due again after 1, 6, 24 and 72 hours', async () => {
    store.today = '2026-09-12'
    store.site.remove(page())
    const waits: number[] = []
    for (let i = 0; i < 5; i++) {
      await store.update([LABORATORY])
      const [look] = await store.app.installation.db.query<{ next_look_at: number; failures: number }>(
        'SELECT next_look_at, failures FROM fetch_look',
      )
      waits.push(((look?.next_look_at ?? 0) - store.clock.now) / HOUR_MS)
      expect(look?.failures).toBe(i + 1)
      expect((await store.update([LABORATORY]))[0]?.outcome).toBe('not_due')
      store.clock.now = look?.next_look_at ?? 0
    }
    expect(waits).toEqual([1, 6, 24, 72, 72])
    store.today = '2026-07-10'
  })
})

test('two updates at once: one works, and the other says so', async () => {
  const outcomes = await Promise.allSettled([
    store.update([LABORATORY], ACCEPTED),
    store.update([LABORATORY], ACCEPTED),
  ])
  expect(outcomes.map(({ status: outcome }) => outcome).sort()).toEqual(['fulfilled', 'rejected'])
  const [refused] = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(String(refused?.reason)).toContain('another process is fetching')
})

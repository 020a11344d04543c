// Every chart says where its editions come from, how their links look, and which rows a right edition has.

import { describe, expect, test } from 'bun:test'
import { editionLinks, editionsAmong } from '../../src/fetch/edition-link.ts'
import { PublisherFile } from '../../src/fetch/publisher-table.ts'
import { CHARTS } from '../../src/registry/charts.ts'
import { PUBLISHERS } from '../../src/tables/publishers.ts'

/** Names of links that CMS has used, and what they are; `null` for neighbours on the same page that are not to be taken. */
const SEEN: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  'cms-pfs': {
    '/files/zip/rvu24ar.zip': '2024 Q1',
    '/files/zip/rvu25d-updated-09/11/2025.zip': '2025 Q4',
    '/files/zip/rvu26a-updated-12-29-2025.zip': '2026 Q1',
    '/files/zip/rvu26d-updated-08-26-2026.zip': '2026 Q4',
    '/files/zip/rvu26d.pdf': null,
  },
  'cms-clfs': { '/files/zip/25CLABQ3v2.zip': '2025 Q3', '/files/zip/26clabq3.zip': '2026 Q3' },
  'cms-asp': {
    '/files/zip/january-2025-asp-pricing-file-12/19/24-final-file.zip': '2025 Q1',
    '/files/zip/october-2025-asp-pricing-final-file.zip': '2025 Q4',
    '/files/zip/october-2025-noc-pricing-final-file.zip': null,
    '/files/zip/january-2026-medicare-part-b-payment-limit-files.zip': '2026 Q1',
    '/files/zip/april-2026-medicare-part-b-payment-limit-files-03-30-2026-final-file.zip': '2026 Q2',
    '/files/zip/october-2026-medicare-part-b-payment-limit-files-final.zip': '2026 Q4',
    '/files/zip/october-2026-ndc-hcpcs-crosswalk-final.zip': null,
    '/files/zip/2026-2027-seasonal-vaccine-price-file.zip': null,
  },
  'cms-opps': {
    '/files/zip/July-2024-addendum-b-080524.zip': '2024 Q3',
    '/files/zip/january-2026-opps-addendum-b.zip': '2026 Q1',
    '/files/zip/july-2026-opps-addendum-a.zip': null,
  },
  'cms-asc': {
    '/files/zip/2022-January-ASC-Addenda.zip': '2022 Q1',
    '/files/zip/july-2025-asc-addenda.zip': '2025 Q3',
    '/files/zip/2026-nfrm-addendum-aa-bb-dd1-dd2-ee-ff.zip': '2026 Q1',
    '/files/zip/july-2026-asc-addenda.zip': '2026 Q3',
  },
  'cms-dmepos': {
    '/files/zip/dme-21ar.zip': '2021 Q1',
    '/files/zip/dme22-b-posted-031522.zip': '2022 Q2',
    '/files/zip/dme23c.zip': '2023 Q3',
    '/files/zip/dme25-c-updated-06/30/2025.zip': '2025 Q3',
    '/files/zip/dme26.zip': '2026 Q1',
    '/files/zip/dme26-c.zip': '2026 Q3',
  },
  'zip-locality': {
    '/files/zip/zip-code-carrier-locality-file-revised-08/14/2025.zip': '2025-08-14',
    '/files/zip/zip-code-carrier-locality-file-updated-05-13-2026.zip': '2026-05-13',
  },
  'ncci-mue-practitioner': {
    '/files/zip/medicare-ncci-2026-q4-practitioner-services-mue-table.zip': '2026 Q4',
    '/files/zip/medicare-ncci-2026-q4-dme-supplier-services-mue-table.zip': null,
  },
  'ncci-ptp-practitioner': {
    '/files/zip/medicare-ncci-2026q2-practitioner-ptp-edits-ccipra-v321r0-f1.zip': '2026 Q2',
    '/files/zip/medicare-ncci-2026-q4-practitioner-ptp-edits-ccipra-v323r0-f4.zip': '2026 Q4',
    '/files/zip/medicare-ncci-2026q2-hospital-ptp-edits-ccioph-v321r0-f1.zip': null,
    '/files/zip/medicare-ncci-2026q2-practitioner-quarterly-additions-deletions-revisions-ptp.zip': null,
  },
  'cms-ipps': { '/files/zip/fy2027-ipps-fr-table-5.zip': 'FY2027' },
  'ncci-add-on': { '/files/zip/add-code-edits-medicare-effective-06012026.zip': '2026-06-01' },
}

const linked = (paths: readonly string[]): string => paths.map((path) => `<li><a href="${path}">x</a></li>`).join('')
const isOwn = (host: string): boolean => PUBLISHERS.hosts.includes(host)

test('the table has its form', () => {
  expect(PublisherFile.safeParse(PUBLISHERS).error).toBeUndefined()
})

describe.each(CHARTS.map(({ chart, perProvider }) => ({ chart, perProvider })))('$chart', ({ chart, perProvider }) => {
  const entry = PUBLISHERS.charts[chart]

  test('has a source, bounds and rows that every edition has', () => {
    expect(entry).toBeDefined()
    expect(entry?.per_provider ?? false).toBe(perProvider)
    // A list that the operator makes comes from nowhere else.
    if (perProvider || entry?.by_operator) return
    expect(isOwn(new URL(entry?.page ?? '').host)).toBe(true)
    expect(new URL(entry?.page ?? '').search).toBe('')
    expect(entry?.files?.length).toBeGreaterThan(0)
    expect(entry?.canaries.length).toBeGreaterThan(0)
    if (entry?.gate !== undefined) expect(Object.keys(PUBLISHERS.gates)).toContain(entry.gate)
    if (entry?.beside !== undefined) expect(PUBLISHERS.charts[entry.beside]?.page).toBeDefined()
  })

  test('knows the links that its publisher has used, and no others', () => {
    for (const [path, edition] of Object.entries(SEEN[chart] ?? {})) {
      const { links } = editionLinks(linked([path]), 'https://www.cms.gov/page', {
        forms: entry?.files ?? [],
        gates: PUBLISHERS.gates,
        isOwn,
      })
      expect([path, links[0]?.edition ?? null]).toEqual([path, edition])
    }
  })
})

test('the later of two links of an edition is taken, and where nothing says which, none', () => {
  const forms = PUBLISHERS.charts['cms-pfs']?.files ?? []
  const editions = (...paths: string[]) =>
    editionsAmong(editionLinks(linked(paths), 'https://www.cms.gov', { forms, gates: PUBLISHERS.gates, isOwn }).links)
  const [later] = editions('/files/zip/rvu26d.zip', '/files/zip/rvu26d-updated-08-26-2026.zip')
  expect(later).toMatchObject({ links: [{ url: 'https://www.cms.gov/files/zip/rvu26d-updated-08-26-2026.zip' }] })
  expect(editions('/files/zip/rvu26d.zip', '/files/zip/rvu26d-0.zip')).toMatchObject([{ fault: 'two_links' }])
})

test('an edition in parts is taken when all are there, of its latest version', () => {
  const { files = [], parts = [] } = PUBLISHERS.charts['ncci-ptp-practitioner'] ?? {}
  const part = (version: string, number: number): string =>
    `/license/ama?file=/files/zip/medicare-ncci-2026-q4-practitioner-ptp-edits-ccipra-${version}-f${number}.zip`
  const editions = (...paths: string[]) =>
    editionsAmong(
      editionLinks(linked(paths), 'https://www.cms.gov', { forms: files, gates: PUBLISHERS.gates, isOwn }).links,
      parts,
    )
  const whole = [1, 2, 3, 4].map((number) => part('v323r0', number))
  expect(editions(...whole.slice(0, 3))).toMatchObject([{ fault: 'incomplete' }])
  const [found] = editions(...whole, part('v323r1', 1))
  expect(found?.links.map(({ url, gate }) => [url.slice(-13), gate])).toEqual(
    [1, 2, 3, 4].map((number) => [`v323r0-f${number}.zip`.slice(-13), 'ama']),
  )
})

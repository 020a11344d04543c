// The tables of bill edits, as those who look into them see them: pages, histories, coverage, exports and differences.

import { expect, test } from 'bun:test'
import type { EditsRow, Pair } from '../../src/proof/price/edit-row.ts'
import type { AnyRow } from '../../src/proof/price/row.ts'
import { type HistoryQuestion, verifyBody } from '../../src/proof/verify-lists.ts'
import { aRelease } from '../support/builders.ts'
import { testApp } from '../support/harness.ts'

const at = { effective_from: '2026-07-01', locator: [{ citation: 0, line: 7 }] }
const aLimit = (code: string, units: number): AnyRow => ({
  ...at,
  ...{ kind: 'limit', code, units, adjudication: 3, rationale: 3 },
})
const pairs = (code: string, ...edits: Pair[]): AnyRow => ({ ...at, kind: 'edits', code, edits })
const LIMITS = 'ncci-mue-practitioner'
const PAIRS = 'ncci-ptp-practitioner'

test('what was the limit of a code in each edition is proved, and that an edition has none', async () => {
  await using app = await testApp({ today: '2026-11-15' })
  const edition = (edition: string, effective_from: string, ...rows: AnyRow[]) =>
    app.publish(aRelease({ chart: LIMITS, edition, effective_from, rows }))
  await edition('MUE26Q2', '2026-04-01', aLimit('80053', 1), aLimit('99213', 1))
  await edition('MUE26Q3', '2026-07-01', aLimit('80053', 1))
  await edition('MUE26Q4', '2026-10-01', aLimit('80053', 1), aLimit('99213', 2), aLimit('99214', 1))

  const path = `/reference/history?cpt=99213&chart=${LIMITS}`
  const text = await (await app.request(path)).text()
  const { data } = JSON.parse(text) as {
    data: { edition: string; answer: { status: number; row?: { units: number } } }[]
  }
  expect(data.map(({ edition, answer: { status, row } }) => [edition, status, row?.units])).toEqual([
    ['MUE26Q4', 200, 2],
    ['MUE26Q3', 404, undefined],
    ['MUE26Q2', 200, 1],
  ])
  const asked = { history: { cpt: '99213', chart: LIMITS } }
  expect(await verifyBody(text, app.policy, asked)).toMatchObject({ ok: true })
  // Another code, another chart and a page that leaves an edition out are no answers.
  const told = (lie: string, question: { history: HistoryQuestion } = asked) => verifyBody(lie, app.policy, question)
  expect(await told(text, { history: { cpt: '80053', chart: LIMITS } })).toMatchObject({ ok: false })
  expect(await told(text, { history: { cpt: '99213', chart: 'ncci-mue-dme' } })).toMatchObject({ ok: false })
  expect(await told(text, { history: { cpt: '99213' } })).toMatchObject({ ok: false })
  const other = await (await app.request(`/reference/history?cpt=80053&chart=${LIMITS}`)).text()
  const [mine, its] = [JSON.parse(text), JSON.parse(other)] as { data: object[] }[]
  expect(await told(JSON.stringify({ ...mine, data: its?.data }))).toMatchObject({ ok: false })
  const silent = {
    ...mine,
    data: mine?.data.map((each, i) => (i === 0 ? { ...each, ...{ answer: data[1]?.answer } } : each)),
  }
  expect(await told(JSON.stringify(silent))).toMatchObject({ ok: false })

  expect(await app.getJson(`${path}&proof=ref`)).toMatchObject({ data: [{ answer: { row: { units: 2 } } }, {}, {}] })
  for (const [refused, why] of [
    [`${path}&region=CA`, 'only a code'],
    ['/reference/history?cpt=99213&chart=cms-pfs', 'only a chart of bill edits'],
  ] as const)
    expect(await (await app.request(refused)).text()).toContain(why)
})

test('the pairs of a code are one row of a page, which proves that it has no others', async () => {
  await using app = await testApp({ today: '2026-08-15' })
  const many = Array.from({ length: 1_100 }, (_, i): Pair => [String(20_000 + i), 1, '2020-01-01', null, 1])
  const rows = [pairs('11010', ...many), pairs('80053', ['80048', 0, '2019-01-01', null, 11])]
  const release_id = await app.publish(
    aRelease({ chart: PAIRS, edition: 'PTP26Q3', effective_from: '2026-07-01', rows }),
  )
  const headers = await app.railsHeaders(['registry:read'])
  const pageOf = async (query: string) => {
    const text = await (await app.request(`/api/registry?${query}`, { headers })).text()
    const verdict = await verifyBody(text, app.policy, { page: { ...asked(query), as_of: '2026-08-15' } })
    return { data: (JSON.parse(text) as { data: EditsRow[] }).data, verdict }
  }
  const asked = (query: string) => Object.fromEntries(new URLSearchParams(query))
  for (const query of [`chart=${PAIRS}`, `chart=${PAIRS}&cpt=11010`]) {
    const { data, verdict } = await pageOf(query)
    expect([query, data[0]?.edits.length, verdict.ok]).toEqual([query, 1_100, true])
  }
  // A page for a place or a hospital has no edits.
  expect((await pageOf('region=CA')).data).toEqual([])
  expect(await app.getJson(`/api/coverage?chart=${PAIRS}&cpt=80053`)).toMatchObject({
    data: [{ rows: 2, about: { code: { rows: 1, prices: 0 } } }],
  })
  expect(typeof release_id).toBe('string')
})

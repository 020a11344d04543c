import { expect, test } from 'bun:test'
import { codeIn, factsOf } from './charts.ts'
import { isLostSources } from './lost-source.ts'
import { compareAmounts } from './money.ts'
import {
  isManifest,
  isMove,
  isPeriod,
  isState,
  isWithdrawal,
  MOVE_SCHEMA,
  PERIOD_SOURCES,
  RELEASE_SCHEMA,
  STATE_SCHEMA,
  WITHDRAWAL_SCHEMA,
} from './release.ts'

const NPI = '1234567893'
const HASH = `${'A'.repeat(43)}=`
const AT = '2026-01-01T00:00:00.000Z'

const manifest = {
  schema: RELEASE_SCHEMA,
  release_id: 'cms-pfs:RVU26A:1',
  chart: 'cms-pfs',
  edition: 'RVU26A',
  publisher: 'CMS',
  effective_from: '2026-01-01',
  effective_to: '2026-12-31',
  period_by: PERIOD_SOURCES[0],
  citations: [
    {
      title: 'A file',
      url: 'https://example.com/a.zip',
      file: 'a.zip',
      sha256: '0'.repeat(64),
      bytes: 1,
      media_type: 'application/zip',
      retrieved_at: AT,
    },
  ],
  row_count: 1,
  rows_root: HASH,
  unreadable_lines: 0,
  rejected_count: 0,
  data_class: 'sample',
  supersedes: 'cms-pfs:RVU26A:0',
  recorded_at: AT,
}
const hospital = {
  ...manifest,
  chart: `hospital-mrf:${NPI}`,
  release_id: `hospital-mrf:${NPI}:RVU26A:1`,
  providers: [NPI],
  overrides: [{ rule: 'a_rule', reason: 'a_reason' }],
}
const lost = [{ release_id: 'cms-pfs:RVU26A:1', sha256: '0'.repeat(64), state: 'gone', since: AT }]

/** Copies of a value, each with one text changed. */
function* withTexts(value: unknown, change: (text: string) => string): Generator<unknown> {
  if (typeof value === 'string') yield change(value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value))
    for (const changed of withTexts(member, change))
      yield Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed }
}

test('no text of an entry may have anything before or after it', () => {
  const checks: [(value: unknown) => boolean, unknown][] = [
    [isManifest, manifest],
    [isManifest, hospital],
    [isLostSources, lost],
    [isWithdrawal, { schema: WITHDRAWAL_SCHEMA, release_id: 'a', chart: 'a', reason: 'wrong_source', recorded_at: AT }],
    [isMove, { schema: MOVE_SCHEMA, npi: NPI, chart: `hospital-mrf:${NPI}`, reason: 'a', recorded_at: AT }],
    [isPeriod, { chart: `hospital-mrf:${NPI}`, from: '2026-01-01', to: '2026-12-31', release: HASH }],
    [
      isState,
      {
        schema: STATE_SCHEMA,
        timeline_root: HASH,
        timeline_size: 1,
        providers_root: HASH,
        providers_size: 1,
        tables: 'ab'.repeat(32),
        recorded_at: AT,
      },
    ],
  ]
  for (const [isGood, value] of checks) {
    expect([value, isGood(value)]).toEqual([value, true])
    for (const change of [(text: string) => `${text}\n`, (text: string) => `\n${text}`])
      for (const changed of withTexts(value, change)) expect([changed, isGood(changed)]).toEqual([changed, false])
  }
})

test('the name of a release ends with a number that is written in one way', () => {
  for (const revision of ['0', '01', '1x', 'x1', '-1', '', '1234567890'])
    expect([revision, isManifest({ ...manifest, release_id: `cms-pfs:RVU26A:${revision}` })]).toEqual([revision, false])
  expect(isManifest({ ...manifest, release_id: 'cms-pfs:RVU26A:123456789' })).toBe(true)
})

test('only codes of anesthesia have its factor, and equal amounts are equal', () => {
  const codes = ['00100', '01999', '10100', '02000', '001000', '100100']
  const facts = factsOf('cms-anesthesia')
  expect(codes.map((code) => codeIn(facts, code))).toEqual(['00000', '00000', ...codes.slice(2)])
  expect([compareAmounts('1.00', '1.00'), compareAmounts('1.01', '1.00'), compareAmounts('1.00', '1.0001')]).toEqual([
    0, 1, -1,
  ])
})

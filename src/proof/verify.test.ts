import { expect, test } from 'bun:test'
import { toBase64, utf8 } from './bytes.ts'
import { canonical } from './canonical-json.ts'
import { aPrice as aPriceRow, aSigner, MemoryLog } from './fixture.ts'
import { formatPolicy, parsePolicy, type TrustPolicy } from './note/policy.ts'
import {
  ABSENCE_PROOF,
  type AbsenceProof,
  type CitedRow,
  type Manifest,
  type Neighbour,
  ROW_PROOF,
  type Row,
  rowKey,
  rowText,
} from './price/row.ts'
import { answersTo, type Question } from './question.ts'
import { leafHash } from './tree/merkle.ts'
import { verifyAbsence, verifyBody, verifyRow } from './verify.ts'

const signer = await aSigner('registry.example/log/registry')
const witness = await aSigner('witness.example/w1')
const plain = parsePolicy(formatPolicy([signer])) as TrustPolicy

const aPrice = (given: Partial<Row> = {}): Row =>
  aPriceRow({
    cpt: '99213',
    price: { amount: '95.19', currency: 'USD' },
    effective_from: '2026-07-01',
    derivation: { method: 'verbatim/1', inputs: { rate: '95.19' } },
    ...(given as Partial<Row & { kind: 'price' }>),
  })
const anAbsence = (given: Partial<Row> = {}): Row => {
  const { price, ...rest } = aPrice() as Row & { price: unknown }
  return { ...rest, kind: 'absence', reason: 'bundled', ...given } as Row
}

/** One release in a log of its own, with whatever proofs a server could make from it. */
class Published {
  private constructor(
    readonly rows: Row[],
    readonly release: Manifest,
    readonly log: MemoryLog,
    readonly tree: MemoryLog,
  ) {}

  static async of(given: Row[], chart = 'cms-pfs', log = new MemoryLog(signer)): Promise<Published> {
    const rows = [...given].sort((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1))
    const tree = new MemoryLog(signer).append(...rows.map((row) => utf8(rowText(row))))
    const release: Manifest = {
      schema: 'price-release/1',
      release_id: `${chart}:TEST:1`,
      chart,
      edition: 'TEST',
      publisher: 'Test publisher',
      effective_from: '2026-07-01',
      citations: [
        {
          title: 'Test file',
          url: 'https://example.com/file.csv',
          file: 'file.csv',
          sha256: 'ab'.repeat(32),
          bytes: 1,
          media_type: 'text/csv',
          retrieved_at: '2026-07-01T00:00:00Z',
        },
      ],
      row_count: rows.length,
      rows_root: toBase64(await tree.root()),
      rejected_count: 0,
      data_class: 'published',
      supersedes: null,
      recorded_at: '2026-07-01T00:00:00Z',
    }
    return new Published(rows, release, log.append(utf8(canonical(release))), tree)
  }

  async #place(index: number): Promise<Neighbour> {
    const { inclusion } = await this.tree.prove(index)
    return { row: this.rows[index] as Row, index, path: inclusion }
  }

  async #inLog(size?: number) {
    const index = this.log.leaves.findIndex(
      (hash) => toBase64(hash) === toBase64(leafHash(utf8(canonical(this.release)))),
    )
    return this.log.prove(index, size)
  }

  async cited(index: number, logSize?: number): Promise<CitedRow> {
    const { row, path } = await this.#place(index)
    const leaf_hash = toBase64(leafHash(utf8(rowText(row))))
    return {
      ...row,
      proof: {
        type: ROW_PROOF,
        row: { index, leaf_hash, path },
        release: this.release,
        log: await this.#inLog(logSize),
      },
    }
  }

  async absence(key_prefix: string, logSize?: number): Promise<AbsenceProof> {
    const after = this.rows.findIndex((row) => rowKey(row) > key_prefix)
    const right = after < 0 ? this.rows.length : after
    return {
      type: ABSENCE_PROOF,
      key_prefix,
      left: right > 0 ? await this.#place(right - 1) : null,
      right: right < this.rows.length ? await this.#place(right) : null,
      release: this.release,
      log: await this.#inLog(logSize),
    }
  }
}

const check = (body: unknown, asked?: Question, policy = plain) =>
  verifyBody(JSON.stringify(body), policy, asked && answersTo(asked))
const notOnSchedule = (absence: readonly unknown[]) => ({ type: 'x', status: 404, code: 'not_on_schedule', absence })
const codes = (...all: string[]): Row[] => all.map((cpt) => aPrice({ cpt }))

test('a row, a page and an absence say what they prove', async () => {
  const release = await Published.of([...codes('99211', '99213'), anAbsence({ cpt: '99215' })])
  const row = await release.cited(1)
  expect(await check(row)).toEqual({
    ok: true,
    rows: 1,
    absences: 0,
    entries: 0,
    refused: 0,
    proved: ['price 99213|national|||medicare_pfs|non_facility in cms-pfs:TEST:1'],
  })
  expect(await check({ data: [row, await release.cited(2)], page: {}, links: {}, as_of: '2026-07-01' })).toMatchObject({
    ok: true,
    rows: 2,
    proved: [
      'price 99213|national|||medicare_pfs|non_facility in cms-pfs:TEST:1',
      'stated absence (bundled) 99215|national|||medicare_pfs|non_facility in cms-pfs:TEST:1',
    ],
  })
  expect(await check(notOnSchedule([await release.absence('99212|national|')]))).toMatchObject({
    ok: true,
    absences: 1,
    proved: ['no row 99212|national|* in cms-pfs:TEST:1'],
  })
})

test('an empty page proves nothing, and nothing beside it passes for proved', async () => {
  const empty = { data: [], page: {}, links: {} }
  expect(await check(empty)).toEqual({ ok: false, reason: 'nothing_proved' })
  const { proof, ...bare } = await (await Published.of(codes('99213'))).cited(0)
  expect(proof).toBeDefined()
  expect(await check({ ...bare, ...empty })).toEqual({ ok: false, reason: 'row_malformed' })
  expect(await check({ ...empty, price: { amount: '1.00', currency: 'USD' } })).toEqual({
    ok: false,
    reason: 'not_recognised',
  })
})

test('a true absence beside a price that nobody proved is not recognised', async () => {
  const release = await Published.of(codes('99211', '99213'))
  const problem = notOnSchedule([await release.absence('99212|national|')])
  expect(await check({ ...problem, price: { amount: '1.00', currency: 'USD' } })).toMatchObject({ ok: false })
  expect(await check({ ...problem, row: await release.cited(0) })).toMatchObject({ ok: false })
  expect(await check({ ...problem, data: [] })).toMatchObject({ ok: false })
})

test('a problem must say what its proof says', async () => {
  const release = await Published.of([...codes('99211'), anAbsence({ cpt: '99213' })])
  const [price, bundled] = [await release.cited(0), await release.cited(1)]
  const absence = [await release.absence('99212|')]
  expect(await check({ code: 'absent_bundled', row: bundled })).toMatchObject({ ok: true, rows: 1 })
  const contradictions = [
    { code: 'absent_not_covered', row: bundled },
    { code: 'not_on_schedule', row: bundled },
    { row: bundled },
    { code: 'absent_bundled', row: price },
    { code: 'absent_undefined', row: price },
    { code: 'absent_bundled', absence },
    { code: 'unknown_provider', absence },
  ]
  for (const body of contradictions) expect(await check(body)).toEqual({ ok: false, reason: 'body_contradicts_proof' })
})

test('with the question at hand, a true answer to another one is refused', async () => {
  const release = await Published.of([...codes('99211', '99213'), aPrice({ cpt: '99213', modifier: '26' })])
  const other = { ok: false, reason: 'answers_another_question' } as const
  const row = await release.cited(2) // by bytes, a modifier stands before none
  expect(await check(row, { cpt: '99213' })).toMatchObject({ ok: true })
  expect(await check(row, { cpt: '99214' })).toEqual(other)
  expect(await check(row, { cpt: '99213', modifier: '26' })).toEqual(other)
  expect(await check(row, { cpt: '99213', region: 'US-CA-18' })).toEqual(other)
  expect(await check({ data: [row] }, { cpt: '99213' })).toMatchObject({ ok: true })
  expect(await check({ data: [row, await release.cited(0)] }, { cpt: '99213' })).toEqual({ ...other, at: 2 })

  const problem = notOnSchedule([await release.absence('99212|national|')])
  expect(await check(problem, { cpt: '99212' })).toMatchObject({ ok: true })
  expect(await check(problem, { cpt: '99213' })).toEqual(other)
  const narrow = notOnSchedule([await release.absence('99213|national||TC|')])
  expect(await check(narrow, { cpt: '99213', modifier: 'TC' })).toMatchObject({ ok: true })
  expect(await check(narrow, { cpt: '99213' })).toEqual(other)
})

test('a hospital\u2019s list does not prove that Medicare has no price', async () => {
  const hospital = await Published.of(codes('99211'), 'hospital-mrf:1234567893')
  const problem = notOnSchedule([await hospital.absence('99213|national|')])
  expect(await check(problem)).toMatchObject({ ok: true })
  expect(await check(problem, { cpt: '99213' })).toEqual({ ok: false, reason: 'answers_another_question' })
})

test('a prefix that no row could have is absent everywhere, and is refused', async () => {
  const release = await Published.of(codes('99211', '99213'))
  for (const prefix of [
    '99212|nationwide|',
    '99212x',
    '99213|national||2',
    '99213|national|||medicare_pfs|non',
    '99212',
  ])
    expect(await verifyAbsence(await release.absence(prefix), plain)).toEqual({
      ok: false,
      reason: 'key_prefix_malformed',
    })
  for (const prefix of ['99212|', '99212|US-CA-', '99213|national|||medicare_pfs|facility', '99212|national||26|'])
    expect(await verifyAbsence(await release.absence(prefix), plain)).toEqual({ ok: true })
})

test('absences of two codes, or under two checkpoints, are not one answer', async () => {
  const log = new MemoryLog(signer)
  const [pfs, clfs] = [
    await Published.of(codes('99211', '99219'), 'cms-pfs', log),
    await Published.of(codes('99211', '99219'), 'cms-clfs', log),
  ]
  const first = await pfs.absence('99213|national|')
  expect(await check(notOnSchedule([first, await clfs.absence('99213|national|')]))).toMatchObject({
    ok: true,
    absences: 2,
  })
  expect(await check(notOnSchedule([first, await clfs.absence('99214|national|')]))).toEqual({
    ok: false,
    reason: 'answers_another_question',
  })
  expect(
    await check(notOnSchedule([await pfs.absence('99213|national|', 1), await clfs.absence('99213|national|')])),
  ).toEqual({
    ok: false,
    reason: 'mixed_checkpoints',
  })
})

test('a row under a policy with witnesses needs their quorum', async () => {
  const policy = parsePolicy(formatPolicy([signer], [witness])) as TrustPolicy
  const seen = await Published.of(codes('99213'), 'cms-pfs', new MemoryLog(signer, [witness]))
  const unseen = await Published.of(codes('99213'))
  expect(await verifyRow(await seen.cited(0), policy)).toEqual({ ok: true })
  expect(await verifyRow(await unseen.cited(0), policy)).toEqual({ ok: false, reason: 'quorum_not_met' })
  expect(await check(await unseen.cited(0), undefined, policy)).toEqual({ ok: false, reason: 'quorum_not_met' })
})

test('sample data is called so in what was proved', async () => {
  const { release } = await Published.of(codes('99213'))
  const log = new MemoryLog(signer)
  const sample = { ...release, data_class: 'sample' as const }
  log.append(utf8(canonical(sample)))
  const row = await (await Published.of(codes('99213'))).cited(0)
  const cited = { ...row, proof: { ...row.proof, release: sample, log: await log.prove(0) } }
  expect(await check(cited)).toMatchObject({ ok: true, proved: [expect.stringContaining('(sample data)')] })
})

test.each([
  ['null', 'null'],
  ['a number', '1'],
  ['a list', '[]'],
  ['an empty object', '{}'],
  ['a problem without proof', '{"code":"not_on_schedule"}'],
])('%s is not recognised', async (_, text) => {
  expect(await verifyBody(text, plain)).toEqual({ ok: false, reason: 'not_recognised' })
})

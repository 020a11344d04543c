import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '../../db/db.ts'
import { firstVersion } from '../../db/fixture.ts'
import { openSqlite } from '../../db/sqlite.ts'
import { toBase64, utf8 } from '../../proof/bytes.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { GrowingTree, leafHash, nodeHash } from '../../proof/tree/merkle.ts'
import { aCase, aSoundLedger, cases, fileOf, openFigures, streamOf } from '../fixture.ts'
import { checkFigures } from '../fsck.ts'
import { releaseFigures } from '../release.ts'
import { correctOutcomes, deleteOutcomes } from './ledger.ts'
import { sealOpen } from './seal.ts'

const MONTH_MS = 31 * 86_400_000

type Figures = Awaited<ReturnType<typeof openFigures>>
const rowsOf = async (figures: Figures) =>
  figures.db.query<Record<string, unknown> & { case_ref: string; salt: Uint8Array }>(
    `SELECT o.*, s.salt FROM outcome o JOIN outcome_salt s ON s.case_ref = o.case_ref AND s.batch_id = o.batch_id
      ORDER BY o.batch_id, o.case_ref`,
  )
const saltsOf = async (figures: Figures): Promise<Map<string, string>> =>
  new Map((await rowsOf(figures)).map(({ case_ref, salt }) => [case_ref, Buffer.from(salt).toString('hex')]))
const refOf = (line: string): string => line.slice(0, 36)
const named = (lines: readonly string[]) => streamOf(`case_ref\n${lines.map(refOf).join('\n')}\n`)

/** Computes the root as the specification says, by recursion and node:crypto, without the code that is tested. */
function rootOf(leaves: readonly string[]): Buffer<ArrayBuffer> {
  const sha = (...parts: (Buffer | string)[]): Buffer<ArrayBuffer> => {
    const hash = createHash('sha256')
    for (const part of parts) hash.update(part)
    return Buffer.from(hash.digest())
  }
  if (leaves.length === 0) return sha('')
  if (leaves.length === 1) return sha(Buffer.of(0), leaves[0] as string)
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return sha(Buffer.of(1), rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)))
}

test('a tree that grows leaf by leaf has the root of RFC 9162 at every size', () => {
  const leaves = Array.from({ length: 70 }, (_, i) => `leaf ${i}`)
  const tree = new GrowingTree()
  for (const [i, leaf] of leaves.entries()) {
    expect(Buffer.from(tree.root)).toEqual(rootOf(leaves.slice(0, i)))
    tree.add(leafHash(utf8(leaf)))
  }
  expect(tree.root).toEqual(nodeHash(rootOf(leaves.slice(0, 64)), rootOf(leaves.slice(64))))
})

test('an auditor who is given the cases and their salts finds the root that every change of the release names', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await figures.import([...cases(30), ...cases(30, { recovered: '100', state: '', recurring: '1' })])
  await releaseFigures(figures.exact)
  const [seal] = await figures.db.query<{ leaves: string }>('SELECT leaves FROM release_seal')
  const [first] = JSON.parse(seal?.leaves ?? '[]') as [{ salt: string }]
  const batches = Map.groupBy(await rowsOf(figures), ({ batch_id }) => batch_id as number)
  const leaves = [
    canonical({ carried: {}, release_id: '2026-11-03.1', salt: first.salt }),
    ...[...batches].map(([batch_id, rows]) => {
      const lines = rows.map(({ salt, ...row }) =>
        [
          Buffer.from(salt).toString('hex'),
          row.case_ref,
          row['outcome_year'],
          batch_id,
          row['state'] ?? '',
          row['npi'] ?? '',
          row['closed'],
          row['settled'],
          row['recurring'],
          row['certified_mail'],
          row['recovered_50'],
        ].join(','),
      )
      return canonical({ batch_id, cases: rows.length, rows_root: toBase64(rootOf(lines)) })
    }),
  ]
  expect(leaves).toHaveLength(3)
  const page = (await figures.call('list_figure_changes')) as { data: { ledger_root: string }[] }
  expect(new Set(page.data.map(({ ledger_root }) => ledger_root))).toEqual(new Set([toBase64(rootOf(leaves))]))
})

test('every case has its own salt; correction replaces it, and deletion removes it', async () => {
  await using figures = await openFigures()
  const lines = [...aSoundLedger(), ...cases(20)]
  await figures.import(lines)
  const before = await saltsOf(figures)
  expect(new Set(before.values()).size).toBe(120)
  for (const salt of before.values()) expect(salt).toMatch(/^[0-9a-f]{32}$/)

  const corrected = lines.slice(0, 3).map((line) => aCase({ case_ref: refOf(line) }))
  await correctOutcomes(figures.db, fileOf(corrected), { now: figures.now })
  const after = await saltsOf(figures)
  const renewed = [...after].filter(([ref, salt]) => before.get(ref) !== salt).map(([ref]) => ref)
  expect(renewed.sort()).toEqual(lines.slice(0, 3).map(refOf).sort())

  await deleteOutcomes(figures.db, named(lines.slice(2, 9)), { now: figures.now })
  expect(await figures.db.query('SELECT COUNT(*) AS n FROM outcome_salt')).toEqual([{ n: 113 }])
  expect((await saltsOf(figures)).size).toBe(113)
  expect(await checkFigures(figures.db)).toEqual([])
})

test('the root reveals nothing: it changes with every release even if no case has changed', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  const roots = new Set<string>()
  for (let month = 0; month < 3; month++) {
    await releaseFigures(figures.exact)
    figures.clock.at += MONTH_MS
  }
  for (const { ledger_root } of await figures.db.query<{ ledger_root: Uint8Array }>('SELECT * FROM release_seal'))
    roots.add(toBase64(new Uint8Array(ledger_root)))
  expect(roots.size).toBe(3)
})

test('files that were imported before seals existed are sealed at the next release', async () => {
  await using figures = await openFigures()
  await figures.import(aSoundLedger())
  await figures.db.query('DELETE FROM outcome_salt')
  await figures.db.query('DELETE FROM batch_seal')
  expect(await checkFigures(figures.db)).toEqual([])
  await releaseFigures(figures.exact)
  expect((await saltsOf(figures)).size).toBe(100)
  expect(await checkFigures(figures.db)).toEqual([])
})

test('a store of the first version gets what seals need when it is opened', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'figures-'))
  const file = join(folder, 'store.db')
  const tables = async (db: Db): Promise<string[]> =>
    (await db.query<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")).map(
      ({ name }) => name,
    )
  const fresh = await openSqlite(join(folder, 'fresh.db'), { create: true })
  const whole = await tables(fresh)
  await fresh.close()
  firstVersion(file, ...IMPORTED_BEFORE)
  const opened = await openSqlite(file)
  expect(await tables(opened)).toEqual(whole)
  await opened.transaction(sealOpen)
  expect(await opened.query('SELECT batch_id, case_count FROM batch_seal')).toEqual([{ batch_id: 1, case_count: 1 }])
  expect(await checkFigures(opened)).toEqual([])
  await opened.close()
  await rm(folder, { recursive: true })
})

/** One case that a program from before seals existed has imported. */
const IMPORTED_BEFORE = [
  "INSERT INTO outcome_batch (batch_id, kind, source_digest, data_class, imported_at, case_count) VALUES (1, 'import', 'x', 'sample', 0, 1)",
  "INSERT INTO outcome (case_ref, outcome_year, batch_id, closed, settled, recurring, certified_mail, recovered_50) VALUES ('c0ffee00-0000-4000-8000-0000000000aa', 2026, 1, 1, 1, 0, 0, 20)",
]

test('fsck finds a case, a salt, a seal or a tally that was changed', async () => {
  const tamperings: [sql: string, said: RegExp, params?: unknown[]][] = [
    [
      "UPDATE outcome SET state = 'NY' WHERE case_ref = (SELECT MIN(case_ref) FROM outcome)",
      /batch 1 differ from those/,
    ],
    ['UPDATE outcome SET recurring = 1 - recurring', /batch 1 differ from those[\s\S]*tallies differ from those/],
    ['DELETE FROM outcome WHERE case_ref = (SELECT MIN(case_ref) FROM outcome)', /1 salts belong to no case/],
    ['DELETE FROM outcome_salt WHERE case_ref = (SELECT MIN(case_ref) FROM outcome)', /1 cases have no salt/],
    ['UPDATE outcome_salt SET salt = $1', /batch 1 differ from those/, [new Uint8Array(16)]],
    ['UPDATE batch_seal SET case_count = case_count + 1 WHERE batch_id = 2', /batch 2 differ from those/],
    [
      'UPDATE release_seal SET leaves = REPLACE(leaves, \'"cases":100\', \'"cases":101\')',
      /its seal differs from the root/,
    ],
    ['DELETE FROM release_seal', /its seal differs from the root/],
    ["INSERT INTO outcome_carried (metric, answer, case_count) VALUES ('w', 1, 5)", /the ledger differs from the one/],
  ]
  for (const [sql, expected, params] of tamperings) {
    await using figures = await openFigures()
    await figures.import(aSoundLedger())
    await figures.import(cases(20))
    await releaseFigures(figures.exact)
    expect(await checkFigures(figures.db)).toEqual([])
    await figures.db.query(sql, params)
    const faults = (await checkFigures(figures.db)).join('\n')
    expect([sql, expected.test(faults)]).toEqual([sql, true])
  }
})

test('fsck compares the ledger with the latest release until a case is corrected', async () => {
  await using figures = await openFigures()
  const lines = aSoundLedger()
  await figures.import(lines)
  await releaseFigures(figures.exact)
  await figures.import(cases(15))
  expect(await checkFigures(figures.db)).toEqual([])
  await deleteOutcomes(figures.db, named(lines.slice(0, 2)), { now: figures.now })
  expect(await checkFigures(figures.db)).toEqual([])
  figures.clock.at += MONTH_MS
  await releaseFigures(figures.exact)
  expect(await checkFigures(figures.db)).toEqual([])
})

import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { published, testOnPublished } from '../../../test/support/published-files.ts'
import { inlineRows, workbook, zip } from '../../files/zip-fixture.ts'
import type { EditsRow, Pair } from '../../proof/price/edit-row.ts'
import { type AnyRow, isAnyRow } from '../../proof/price/row.ts'
import { loadEdits, refusalOf, verdicts } from './fixture.ts'
import { reader as hospitals } from './pairs-outpatient.ts'
import { reader as practitioners } from './pairs-practitioner.ts'

const HEADING = [
  'A notice.\t\t\t\t\t\t',
  'Column1/Column2 Edits\t\t\t\t\t\t',
  'Column 1\tColumn 2\t*=in existence\tEffective\tDeletion\tModifier\tPTP Edit Rationale',
  '\t\tprior to 1996\tDate\tDate\t0=not allowed\t',
  '\t\t\t\t*=no data\t1=allowed\t',
  '\t\t\t\t\t9=not applicable\t',
]
/** A line: both codes, first day, last day, indicator, and the reason if it is not the usual one. */
const line = (text: string): string => {
  const [one, two, from, to, indicator, reason = 'Misuse of Column Two code with Column One code'] = text.split(' | ')
  return [one, two, '', from, to, indicator, reason].join('\t')
}
const part = (...lines: readonly string[]): string => `${[...HEADING, ...lines.map(line)].join('\r\n')}\r\n`

/** The parts of an edition, by their numbers. */
const partsOf = (texts: readonly string[], name = 'ccipra-v322r0'): Record<string, string> =>
  Object.fromEntries(texts.map((text, i) => [`${name}-f${i + 1}.txt`, text]))
const FOUR = [
  part(
    '0001A | 0591T | 20220101 | 20231231 | 1',
    '0001A | 90473 | 20260401 | 20260401 | 9',
    '10060 | 99213 | 19960101 | * | 1',
  ),
  part(
    '10060 | 99214 | 20240101 | 20240630 | 0',
    '10060 | 99214 | 20240701 | 20260630 | 0',
    '10060 | 99214 | 20260701 | * | 1',
  ),
  part(
    '58558 | G0101 | 20200101 | * | 1 | Sex-specific procedures',
    '58558 | G0102 | 20200101 | * | 1 | Gender-specific procedures',
  ),
  part('80053 | 80048 | 20190101 | * | 0 | Laboratory panel', 'G0101 | 99213 | 20200101 | 20240701 | 1'),
]
const pairsOf = (rows: readonly AnyRow[]) =>
  Object.fromEntries((rows as EditsRow[]).map(({ code, edits }) => [code, edits])) as Record<string, Pair[]>

describe('the pairs of codes', () => {
  test('of four parts are one row for each column-one code, without those that ended two years before', async () => {
    const load = await loadEdits(practitioners, partsOf(FOUR))
    expect([load.edition, load.effective_from, load.cited.length]).toEqual(['PTP26Q3', '2026-07-01', 4])
    expect(pairsOf(load.rows)).toEqual({
      '0001A': [['90473', 9, '2026-04-01', '2026-04-01', 1]],
      '10060': [
        ['99213', 1, '1996-01-01', null, 1],
        ['99214', 0, '2024-07-01', '2026-06-30', 1],
        ['99214', 1, '2026-07-01', null, 1],
      ],
      '58558': [
        ['G0101', 1, '2020-01-01', null, 12],
        ['G0102', 1, '2020-01-01', null, 12],
      ],
      '80053': [['80048', 0, '2019-01-01', null, 11]],
      G0101: [['99213', 1, '2020-01-01', '2024-07-01', 1]],
    })
    // 2022-01-01 to 2023-12-31, and one that ended on the last day that no edition of July 2026 answers for.
    expect(load.found).toEqual({ old_edit: 2 })
    // A code of two parts cites both: its first line in each.
    expect(load.rows[1]?.locator).toEqual([
      { citation: 0, line: 9 },
      { citation: 1, line: 7 },
    ])
    expect(load.rows.every(isAnyRow)).toBe(true)
    expect(verdicts(practitioners, load)).toEqual(load.rows.map(() => true))
  })

  test('are the same however the parts are given: in any order, zipped, as workbooks, with TXT in capitals', async () => {
    const whole = (await loadEdits(practitioners, partsOf(FOUR))).rows
    const named = Object.entries(partsOf(FOUR))
    const ways: Record<string, string | Uint8Array>[] = [
      Object.fromEntries(named.toReversed()),
      Object.fromEntries(named.map(([name, text]) => [name.replace('.txt', '.TXT'), text])),
      Object.fromEntries(named.map(([name, text]) => [`${name}.zip`, zip([{ name, data: text }])])),
      { 'all.zip': zip(named.map(([name, data]) => ({ name, data }))) },
      Object.fromEntries(named.map(([name, text]) => [`${name}.gz`, new Uint8Array(gzipSync(text))])),
    ]
    for (const files of ways) expect((await loadEdits(practitioners, files)).rows).toEqual(whole)
    const books = named.map(([name, text]) => {
      const cells = text.trimEnd().split('\r\n')
      return [name.replace('.txt', '.xlsx'), workbook(inlineRows(cells.map((each) => each.split('\t'))))] as const
    })
    expect(pairsOf((await loadEdits(practitioners, Object.fromEntries(books))).rows)).toEqual(pairsOf(whole))
  })

  test('are no edition where a part is missing, doubled, of another version, or of another kind', async () => {
    const named = Object.entries(partsOf(FOUR))
    const refused = (files: [string, string][], reader = practitioners): Promise<string> =>
      refusalOf(loadEdits(reader, Object.fromEntries(files)))
    expect(await refused(named.toSpliced(1, 1))).toBe('part 2 of 4 is missing: an edition is whole with all of them')
    expect(await refused(named.toSpliced(1, 3))).toContain('part 2, 3 and 4 of 4 are missing')
    const [first] = named as [[string, string]]
    expect(await refused([...named, [`a-${first[0]}`, first[1]]])).toContain('a file is too many')
    expect(await refused(named.with(3, ['ccipra-v322r1-f4.txt', FOUR[3] as string]))).toContain('of several versions')
    expect(await refused(named.with(3, ['ccipra-v321r0-f4.txt', FOUR[3] as string]))).toContain('of several versions')
    expect(await refused(named.with(3, ['part four.txt', FOUR[3] as string]))).toContain('no name of a part')
    expect(await refused(named, hospitals)).toContain('of the other kind')
    // The second part under the name of the third one, and the third under that of the second.
    const crossed = [0, 2, 1, 3].map((i, at): [string, string] => [named[at]?.[0] ?? '', FOUR[i] as string])
    expect(await refused(crossed)).toContain('a part does not begin where the one before it ends')
    expect(await refused(named.map(([name, text]) => [`mcd-${name}`, text]))).toContain('of Medicaid')
    expect(await refused(named.map(([name, text]) => [name, `${text}10060\t9921`]))).toContain('middle of a record')
  })

  test('of one file with another name are taken for a whole edition, and are dated by hand', async () => {
    const files = {
      'all-parts.txt': [FOUR[0], ...FOUR.slice(1).map((text) => text.split('\r\n').slice(6).join('\r\n'))].join(''),
    }
    expect(await refusalOf(loadEdits(practitioners, files))).toContain('--effective-from')
    const { rows, edition } = await loadEdits(practitioners, files, { effective_from: '2026-07-01' })
    expect(edition).toBe('PTP26Q3')
    expect(pairsOf(rows)).toEqual(pairsOf((await loadEdits(practitioners, partsOf(FOUR))).rows))
  })

  test('that cannot be read are counted, and one that stands there twice counts once', async () => {
    const lines = [
      '10060 | 99213 | 20200101 | * | 1',
      '10060 | 99213 | 20200101 | * | 1',
      ...['10060 | 99214 | 20200230 | * | 1', '10060 | 99214 | 20200101 | 0 | 1', '10060 | 99214 | 20200101 | * | 2'],
      ...[
        '10060 | ABC | 20200101 | * | 1',
        'ABC | 10060 | 20200101 | * | 1',
        '10060 | 99215 | 20200101 | * | 0 | A new reason',
      ],
    ]
    const { rows, found } = await loadEdits(
      practitioners,
      { 'a.txt': part(...lines) },
      { effective_from: '2026-07-01' },
    )
    expect(pairsOf(rows)).toEqual({
      '10060': [
        ['99213', 1, '2020-01-01', null, 1],
        ['99215', 0, '2020-01-01', null, 0],
      ],
    })
    expect(found).toEqual({ R09: 1, R03_field: 4, R03: 1, W12: 1 })
  })

  test('convict a row that leaves a pair out, adds one, or leaves out a file', async () => {
    const { rows, sources } = await loadEdits(practitioners, partsOf(FOUR))
    const row = rows[1] as EditsRow
    const [one = row.edits[0] as Pair, two = one, three = one] = row.edits
    const lies = [
      { ...row, edits: [one, two] },
      { ...row, edits: [one, two, three, ['99215', 0, '2020-01-01', null, 1]] },
      { ...row, edits: [one, two, ['99214', 0, '2026-07-01', null, 1]] },
      { ...row, edits: [one], locator: row.locator.slice(0, 1) },
      {
        ...row,
        locator: [
          { citation: 0, line: 8 },
          { citation: 1, line: 7 },
        ],
      },
    ] as AnyRow[]
    expect(verdicts(practitioners, { rows: lies, sources })).toEqual(lies.map(() => false))
    // Of 0001A/0591T no row is due any more; of a code that has only such pairs there is no row at all.
    expect(['0001A', '0591T', '99999'].map((code) => practitioners.finds(sources[0] as never, code))).toEqual([
      true,
      false,
      false,
    ])
  })
})

testOnPublished(
  'the first lines of the pairs of July 2026 are read as CMS wrote them',
  ['cms-ncci/ccipra-v322r0-f1.head.txt'],
  async () => {
    const found = new Map()
    const path = published('cms-ncci/ccipra-v322r0-f1.head.txt')
    expect(await refusalOf(practitioners.read([path], {}, found))).toContain('part 2, 3 and 4 of 4 are missing')
    const text = await Bun.file(path).text()
    const { rows } = await loadEdits(practitioners, { 'head.txt': text }, { effective_from: '1998-01-01' })
    const pairs = Object.values(pairsOf(rows)).flat()
    expect([rows.length > 1, pairs.length, pairs.filter(([, indicator]) => indicator === 9).length > 0]).toEqual([
      true,
      154,
      true,
    ])
  },
)

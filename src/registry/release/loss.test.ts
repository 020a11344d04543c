import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { anAbsence, aPrice, aRelease } from '../../../test/support/builders.ts'
import { storeEnvironment } from '../../../test/support/engines.ts'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { readConfig } from '../../config.ts'
import { createInstallation, openInstallation } from '../../installation.ts'
import type { Row } from '../../proof/price/row.ts'
import { checkRelease } from './check.ts'
import { lossText } from './loss.ts'
import type { Findings } from './rules.ts'
import { stage } from './staging.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const NPIS = ['1234567893', '1992999999'] as const
const code = (n: number): string => `G${1000 + n}`

/** How much of a hospital's file with these rows, the same for two providers, is lost. */
async function checked(rows: readonly Row[], findings: Findings) {
  using folder = temporaryFolder()
  const config = readConfig(await storeEnvironment(join(folder.path, 'data')))
  await createInstallation(config, { origin: 'loss.example', now: NOW }, async () => undefined)
  const { db } = await openInstallation(config)
  const forBoth = NPIS.flatMap((npi) => rows.map((row) => ({ ...row, npi })))
  const given = aRelease({ chart: `hospital-mrf:${NPIS[0]}`, rows: forBoth })
  const { release } = await stage(db, given, given.rows, findings, NOW)
  const { loss, held } = await checkRelease(db, release)
  await db.close()
  return { loss, held: held.map(({ rule }) => rule) }
}

const prices = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => aPrice({ code: code(i), basis: 'hospital_cash' }))
const lost = (n: number, rule: string, line: number): Row =>
  anAbsence({
    code: code(n),
    basis: 'hospital_cash',
    reason: rule === 'R08_min_max' ? 'withheld_conflict' : 'unreadable',
    derivation: { method: 'row-rule/1', inputs: { rule } },
    locator: [{ citation: 0, line }],
  })

test('a thousand refused lines of one price are one price lost', async () => {
  const findings: Findings = new Map([['R02', { count: 1_000, lines: [7], evaluated: 2_000 }]])
  const { loss, held } = await checked([...prices(100), lost(200, 'R02', 7)], findings)
  expect(loss).toEqual({ stated: 101, lost: 1, causes: [{ rule: 'R02', combinations: 1, lines: [7] }] })
  expect(held).toEqual([])
})

test('one refused line of a hundred prices is a loss for each of them', async () => {
  const findings: Findings = new Map([['R03_field', { count: 1, lines: [7], evaluated: 99 }]])
  const { loss, held } = await checked([...prices(98), lost(200, 'R03', 7), lost(201, 'R03', 7)], findings)
  expect(loss).toMatchObject({ stated: 100, lost: 2, causes: [{ rule: 'R03_field', combinations: 2, lines: [7] }] })
  expect(held).toEqual(['rejected_share'])
})

test('what is withheld is lost, and what the file does not state is not', async () => {
  const none = anAbsence({ code: code(300), basis: 'hospital_cash', reason: 'no_price_stated' })
  const nothing = { ...none, derivation: { method: 'no-amount/1', inputs: { rate: 'blank' } } }
  const { loss } = await checked([...prices(98), lost(200, 'R08_min_max', 9), nothing], new Map())
  expect([loss.stated, loss.lost]).toEqual([99, 1])
})

test('a line without a code counts for as much as the other lines have on average', async () => {
  const findings: Findings = new Map([
    ['R03', { count: 40, lines: [3, 4], evaluated: 1_050 }],
    ['malformed', { count: 10, lines: [5], evaluated: 1_050 }],
  ])
  // A thousand lines that can be read come to a hundred prices.
  const { loss, held } = await checked(prices(100), findings)
  expect(loss).toEqual({
    stated: 105,
    lost: 5,
    causes: [
      { rule: 'R03', combinations: 4, lines: [3, 4] },
      { rule: 'malformed', combinations: 1, lines: [5] },
    ],
  })
  expect(held).toEqual(['rejected_share'])
  expect(lossText(loss)).toEqual([
    '5 of about 105 prices in the source (4.76 %) are not in the release',
    'R03: 4 (3.81 %): the code does not have the form of a CPT or HCPCS code, first on lines 3, 4',
    'malformed: 1 (0.95 %): a record of the source cannot be read, first on line 5',
  ])
})

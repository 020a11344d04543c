// The small world that the vectors are made from: a few releases in one log, and a few changes of figures in another.
// Amounts are invented.

import { toBase64, utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { aPrice as aPriceRow, MemoryLog } from '../../src/proof/fixture.ts'
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
} from '../../src/proof/price/row.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { figures, registry } from './keys.ts'

export const feeInputs = {
  conversion_factor: '33.4009',
  malpractice_gpci: '1.000',
  malpractice_rvu: '0.09',
  practice_gpci: '1.000',
  practice_rvu: '1.46',
  work_gpci: '1.000',
  work_rvu: '1.30',
}
export const aPrice = (given: Partial<Row> | Record<string, unknown> = {}): Row =>
  aPriceRow({
    cpt: '99213',
    price: { amount: '95.19', currency: 'USD' },
    effective_from: '2026-10-01',
    derivation: { method: 'pfs-formula/1', inputs: feeInputs },
    locator: [{ citation: 0, line: 84 }],
    ...(given as Partial<Row & { kind: 'price' }>),
  })
export const aStatedAbsence = (given: Record<string, unknown> = {}): Row => {
  const { price, ...rest } = aPrice({
    derivation: { method: 'cms-status/1', inputs: { status_code: 'B' } },
    setting: null,
  }) as Row & { price: unknown }
  return { ...rest, kind: 'absence', reason: 'bundled', ...given } as Row
}

/** One release, and whatever proofs a server could make from it. */
export class Published {
  readonly rows: Row[]
  readonly tree: MemoryLog
  release!: Manifest

  private constructor(
    given: readonly Row[],
    readonly log: MemoryLog,
  ) {
    this.rows = [...given].sort((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1))
    this.tree = new MemoryLog(registry).append(...this.rows.map((row) => utf8(rowText(row))))
  }

  static async of(rows: readonly Row[], chart: string, log: MemoryLog, given: Partial<Manifest> = {}) {
    const made = new Published(rows, log)
    made.release = {
      schema: 'price-release/1',
      release_id: `${chart}:VECTORS:1`,
      chart,
      edition: 'VECTORS',
      publisher: 'A publisher',
      effective_from: '2026-10-01',
      citations: [
        {
          title: 'A schedule',
          url: 'https://vectors.example/schedule.csv',
          file: 'schedule.csv',
          sha256: 'ab'.repeat(32),
          bytes: 4096,
          media_type: 'text/csv',
          retrieved_at: '2026-09-30T00:00:00Z',
        },
      ],
      row_count: rows.length,
      rows_root: toBase64(await made.tree.root()),
      rejected_count: 0,
      data_class: 'sample',
      supersedes: null,
      recorded_at: '2026-10-01T00:00:00Z',
      ...given,
    }
    log.append(utf8(canonical(made.release)))
    return made
  }

  async place(index: number): Promise<Neighbour> {
    const { inclusion } = await this.tree.prove(index)
    return { row: this.rows[index] as Row, index, path: inclusion }
  }

  async inLog(size?: number, log = this.log) {
    const leaf = toBase64(leafHash(utf8(canonical(this.release))))
    return log.prove(
      log.leaves.findIndex((hash) => toBase64(hash) === leaf),
      size,
    )
  }

  async cited(key: string, logSize?: number): Promise<CitedRow> {
    const { row, index, path } = await this.place(this.rows.findIndex((each) => rowKey(each).startsWith(key)))
    const leaf_hash = toBase64(leafHash(utf8(rowText(row))))
    const log = await this.inLog(logSize)
    return { ...row, proof: { type: ROW_PROOF, row: { index, leaf_hash, path }, release: this.release, log } }
  }

  async absence(key_prefix: string, logSize?: number): Promise<AbsenceProof> {
    const after = this.rows.findIndex((row) => rowKey(row) > key_prefix)
    const right = after < 0 ? this.rows.length : after
    return {
      type: ABSENCE_PROOF,
      key_prefix,
      left: right > 0 ? await this.place(right - 1) : null,
      right: right < this.rows.length ? await this.place(right) : null,
      release: this.release,
      log: await this.inLog(logSize),
    }
  }
}

const log = new MemoryLog(registry)
/** Five rows, in the order of their keys: 70450, 99213 in a locality, nationally twice, and 99214 bundled. */
export const physicians = await Published.of(
  [
    aPrice({
      cpt: '70450',
      price: { amount: '91.85', currency: 'USD' },
      flags: ['opps_cap'],
      derivation: {
        method: 'pfs-formula/1',
        inputs: {
          ...feeInputs,
          work_rvu: '0.86',
          practice_rvu: '2.46',
          malpractice_rvu: '0.06',
          opps_practice_rvu: '1.84',
          opps_malpractice_rvu: '0.05',
        },
      },
    }),
    aPrice({
      region: 'US-CA-05',
      price: { amount: '113.34', currency: 'USD' },
      derivation: {
        method: 'pfs-formula/1',
        inputs: {
          ...feeInputs,
          work_gpci: '1.083',
          practice_gpci: '1.331',
          malpractice_gpci: '0.467',
          work_gpci_column: 'with_floor',
        },
      },
    }),
    aPrice(),
    aPrice({
      setting: 'facility',
      price: { amount: '65.80', currency: 'USD' },
      derivation: { method: 'pfs-formula/1', inputs: { ...feeInputs, practice_rvu: '0.58' } },
    }),
    aStatedAbsence({ cpt: '99214' }),
  ],
  'cms-pfs',
  log,
)
/** A tree of one leaf. */
export const laboratories = await Published.of(
  [
    aPrice({
      cpt: '80053',
      basis: 'medicare_clfs',
      setting: null,
      price: { amount: '10.56', currency: 'USD' },
      derivation: { method: 'verbatim/1', inputs: { rate: '00010.56' } },
    }),
  ],
  'cms-clfs',
  log,
)
export const hospital = await Published.of(
  [
    aPrice({
      cpt: '99213',
      npi: '1234567893',
      basis: 'hospital_cash',
      setting: 'outpatient',
      price: { amount: '120.00', currency: 'USD' },
      derivation: { method: 'verbatim/1', inputs: { amount: '120.00' } },
    }),
    aPrice({
      cpt: '99215',
      npi: '1234567893',
      basis: 'hospital_negotiated_low',
      setting: 'outpatient',
      price: { low: '80.00', high: '140.50', currency: 'USD' },
      derivation: { method: 'range/1', inputs: { low: '80.00', high: '140.50' } },
    }),
  ],
  'hospital-mrf:1234567893',
  log,
)
export const nothing = await Published.of([], 'empty-schedule', log)
export const registryLog = log

export const change = (seq: number, given: Record<string, unknown> = {}) => ({
  seq,
  release_id: '2026-10-06.1',
  released_at: '2026-10-06T00:00:00Z',
  metric: ['w', 'r', 'p'][seq] ?? 'savings_total',
  old: null,
  new: 0.48 + seq / 50,
  old_as_of: null,
  new_as_of: '2026-10-06T00:00:00Z',
  reason: 'initial',
  sdc_rule_version: '1.0.0',
  ...given,
})
export const figuresLog = new MemoryLog(figures).append(...[0, 1, 2].map((seq) => utf8(canonical(change(seq)))))
export const changeEntry = async (seq: number) => ({ ...change(seq), proof: { log: await figuresLog.prove(seq) } })

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { load } from '../../src/ingest/load.ts'
import type { LoadOptions } from '../../src/ingest/readers.ts'
import { type ParsedQuestion, parseQuestion, type Question } from '../../src/proof/price/question.ts'
import { chartTable } from '../../src/registry/charts.ts'
import { find } from '../../src/registry/lookup/find.ts'
import { Proofs } from '../../src/registry/lookup/proofs.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import type { TestApp } from './harness.ts'
import { naiveCsv } from './naive-table.ts'
import { published } from './published-files.ts'

// A store with published files, and the quickest way to ask it: without HTTP and without proofs.

export async function publishFiles(
  app: TestApp,
  chart: string,
  files: readonly string[],
  options: LoadOptions = {},
): Promise<string> {
  const { db, registryLog, cosign } = app.installation
  const given = { url: 'https://publisher.example/files', ...options }
  const { release } = await load(db, chart, files.map(published), given, app.clock.now)
  await publish(
    { db, log: registryLog, cosign },
    release.release_id,
    app.clock.now,
    overrideAll('verified_by_operator'),
  )
  return release.release_id
}

/** What the lookup decides: `95.19 medicare_pfs`, `absent_bundled`, or the name of another outcome. */
export async function teller(app: TestApp): Promise<(question: Question) => Promise<string>> {
  const { db, registryLog } = app.installation
  const proofs = await Proofs.at(db, registryLog, chartTable())
  return async (question) => {
    const { decision } = await find(proofs, parseQuestion(question) as ParsedQuestion)
    if (decision.outcome === 'absent') return `absent_${decision.row.reason}`
    if (decision.outcome !== 'price') return decision.outcome
    const { row, adjustment } = decision
    const stated = 'amount' in row.price ? row.price.amount : `${row.price.low} to ${row.price.high}`
    return `${adjustment?.amount ?? stated} ${row.basis}`
  }
}

export function textOf(file: string): string {
  const bytes = readFileSync(published(file))
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')
}

/** A line of a relative value file, by the columns that it has since 2026. */
export interface Values {
  cpt: string
  modifier: string
  status: string
  na: { non_facility: boolean; facility: boolean }
  bilateral: string
  assistant: string
  co_surgeon: string
  /** The values that cap the fee, as printed. */
  caps: string
  fee: (setting: Setting, indices?: readonly [number, number, number]) => string | undefined
}
export const SETTINGS = ['non_facility', 'facility'] as const
export type Setting = (typeof SETTINGS)[number]

const hundredths = (text = ''): bigint => BigInt(Math.round(Number(text) * 100))
/** Cents to dollars. */
export const dollars = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`

export function valuesIn(file: string): Values[] {
  return naiveCsv(textOf(file))
    .filter((cells) => cells.length > 31 && /^[0-9A-Z]{5}$/.test(cells[0] ?? '') && cells[0] !== 'HCPCS')
    .map((cells): Values => {
      const [work, malpractice] = [hundredths(cells[5]), hundredths(cells[10])]
      const factor = BigInt(Math.round(Number(cells[25]) * 10_000))
      return {
        cpt: cells[0] ?? '',
        modifier: cells[1] ?? '',
        status: cells[3] ?? '',
        na: { non_facility: cells[7] === 'NA', facility: cells[9] === 'NA' },
        bilateral: cells[19] ?? '',
        assistant: cells[20] ?? '',
        co_surgeon: cells[21] ?? '',
        caps: cells.slice(29, 32).join(' '),
        fee(setting, [workIndex, practiceIndex, malpracticeIndex] = [1000, 1000, 1000]) {
          const practice = hundredths(cells[setting === 'facility' ? 8 : 6])
          const cap = hundredths(cells[setting === 'facility' ? 30 : 29])
          const cents = (practiceValue: bigint, malpracticeValue: bigint): bigint => {
            const parts = work * BigInt(workIndex) + practiceValue * BigInt(practiceIndex)
            return ((parts + malpracticeValue * BigInt(malpracticeIndex)) * factor + 5_000_000n) / 10_000_000n
          }
          if (work + practice + malpractice === 0n) return undefined
          const all = [cents(practice, malpractice), ...(cap > 0n ? [cents(cap, hundredths(cells[31]))] : [])]
          return dollars(all.sort((a, b) => (a < b ? -1 : 1))[0] ?? 0n)
        },
      }
    })
}

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { readSheet } from '../../src/files/xlsx.ts'
import { load } from '../../src/ingest/load.ts'
import type { LoadOptions, Reader } from '../../src/ingest/reader.ts'
import { READERS } from '../../src/ingest/readers.ts'
import { Problem } from '../../src/problem.ts'
import { type ParsedQuestion, parseQuestion, type Question } from '../../src/proof/lookup/question.ts'
import { type AnyRow, regionOf } from '../../src/proof/price/row.ts'
import { chartTable } from '../../src/registry/charts.ts'
import { shortAnswer } from '../../src/registry/lookup/answer.ts'
import { find } from '../../src/registry/lookup/find.ts'
import { orRefusal } from '../../src/registry/lookup/line.ts'
import { Proofs } from '../../src/registry/lookup/proofs.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { type TestApp, testApp } from './harness.ts'
import { naiveCsv } from './naive-table.ts'
import { published } from './published-files.ts'

// One store with published files, and the quickest way to ask it: without HTTP and without proofs.

let opened: Promise<TestApp> | undefined
/** The store of a story. A file that several tests of it are about is loaded once. */
export const openShelf = (): Promise<TestApp> => {
  opened ??= testApp()
  return opened
}
const onShelf = new Map<string, Promise<string>>()

export async function closeShelf(): Promise<void> {
  await (await opened)?.[Symbol.asyncDispose]()
  opened = undefined
  onShelf.clear()
}

interface Shelved {
  chart: string
  /** The first has the codes. */
  files: readonly string[]
  options?: LoadOptions
  /** Rows of the others are left out: a schedule for each of fifty states is large. */
  region?: string
}

/** Loads and publishes files, as an operator does who has looked at them. */
export function shelve(given: Shelved): Promise<string> {
  const name = JSON.stringify(given)
  const known = onShelf.get(name) ?? publishedAs(given)
  onShelf.set(name, known)
  return known
}

async function publishedAs({ chart, files, options, region }: Shelved): Promise<string> {
  const { installation, clock } = await openShelf()
  const { db, registryLog, cosign } = installation
  const given = { url: 'https://publisher.example/files', ...options }
  const readers = region === undefined ? READERS : { [chart]: inRegion(READERS[chart] as Reader, region) }
  const { release } = await load(db, chart, files.map(published), given, clock.now, undefined, { readers })
  const publisher = { db, log: registryLog, cosign }
  await publish(publisher, release.release_id, clock.now, overrideAll('verified_by_operator'))
  return release.release_id
}

/** The reader as it is, with the rows of one region. */
const inRegion = (reader: Reader, region: string): Reader => ({
  ...reader,
  async read(...given) {
    const { row_total: _, ...reading } = await reader.read(...given)
    const rows = [...(reading.rows as Iterable<AnyRow>)].filter((row) => regionOf(row) === region)
    return { ...reading, rows }
  },
})

/** The decision of the lookup: `95.19 medicare_pfs`, `absent_bundled`, or the name of another outcome. */
export async function teller(): Promise<(question: Question) => Promise<string>> {
  const { db, registryLog } = (await openShelf()).installation
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

/** The advice of a lookup without a price. */
export async function hinter(): Promise<(question: Question) => string> {
  const { db, registryLog } = (await openShelf()).installation
  const proofs = await Proofs.at(db, registryLog, chartTable())
  return (question) => {
    const refused = orRefusal(() => shortAnswer(proofs, find(proofs, parseQuestion(question) as ParsedQuestion)))
    return refused instanceof Problem ? refused.hint : ''
  }
}

export function textOf(file: string): string {
  const bytes = readFileSync(published(file))
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')
}

const CODE = /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/
const clean = (cell = ''): string => cell.replaceAll(/[^!-~]|"/g, '')

/** A text with the shape of a code. */
const isCode = (text: string): boolean => CODE.test(text)

/** Lines and commas: a code stands before any text that could hold either. */
export function codesIn(file: string, column = 0): Set<string> {
  const lines = file.endsWith('.xlsx')
    ? Array.from(readSheet(readFileSync(published(file))).rows, ({ cells }) => cells)
    : textOf(file)
        .split('\n')
        .map((line) => (file.includes('.txt') ? [line.slice(0, 5)] : line.split(',')))
  return new Set(lines.map((cells) => clean(cells[column])).filter(isCode))
}

/** The codes of a file of which the release made from it says that they are not there. */
export async function missingCodes(question: Omit<Question, 'cpt'>, file: string, column?: number): Promise<string[]> {
  const tell = await teller()
  const codes = codesIn(file, column)
  if (codes.size < 20) throw new Error(`no codes are found in ${file}`)
  const missing: string[] = []
  for (const cpt of codes) {
    const said = await tell({ cpt, ...question })
    if (said === 'not_on_schedule' || said === 'no_edition') missing.push(cpt)
  }
  return missing
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

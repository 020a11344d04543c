import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { importProviders, insertProviders } from '../../src/figures/ledger/directory.ts'
import { importOutcomes } from '../../src/figures/ledger/ledger.ts'
import { openBytes } from '../../src/files/byte-stream.ts'
import { readSheet } from '../../src/files/xlsx.ts'
import { openArchiveBytes } from '../../src/files/zip.ts'
import { FUZZ_RUNS, inlineRows, numbers, workbook, zip } from '../../src/files/zip-fixture.ts'
import { reader as addOns } from '../../src/ingest/edits/add-ons.ts'
import { reader as limits } from '../../src/ingest/edits/limits-practitioner.ts'
import { reader as pairs } from '../../src/ingest/edits/pairs-practitioner.ts'
import { openHospitalFile } from '../../src/ingest/hospital/file.ts'
import type { Reader } from '../../src/ingest/reader.ts'
import { reader as anesthesia } from '../../src/ingest/schedules/anesthesia.ts'
import { reader as drugs } from '../../src/ingest/schedules/drugs.ts'
import { reader as equipment } from '../../src/ingest/schedules/equipment.ts'
import { reader as laboratory } from '../../src/ingest/schedules/laboratory.ts'
import { reader as outpatient } from '../../src/ingest/schedules/outpatient.ts'
import { physicianSchedule } from '../../src/ingest/schedules/physician.ts'
import { placesIn } from '../../src/ingest/schedules/places.ts'
import { reader as surgeryCenter } from '../../src/ingest/schedules/surgery-center.ts'
import { readSources, type Source } from '../../src/ingest/source.ts'
import { PROBLEMS, Problem } from '../../src/problem.ts'
import { utf8 } from '../../src/proof/bytes.ts'
import { verifyDerivation } from '../../src/proof/price/derivation.ts'
import { type AnyRow, isAnyRow, isOfPrices, rowKey } from '../../src/proof/price/row.ts'
import type { Findings } from '../../src/registry/release/rules.ts'
import { effort } from '../support/effort.ts'
import { forgetful, testStore } from '../support/engines.ts'
import { isLong } from '../support/long.ts'
import { outcomesFile } from '../support/outcomes.ts'
import * as files from '../support/source-files.ts'
import { mutated } from './mutation.ts'

const store = await testStore()
const { db } = store
await forgetful(db)
await insertProviders(db, ['1234567893'])
afterAll(async () => {
  await store[Symbol.asyncDispose]()
})

const words: files.Words = (_, width = 40) => 'a "b", c\u20ac'.slice(0, width)
const ROWS = 4
const at = (name: string, bytes: Uint8Array): string => {
  const path = join(store.folder, name)
  writeFileSync(path, bytes)
  return path
}

/** What was read is rows, in key order, whose amounts follow from what they say they were made of. */
function checkRows(rows: Iterable<AnyRow>): void {
  let last = ''
  for (const row of rows) {
    const key = rowKey(row)
    const follows = isAnyRow(row) && (!isOfPrices(row) || verifyDerivation(row).ok)
    if (!follows || key <= last) throw new Error(`not a row in its place: ${key}`)
    last = key
  }
}

const NAMED = { edition: 'TEST', effective_from: '2026-10-01' }
const sources = {
  rvus: at('PPRRVU.csv', utf8(files.relativeValues(words, ROWS))),
  gpci: at('GPCI.csv', utf8(files.indices(words, 2))),
  zip5: at('ZIP5.txt', utf8(files.zipCodes(words, ROWS))),
}
type Schedule = (given: Source[], options: object, rejects: Findings) => { rows: Iterable<AnyRow> }

/** Every other time the edition is left for the file to say. */
const schedule =
  (read: Schedule, name: string, ...others: string[]) =>
  async (bytes: Uint8Array, run: number): Promise<void> => {
    const given = await Promise.all([at(name, bytes), ...others].map(readSources))
    const said = run % 2 === 0 ? NAMED : {}
    checkRows(read(given.flat(), { ...said, accept: ['locality_count', 'gpci_year'] }, new Map()).rows)
  }
/** A reader that opens its files itself. */
const edits =
  (reader: Reader, name: string) =>
  async (bytes: Uint8Array, run: number): Promise<void> => {
    const { rows } = await reader.read([at(name, bytes)], run % 2 === 0 ? NAMED : {}, new Map())
    checkRows(rows as Iterable<AnyRow>)
  }
const pfs = physicianSchedule as Schedule
const clfs = laboratory.open as Schedule
const opps = outpatient.open as Schedule
const places = placesIn as Schedule

const hospital = async (bytes: Uint8Array): Promise<void> => {
  const options = { npis: ['1234567893'], effective_from: '2026-10-01' }
  const { rows, close } = await openHospitalFile(at('hospital', bytes), options, new Map())
  try {
    checkRows(rows)
  } finally {
    close()
  }
}

async function archive(bytes: Uint8Array): Promise<void> {
  const { members } = openArchiveBytes(bytes)
  for (const { unpack, stream } of members) {
    const whole = unpack(1024 ** 2)
    let streamed = 0
    for await (const chunk of stream()) streamed += chunk.length
    if (streamed !== whole.length) throw new Error('a member has two sizes')
  }
}

const sheet = `${inlineRows([
  ['HCPCS', 'RATE', 'x &amp; y'],
  ['G0101', '12.50', ''],
])}<row r="9"><c r="B9" t="s"><v>0</v></c><c r="AA9"><v>1E2</v></c></row>`
const strings = '<si><t>one</t></si>'

/** A workbook whose XML was changed, so that the checksums of the archive do not shield the reader of it. */
const inside = (rows: string[][]) => (below: (limit: number) => number) => {
  const text = rows.map((cells) => cells.join('\u0001')).join('\u0002')
  const changed = new TextDecoder().decode(mutated(utf8(text), below))
  return files.asWorkbook(
    changed.split('\u0002').map((line) => line.split('\u0001')),
    words,
  )
}

interface Parser {
  seeds: Uint8Array[]
  read(bytes: Uint8Array, run: number): unknown
  /** Another way to spoil it, taken every other time. */
  spoil?: (below: (limit: number) => number) => Uint8Array
}
const members = [
  { name: 'a/prices.csv', data: 'G0101,12.50\n'.repeat(50) },
  { name: 'b.txt', data: 'a,b\n'.repeat(9), stored: true },
]
const zipped = zip([
  { name: 'CLFS_2026_Q4.csv', data: files.asCsv(files.laboratory(words, ROWS)) },
  { name: 'readme.pdf', data: '%PDF' },
])
const PARSERS: Record<string, Parser> = {
  'PPRRVU CSV': {
    seeds: [utf8(files.relativeValues(words, ROWS))],
    read: schedule(pfs, 'PPRRVU2026_Oct.csv', sources.gpci),
  },
  'PPRRVU text': {
    seeds: [utf8(files.relativeValuesText(words, ROWS))],
    read: schedule(pfs, 'PPRRVU2026_Oct.txt', sources.gpci),
  },
  'GPCI CSV': { seeds: [utf8(files.indices(words, 2))], read: schedule(pfs, 'GPCI2026.csv', sources.rvus) },
  'GPCI text': { seeds: [utf8(files.indicesText(words, 2))], read: schedule(pfs, 'GPCI2026.txt', sources.rvus) },
  OPPSCAP: {
    seeds: [utf8(files.outpatientCap(words, ROWS))],
    read: schedule(pfs, 'OPPSCAP.csv', sources.rvus, sources.gpci),
  },
  'CLFS CSV': { seeds: [files.asCsv(files.laboratory(words, ROWS))], read: schedule(clfs, 'CLFS_2026_Q4.csv') },
  'CLFS tilde': {
    seeds: [files.laboratory(words, ROWS), files.laboratory(words, ROWS).slice(2)].map((rows) =>
      files.asDelimited(rows, '~'),
    ),
    read: schedule(clfs, 'CLFS_2026_Q4.txt'),
  },
  'CLFS workbook': {
    seeds: [files.asWorkbook(files.laboratory(words, ROWS), words)],
    read: schedule(clfs, 'CLFS_2026_Q4.xlsx'),
    spoil: inside(files.laboratory(words, ROWS)),
  },
  'CLFS in gzip and zip': {
    seeds: [new Uint8Array(gzipSync(files.asCsv(files.laboratory(words, ROWS)))), zipped],
    read: schedule(clfs, 'CLFS_2026_Q4.csv.gz'),
  },
  'OPPS CSV': { seeds: [files.asCsv(files.addendum(words, ROWS))], read: schedule(opps, 'Addendum_B_2026_Q4.csv') },
  'OPPS tab': {
    seeds: [files.asDelimited(files.addendum(words, ROWS), '\t')],
    read: schedule(opps, 'Addendum_B_2026_Q4.txt'),
  },
  'OPPS workbook': {
    seeds: [files.asWorkbook(files.addendum(words, ROWS), words)],
    read: schedule(opps, 'Addendum_B_2026_Q4.xlsx'),
    spoil: inside(files.addendum(words, ROWS)),
  },
  'OPPS conversion': {
    seeds: [files.asCsv(files.conversion(words, ROWS))],
    read: schedule(opps, 'Addendum_B_2026-10.csv'),
  },
  ASP: { seeds: [files.asCsv(files.drugLimits(words, ROWS))], read: schedule(drugs.open as Schedule, 'ASP.csv') },
  'ASC AA and BB': {
    seeds: [true, false].map((isBB) => files.asCsv(files.surgeryCenter(words, ROWS, isBB))),
    read: schedule(surgeryCenter.open as Schedule, 'Addendum.csv'),
  },
  'DMEPOS CSV': {
    seeds: [files.asCsv(files.equipment(words, 2))],
    read: schedule(equipment.open as Schedule, 'DMEPOS.csv'),
  },
  'DMEPOS workbook': {
    seeds: [files.asWorkbook(files.equipment(words, 2), words)],
    read: schedule(equipment.open as Schedule, 'DMEPOS.xlsx'),
    spoil: inside(files.equipment(words, 2)),
  },
  ANES: {
    seeds: [files.asCsv(files.anesthesia(words, 2))],
    read: schedule(anesthesia.open as Schedule, 'ANES2026.csv'),
  },
  ZIP5: { seeds: [utf8(files.zipCodes(words, ROWS))], read: schedule(places, 'ZIP5_OCT2026.txt') },
  'ZIP5 table': {
    seeds: [files.asCsv(files.zipTable(words, ROWS))],
    read: schedule(places, 'ZIP5_OCT2026.csv'),
  },
  ZIP9: {
    seeds: [utf8(files.zipExtensions(words, ROWS))],
    read: schedule(places, 'ZIP9_OCT2026.txt', sources.zip5),
  },
  'MUE CSV': {
    seeds: [files.asCsv(files.limits(words, ROWS, 'Practitioner Services'))],
    read: edits(limits, 'MCR_MUE_PractitionerServices_Eff_10-01-2026.csv'),
  },
  'MUE workbook': {
    seeds: [files.asWorkbook(files.limits(words, ROWS, 'Practitioner Services'), words)],
    read: edits(limits, 'MCR_MUE_PractitionerServices_Eff_10-01-2026.xlsx'),
    spoil: inside(files.limits(words, ROWS, 'Practitioner Services')),
  },
  'PTP text': {
    seeds: [files.asDelimited(files.pairs(words, ROWS), '\t')],
    read: edits(pairs, 'PTP26Q4.txt'),
  },
  'AOC workbook': {
    seeds: [files.asWorkbook(files.addOns(words, ROWS), words)],
    read: edits(addOns, 'AOC_V2026Q4-MCR.xlsx'),
    spoil: inside(files.addOns(words, ROWS)),
  },
  providers: {
    seeds: [utf8('npi,entity_type\n1234567893,2\r\n2000000010,2\n')],
    read: async (bytes) => importProviders(db, (await openBytes(at('providers.csv', bytes))).chunks),
  },
  outcomes: {
    seeds: [utf8(outcomesFile(1, 5, ['1234567893']))],
    read: (bytes) => importOutcomes(db, new Blob([bytes as BlobPart]).stream(), { now: () => Date.UTC(2026, 10, 15) }),
  },
  'hospital tall': { seeds: [utf8(files.tall(words, ROWS))], read: hospital },
  'hospital wide': { seeds: [utf8(files.wide(words, ROWS, 3))], read: hospital },
  'hospital JSON': { seeds: [utf8(files.hospitalJson(words, ROWS))], read: hospital },
  'hospital in gzip and zip': {
    seeds: [
      new Uint8Array(gzipSync(files.tall(words, ROWS))),
      zip([{ name: 'a.csv', data: files.wide(words, ROWS, 3) }]),
    ],
    read: hospital,
  },
  'zip directory': { seeds: [zip(members), zip(members, { wide: true })], read: archive },
  workbook: {
    seeds: [workbook(sheet, { strings })],
    read: (bytes) => [...readSheet(bytes).rows],
    spoil: (below) => workbook(new TextDecoder().decode(mutated(utf8(sheet), below)), { strings }),
  },
}

test.each(Object.keys(PARSERS))(
  `${FUZZ_RUNS} mutations of a file are each read or refused by the reader, and quickly: %s`,
  async (name) => {
    const { seeds, read, spoil } = PARSERS[name] as Parser
    for (const seed of seeds) await read(seed, 0)
    const below = numbers(Bun.hash.crc32(name))
    const came = { read: 0, refused: 0, slowest: 0 }
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const bytes = spoil && below(2) === 0 ? spoil(below) : mutated(seeds[run % seeds.length] as Uint8Array, below)
      const told = (what: string, cause?: unknown): Error =>
        new Error(`run ${run} ${what}: ${Buffer.from(bytes).toString('base64')}`, { cause })
      const attempt = async (): Promise<number> => {
        const spent = effort()
        const refusal = await (async () => read(bytes, run))().then(
          () => undefined,
          (error: unknown) => error,
        )
        if (refusal !== undefined && !(refusal instanceof Problem)) throw told('crashed', refusal)
        if (refusal && (!(refusal.code in PROBLEMS) || !/^[^\r\n]{10,400}$/.test(refusal.detail)))
          throw told('was refused without a plain reason', refusal)
        if (refusal) came.refused++
        else came.read++
        return spent()
      }
      const took = await attempt()
      if (took > 1_000) throw told('took long')
      came.slowest = Math.max(came.slowest, took)
    }
    if (isLong) console.log(name, came)
    // Mutations that are always refused, or never, would show little.
    expect(came.read).toBeGreaterThan(0)
    expect(came.refused).toBeGreaterThan(0)
  },
)

import { load } from '../../../src/ingest/load.ts'
import { isNpi } from '../../../src/proof/lookup/npi.ts'
import type { Row } from '../../../src/proof/price/row.ts'
import { exportRelease } from '../../../src/registry/export/export.ts'
import { overrideAll } from '../../../src/registry/release/breaker.ts'
import { publish } from '../../../src/registry/release/publish.ts'
import { findLogged } from '../../../src/registry/store.ts'
import type { TestApp } from '../harness.ts'
import { type ChargeKey, type Combination, combinationsOf } from './combinations.ts'
import { type Comparison, compareWithRows } from './comparison.ts'
import { readHospitalFile } from './file.ts'
import { comparePayers, gatherPayers, type PayerRates } from './payer-comparison.ts'

interface LoadOptions {
  /** Set for a file that names no day, or no valid one. */
  npis?: string[]
  /** Publishes it although it is held: of a file that was made so bad that it should be. */
  override?: boolean
}

/** A file that was published, and what the second reader finds in it. */
export interface TwiceRead extends Comparison {
  npi: string
  /** The first day of the edition. */
  from: string
  /** Rows of the first provider: the others have the same. */
  rows: Row[]
  read: ReadonlyMap<ChargeKey, Combination>
  readPayers: PayerRates
  /** Rates of payers, and amounts that they have paid, in the file. */
  rates: number
}

export async function readTwice(app: TestApp, path: string, options: LoadOptions = {}): Promise<TwiceRead> {
  const { charges, torn } = readHospitalFile(path)
  const readPayers: PayerRates = new Map()
  const read = combinationsOf(gatherPayers(charges, readPayers))
  const loaded = await loadHospital(app, path, options)
  const tornCodes = new Set(torn.flatMap(({ codes }) => codes))
  const own = compareWithRows(read, loaded.rows, tornCodes)
  const ofPayers = comparePayers(readPayers, loaded.rows, tornCodes)
  const disagreements = [...own.disagreements, ...ofPayers.disagreements]
  return { ...loaded, read, readPayers, ...own, rates: ofPayers.rates, disagreements }
}

/** Loads and publishes a file as an operator does with `--publish` and no override. Throws if the file is held. */
async function loadHospital({ installation, clock }: TestApp, path: string, { npis, override }: LoadOptions) {
  const { db, registryLog, cosign } = installation
  const given = { url: 'https://hospital.example/file', ...(npis && { npis }) }
  const { release } = await load(db, 'hospital-mrf', [path], given, clock.now)
  const { release_id, effective_from: from } = release
  const overridden = override ? overrideAll('verified_by_operator') : []
  await publish({ db, log: registryLog, cosign }, release_id, clock.now, overridden)
  const logged = await findLogged(db, release_id)
  if (!logged) throw new Error(`${release_id} was published and is not there`)
  const source = { ...logged, rows_root: logged.manifest.rows_root }
  const npi = release_id.split(':')[1] ?? ''
  const rows: Row[] = []
  let rest = ''
  const decoder = new TextDecoder()
  for await (const piece of exportRelease(db, source, 'ndjson')) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.includes(npi)) rows.push(JSON.parse(line) as Row)
  }
  return { npi, from, rows: rows.filter((row) => row.npi === npi) }
}

/** A number that could be an NPI: another one for each `n` below a million. */
export function npiNumber(n: number): string {
  const digits = `199${String(n).padStart(6, '0')}`
  const check = [...'0123456789'].find((digit) => isNpi(digits + digit))
  return digits + check
}

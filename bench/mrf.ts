import { createHash } from 'node:crypto'
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Line, times } from './measure.ts'

const NPI = '1234567893'
const PAYERS = 40
/** Asked for by name, the size that hospitals really publish; among all benches, one that takes seconds. */
const MEGABYTES = process.argv.includes('mrf') ? 2_000 : 100
const CHILD = join(import.meta.dir, 'mrf-child.ts')

/** What the child says of itself: its own clock, and the most memory it ever had. */
interface Measured {
  seconds: number
  rows: number
  rss_mib: number
}

/** Hospital files of two gigabytes: how fast they are read, and in how much memory they are loaded. */
export async function hospitalFiles(): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'atr-bench-'))
  try {
    const lines: Line[] = []
    for (const [kind, name, write] of [
      ['tall CSV', `${NPI}_tall.csv`, writeTall],
      ['tall CSV of 600,000 keys in no order', `${NPI}_scattered.csv`, writeScattered],
      ['JSON', `${NPI}_prices.json`, writeJson],
    ] as const) {
      const path = join(folder, name)
      const bytes = write(path, MEGABYTES * 1e6)
      const perSecond = ({ seconds }: { seconds: number }): number => bytes / seconds / 1e6
      const parsed = measured('parse', path)
      const loaded = measured('load', path)
      const peers: [string, { seconds: number } | undefined][] = [
        ['DuckDB read_csv counting it', name.endsWith('.csv') ? await duckDb(path) : undefined],
        ['SHA-256 of it (node:crypto)', await digest(path)],
      ]
      const beside = peers
        .flatMap(([peer, figure]) => (figure ? [`${times(perSecond(parsed), perSecond(figure))} of ${peer}`] : []))
        .join(', ')
      const size = `${(bytes / 1e9).toFixed(1)} GB ${kind}`
      lines.push(
        { what: `${size}: read`, figure: `${perSecond(parsed).toFixed(0)} MB/s`, beside },
        {
          what: `${size}: read and staged, ${loaded.rows} rows`,
          figure: `${loaded.rss_mib} MiB at most`,
          beside: `${loaded.seconds.toFixed(0)} s`,
        },
      )
      rmSync(path)
    }
    return lines
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function measured(what: 'parse' | 'load', path: string): Measured {
  const { stdout, exitCode, stderr } = Bun.spawnSync([process.execPath, CHILD, what, path])
  if (exitCode !== 0) throw new Error(`the ${what} of a synthetic file failed: ${stderr}`)
  return JSON.parse(stdout.toString()) as Measured
}

async function digest(path: string): Promise<{ seconds: number }> {
  const started = performance.now()
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Uint8Array)
  hash.digest()
  return { seconds: (performance.now() - started) / 1000 }
}

interface DuckDb {
  DuckDBInstance: {
    create(path: string): Promise<{ connect(): Promise<{ run(sql: string): Promise<unknown> }> }>
  }
}

/** The peer that people who read large CSV files name first. It is not a dependency: where it is missing, so is the figure. */
async function duckDb(path: string): Promise<{ seconds: number } | undefined> {
  const name = '@duckdb/node-api'
  const found = (await import(name).catch(() => undefined)) as DuckDb | undefined
  if (!found) return undefined
  const connection = await (await found.DuckDBInstance.create(':memory:')).connect()
  const started = performance.now()
  await connection.run(`SELECT count(*) FROM read_csv('${path}', skip = 2, header = true, all_varchar = true)`)
  return { seconds: (performance.now() - started) / 1000 }
}

/** One item, the same for all payers: invented codes and amounts. */
const item = (n: number) => ({
  code: `${'AGJQ'[n % 4]}${String((n * 7919) % 4_999).padStart(4, '0')}`,
  modifier: ['', '', '25', '59', 'TC'][n % 5] as string,
  setting: n % 3 === 0 ? 'inpatient' : 'outpatient',
  gross: `${100 + (n % 9000)}.${10 + (n % 90)}`,
  cash: `${60 + (n % 5000)}.50`,
  low: `${20 + (n % 700)}.25`,
  high: `${90 + (n % 8000)}.75`,
})
const words = (n: number): string => `Invented service number ${n}, as a hospital might describe it at some length`

/** The same, where every line is another item, and more of them than are kept in memory. */
const scattered = (n: number) => {
  const key = (n * 48_271) % 599_999
  return {
    ...item(n),
    code: String(10_000 + (key % 20_000)),
    modifier: ['', '25', '26', '50', '59', 'GO', 'LT', 'QW', 'RT', 'TC'][Math.floor(key / 20_000) % 10] as string,
    setting: ['inpatient', 'outpatient', 'both'][Math.floor(key / 200_000)] as string,
  }
}

const writeTall = (path: string, size: number): number => writeCsv(path, size, item, PAYERS)
const writeScattered = (path: string, size: number): number => writeCsv(path, size, scattered, 1)

function writeCsv(path: string, size: number, itemOf: typeof item, payers: number): number {
  const head = [
    'hospital_name,last_updated_on,version,location_name,hospital_address,license_number|XX,type_2_npi,attester_name',
    `Invented,2026-04-01,3.0.0,Invented,Nowhere,1,${NPI},No one`,
    'description,code|1,code|1|type,code|2,code|2|type,modifiers,setting,drug_unit_of_measurement,drug_type_of_measurement,standard_charge|gross,standard_charge|discounted_cash,payer_name,plan_name,standard_charge|negotiated_dollar,standard_charge|negotiated_percentage,standard_charge|negotiated_algorithm,median_amount,10th_percentile,90th_percentile,count,standard_charge|min,standard_charge|max,standard_charge|methodology,additional_generic_notes',
    '',
  ].join('\n')
  return written(path, size, head, '', (n) => {
    const { code, modifier, setting, gross, cash, low, high } = itemOf(n)
    let text = ''
    for (let payer = 0; payer < payers; payer++)
      text += `"${words(n)}",${1000 + (n % 9000)},CDM,${code},HCPCS,${modifier},${setting},,,${gross},${cash},Payer number ${payer},Plan ${payer % 7},${low},,,,,,,${low},${high},fee schedule,\n`
    return text
  })
}

function writeJson(path: string, size: number): number {
  const head = '{"hospital_name":"Invented","version":"3.0.0","standard_charge_information":['
  const tail = `],"last_updated_on":"2026-04-01","type_2_npi":["${NPI}"]}`
  return written(path, size, head, tail, (n) => {
    const { code, modifier, setting, gross, cash, low, high } = item(n)
    const payers_information = Array.from({ length: PAYERS }, (_, payer) => ({
      payer_name: `Payer number ${payer}`,
      plan_name: `Plan ${payer % 7}`,
      standard_charge_dollar: Number(low),
      methodology: 'fee schedule',
    }))
    const charge = {
      setting,
      modifier_code: modifier ? [modifier] : [],
      gross_charge: Number(gross),
      discounted_cash: Number(cash),
      minimum: Number(low),
    }
    const text = JSON.stringify({
      description: words(n),
      code_information: [{ code, type: 'HCPCS' }],
      standard_charges: [{ ...charge, maximum: Number(high), payers_information }],
    })
    return n === 0 ? text : `,\n${text}`
  })
}

function written(path: string, size: number, head: string, tail: string, part: (n: number) => string): number {
  const file = openSync(path, 'w')
  let bytes = writeSync(file, head)
  for (let n = 0; bytes < size; ) {
    let text = ''
    for (const end = n + 100; n < end; n++) text += part(n)
    bytes += writeSync(file, text)
  }
  bytes += writeSync(file, tail)
  closeSync(file)
  return bytes
}

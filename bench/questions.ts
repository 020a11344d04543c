// Questions of callers in the bench. Each kind is a long list without repeats, in a mixed order that is the same in every run: what is
// asked from its beginning was never asked before, so no answer is ready.

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { NPI, PHYSICIAN, type Service, ZIP_CODES } from './service.ts'
import type { Ask } from './wrk.ts'

export interface Kind {
  name: string
  status: 200 | 404
  /** The questions `from` to `from + count`, or fewer at the end of the list. */
  asks: (from: number, count: number) => Ask[]
}

/** Days on which all editions of the bench are in force. */
const DAYS = Array.from({ length: 90 }, (_, i) => new Date(Date.UTC(2026, 6, 1 + i)).toISOString().slice(0, 10))
/** A prime that divides no list: its multiples come to each entry once. */
const STEP = 15_485_863

/** Every combination of one of each list, on each day. */
function kindOf(name: string, status: 200 | 404, lists: Record<string, readonly string[]>, rest = ''): Kind {
  const entries = Object.entries(lists)
  const combinations = entries.reduce((product, [, list]) => product * list.length, 1)
  const ask = (i: number): Ask => {
    let at = (i * STEP) % combinations
    const parts = entries.map(([parameter, list]) => {
      const value = list[at % list.length]
      at = Math.floor(at / list.length)
      return `${parameter}=${value}`
    })
    return { path: `/reference?${parts.join('&')}${rest}&as_of=${DAYS[Math.floor(i / combinations)]}` }
  }
  const left = (from: number): number => Math.max(0, combinations * DAYS.length - from)
  const asks = (from: number, count: number): Ask[] =>
    Array.from({ length: Math.min(count, left(from)) }, (_, i) => ask(from + i))
  return { name, status, asks }
}

const textOf = (file: string): string =>
  (file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file)).toString('latin1')

/** The lines of a CSV that have no quoted cells, so that commas divide them. */
const plainLines = (file: string): string[][] =>
  textOf(file)
    .split(/\r?\n/)
    .filter((line) => !line.includes('"'))
    .map((line) => line.split(',').map((cell) => cell.trim()))

const isCode = (text = ''): boolean => /^([0-9]{4}[0-9A-Z]|[A-Z][0-9]{4})$/.test(text)

/** The kinds of the table, from the published files that the service has loaded. */
export async function kindsOf({ url }: Service, hospital: string): Promise<Record<KindName, Kind>> {
  const [rvus = '', gpci = ''] = PHYSICIAN
  const lines = plainLines(rvus).filter(([cpt]) => isCode(cpt))
  // A line with quoted cells lists its code too.
  const listed = new Set(
    textOf(rvus)
      .split(/\r?\n/)
      .map((line) => line.slice(0, line.indexOf(',')).trim()),
  )
  const priced = lines.filter(
    ([, modifier, , status, , , , na, , facilityNa]) => `${modifier}${na}${facilityNa}` === '' && status === 'A',
  )
  const codesOf = (chosen: readonly string[][]): string[] => chosen.map(([cpt = '']) => cpt)
  const assisted = codesOf(priced.filter((cells) => cells[20] === '2'))
  const regions = plainLines(gpci)
    .filter(([, state, locality]) => /^[A-Z]{2}$/.test(state ?? '') && /^[0-9]{1,2}$/.test(locality ?? ''))
    .map(([, state = '', locality = '']) => `US-${state}-${locality.padStart(2, '0')}`)
  const states = Map.groupBy(regions, (region) => region.slice(3, 5))
  const [single, divided] = [true, false].map((isSingle) =>
    [...states].filter(([, localities]) => (localities.length === 1) === isSingle).map(([state]) => state),
  ) as [string[], string[]]
  const zips = textOf(ZIP_CODES)
    .split(/\r?\n/)
    .filter((line) => /^[A-Z]{2}[0-9]{5}/.test(line) && line[20] === '0')
    .map((line) => line.slice(2, 7))
  const charges = readFileSync(hospital, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { cpt: string; kind: string; modifier: string | null; setting: string })
    .filter(({ kind, modifier, setting }) => kind === 'price' && modifier === null && setting === 'outpatient')
  const unlisted = Array.from({ length: 90_000 }, (_, i) => String(10_000 + i)).filter((cpt) => !listed.has(cpt))
  const codes = codesOf(priced)
  const setting = ['facility', 'non_facility']
  const kinds = {
    plain: kindOf('plain', 200, { cpt: codes, region: regions, setting }),
    zip: kindOf('ZIP code', 200, { cpt: codes, region: zips, setting }),
    state: kindOf('state', 200, { cpt: codes, region: single, setting }),
    hospital: kindOf('hospital', 200, { cpt: [...new Set(charges.map(({ cpt }) => cpt))] }, `&npi=${NPI}`),
    modifier: kindOf('adjusting modifier', 200, { cpt: assisted, region: regions }, '&modifier=80&setting=facility'),
    absence: kindOf('absence', 404, { cpt: unlisted, region: regions }),
    refusal: kindOf('refusal', 404, { cpt: codes, region: divided, setting }),
  }
  for (const kind of Object.values(kinds)) await expectAnswers(url, kind)
  return kinds
}

export type KindName = 'plain' | 'zip' | 'state' | 'hospital' | 'modifier' | 'absence' | 'refusal'

const TRIED = 30

/** A kind whose questions are answered otherwise would be measured for what it is not. */
async function expectAnswers(url: string, { name, status, asks }: Kind): Promise<void> {
  for (const { path } of asks(0, TRIED)) {
    const answer = await fetch(url + path)
    const text = await answer.text()
    const isOther = name === 'adjusting modifier' && !text.includes('"adjustment":{')
    if (answer.status !== status || isOther)
      throw new Error(`${path}, of the kind ${name}, is answered with ${answer.status}: ${text.slice(0, 300)}`)
  }
}

/** The parameters of a question, as batches, MCP and the verifier take them. */
export const parametersOf = ({ path }: Ask): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(path.split('?')[1]))

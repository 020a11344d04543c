import { ACCEPTABLE } from '../ingest/cms/physician.ts'
import { CONVERSION_FACTOR_KINDS } from '../ingest/cms/physician-edition.ts'
import { LOAD_KINDS, type LoadOptions } from '../ingest/load.ts'
import { Problem } from '../problem.ts'
import { UsageFault } from './command.ts'
import { OVERRIDE_OPTIONS } from './overrides.ts'

export const OPTIONS = {
  edition: { type: 'string' },
  'effective-from': { type: 'string' },
  url: { type: 'string' },
  'retrieved-at': { type: 'string' },
  npi: { type: 'string', multiple: true },
  regions: { type: 'string' },
  'conversion-factor-kind': { type: 'string' },
  accept: { type: 'string', multiple: true },
  sample: { type: 'boolean', default: false },
  publish: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  ...OVERRIDE_OPTIONS,
} as const
type OptionName = keyof typeof OPTIONS

/** What `atr help load` says of them. */
export const OPTION_TEXTS: readonly [string, string][] = [
  ['--edition E', 'what the edition is called, where the file does not say'],
  ['--effective-from DAY', 'the day it takes effect, as 2026-07-01, where the file does not say'],
  ['--url URL', 'where the file is from: cited in every proof'],
  ['--retrieved-at TIME', 'when it was fetched, as 2026-07-01T00:00:00Z; now, if not given'],
  ['--npi NPI', 'hospital-mrf: whose it is, where the file does not say; may be repeated'],
  ['--regions R,R', 'cms-pfs: rows for these alone, such as national,US-CA-18'],
  ['--conversion-factor-kind K', `cms-pfs: ${CONVERSION_FACTOR_KINDS.join(' or ')}`],
  ['--accept WHAT', `cms-pfs: load in spite of it: ${ACCEPTABLE.join(', ')}; may be repeated`],
  ['--sample', 'the data is invented'],
  ['--publish', 'publishes what was staged'],
  ['--override LIMIT', 'with --publish: publishes though the breaker holds it; once for each limit'],
  ['--reason CODE', 'with --override: why, from the list in docs/spec/release-rules.md'],
  ['--json', 'prints data'],
]

export interface Said {
  edition?: string | undefined
  'effective-from'?: string | undefined
  url?: string | undefined
  'retrieved-at'?: string | undefined
  npi?: string[] | undefined
  regions?: string | undefined
  'conversion-factor-kind'?: string | undefined
  accept?: string[] | undefined
  sample: boolean
}

/** Options that mean something for one kind only. Saying one of another would do nothing, or make a second release. */
const OF_ONE_KIND: { readonly [option in OptionName]?: string } = {
  npi: 'hospital-mrf',
  regions: 'cms-pfs',
  'conversion-factor-kind': 'cms-pfs',
  accept: 'cms-pfs',
}

/** Refuses options that the kind has no use for; tables that are not releases take none but --json. */
export function checkOptions(kind: string, said: object): void {
  const given = Object.entries(said).flatMap(([name, value]) => (value === undefined || value === false ? [] : [name]))
  const stray = given.find((name) =>
    LOAD_KINDS.includes(kind) ? (OF_ONE_KIND[name as OptionName] ?? kind) !== kind : name !== 'json',
  )
  if (stray) throw new UsageFault(`--${stray} is not an option of load ${kind}`)
}

export function loadOptions(said: Said): LoadOptions {
  if (said.url !== undefined && !/^https?:\/\/[^/\s]/.test(said.url))
    throw new Problem('invalid_parameter', 'a --url begins with https:// or http://')
  return {
    edition: said.edition,
    effective_from: said['effective-from'],
    ...(said.url === undefined ? {} : { url: said.url }),
    ...(said['retrieved-at'] === undefined ? {} : { retrieved_at: said['retrieved-at'] }),
    npis: said.npi,
    regions: said.regions?.split(',').map(regionFrom),
    conversion_factor_kind: oneOf(CONVERSION_FACTOR_KINDS, 'conversion-factor-kind', said['conversion-factor-kind']),
    accept: said.accept?.flatMap((name) => oneOf(ACCEPTABLE, 'accept', name) ?? []),
    data_class: said.sample ? 'sample' : 'published',
  }
}

/** Regions are taken in any case, as in a lookup. */
const regionFrom = (text: string): string => (/^national$/i.test(text.trim()) ? 'national' : text.trim().toUpperCase())

/** A word of a list, or nothing where none was said. */
function oneOf<Word extends string>(
  words: readonly Word[],
  option: string,
  said: string | undefined,
): Word | undefined {
  const word = words.find((each) => each === said)
  if (said !== undefined && !word) throw new UsageFault(`--${option} is one of ${words.join(', ')}`)
  return word
}

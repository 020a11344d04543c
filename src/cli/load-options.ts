import { CONVERSION_FACTOR_KINDS } from '../ingest/cms-pfs-factor.ts'
import { ACCEPTABLE } from '../ingest/cms-pfs-schedule.ts'
import { LOAD_KINDS, type LoadOptions } from '../ingest/load.ts'
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

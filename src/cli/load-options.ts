import type { ParseArgsOptionsConfig } from 'node:util'
import type { LoadOptions, ReaderOption } from '../ingest/reader.ts'
import { READERS, type Readers } from '../ingest/readers.ts'
import { Problem } from '../problem.ts'
import { UsageFault } from './command.ts'
import { OVERRIDE_OPTIONS } from './overrides.ts'

/** The options of single readers, each with the kinds that take it. */
function readerOptions(readers: Readers): (ReaderOption & { kinds: string[] })[] {
  const found = new Map<string, ReaderOption & { kinds: string[] }>()
  for (const [kind, { options }] of Object.entries(readers))
    for (const option of options) {
      const known = found.get(option.name)
      if (known) known.kinds.push(kind)
      else found.set(option.name, { ...option, kinds: [kind] })
    }
  return [...found.values()]
}

const OPTIONS = {
  edition: { type: 'string' },
  'effective-from': { type: 'string' },
  'effective-to': { type: 'string' },
  url: { type: 'string', multiple: true },
  'retrieved-at': { type: 'string' },
  sample: { type: 'boolean', default: false },
  canaries: { type: 'boolean', default: false },
  publish: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  rejects: { type: 'string' },
  json: { type: 'boolean', default: false },
  ...OVERRIDE_OPTIONS,
} as const

/** The options for `parseArgs`. */
export const parseOptions = (readers: Readers = READERS): ParseArgsOptionsConfig => ({
  ...OPTIONS,
  ...Object.fromEntries(
    readerOptions(readers).map(({ name, repeatable }) => [name, { type: 'string', multiple: repeatable === true }]),
  ),
})

/** The options for `atr help load`. */
export const optionTexts = (readers: Readers = READERS): [string, string][] => [
  ['--edition E', 'the name of the edition, if the file does not say it'],
  ['--effective-from DAY', 'the first day of the edition, such as 2026-07-01, if the file does not say it'],
  [
    '--effective-to DAY',
    'the last day of the edition, in place of the one in the file or in the publisher\u2019s calendar; where it is later than that one, every answer says so',
  ],
  ['--url URL', 'the address that the files are from: every proof cites it; or once for each file, in their order'],
  ['--retrieved-at TIME', 'when the file was downloaded, such as 2026-07-01T00:00:00Z; now by default'],
  ...readerOptions(readers).map(({ name, value, kinds, meaning, repeatable }): [string, string] => [
    `--${name} ${value}`,
    `${kinds.join(', ')}: ${meaning}${repeatable ? '; may be repeated' : ''}`,
  ]),
  ['--sample', 'marks the data as invented'],
  ['--canaries', 'holds the release if it lacks rows that every edition has, as with `atr fetch`'],
  ['--dry-run', 'says what loading would say, and whether the breaker would hold the release; keeps nothing'],
  [
    '--rejects FILE',
    'writes every refused or withheld line to a new CSV file: line, rule, what follows, key; no values',
  ],
  ['--publish', 'publishes the release if the breaker allows it'],
  ['--override LIMIT', 'with --publish: publishes although this limit of the breaker is exceeded; may be repeated'],
  ['--reason CODE', 'with --override: why; docs/spec/release-rules.md lists the codes'],
  ['--json', 'prints JSON'],
]

export interface SourceArguments {
  edition?: string | undefined
  'effective-from'?: string | undefined
  'effective-to'?: string | undefined
  url?: string[] | undefined
  'retrieved-at'?: string | undefined
  sample: boolean
  canaries?: boolean
  /** The options of single readers. */
  [option: string]: string | boolean | (string | boolean)[] | undefined
}

/**
 * Refuses options of other kinds, which would do nothing, or make a second release. Tables that are not releases take only
 * --json.
 */
export function checkOptions(kind: string, values: object, readers: Readers = READERS): void {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [name],
  )
  const otherOptions = readerOptions(readers).flatMap(({ name, kinds }) => (kinds.includes(kind) ? [] : [name]))
  const isRelease = Object.hasOwn(readers, kind)
  const stray = given.find((name) => (isRelease ? otherOptions.includes(name) : name !== 'json'))
  if (stray) throw new UsageFault(`--${stray} is not an option of load ${kind}`)
}

export function loadOptions(values: SourceArguments, readers: Readers = READERS): LoadOptions {
  if (values.url?.some((url) => !/^https?:\/\/[^/\s]/.test(url)))
    throw new Problem('invalid_parameter', '--url must begin with https:// or http://')
  const options: LoadOptions = {
    edition: values.edition,
    effective_from: values['effective-from'],
    effective_to: values['effective-to'],
    ...(values.url === undefined ? {} : { url: values.url }),
    ...(values['retrieved-at'] === undefined ? {} : { retrieved_at: values['retrieved-at'] }),
    data_class: values.sample ? 'sample' : 'published',
    ...(values.canaries === undefined ? {} : { canaries: values.canaries }),
  }
  for (const option of readerOptions(readers)) Object.assign(options, parsed(option, values[option.name]))
  return options
}

function parsed({ name, words, parse }: ReaderOption, value: SourceArguments[string]): LoadOptions {
  if (value === undefined) return {}
  const texts = [value].flat().map(String)
  if (words && texts.some((text) => !words.includes(text)))
    throw new UsageFault(`--${name} must be one of ${words.join(', ')}`)
  return parse(texts)
}

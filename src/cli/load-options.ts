import type { ParseArgsOptionsConfig } from 'node:util'
import { type LoadOptions, READERS, type ReaderOption, type Readers } from '../ingest/readers.ts'
import { Problem } from '../problem.ts'
import { UsageFault } from './command.ts'
import { OVERRIDE_OPTIONS } from './overrides.ts'

/** The options that some readers have for themselves, each with the kinds that take it. */
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
  url: { type: 'string' },
  'retrieved-at': { type: 'string' },
  sample: { type: 'boolean', default: false },
  publish: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  ...OVERRIDE_OPTIONS,
} as const

/** What `parseArgs` is told. */
export const argumentsOf = (readers: Readers = READERS): ParseArgsOptionsConfig => ({
  ...OPTIONS,
  ...Object.fromEntries(
    readerOptions(readers).map(({ name, repeatable }) => [name, { type: 'string', multiple: repeatable === true }]),
  ),
})

/** What `atr help load` says of them. */
export const optionTexts = (readers: Readers = READERS): [string, string][] => [
  ['--edition E', 'what the edition is called, where the file does not say'],
  ['--effective-from DAY', 'the day it takes effect, as 2026-07-01, where the file does not say'],
  ['--effective-to DAY', 'the last day it holds, in place of what the file or the calendar of the chart says'],
  ['--url URL', 'where the file is from: cited in every proof'],
  ['--retrieved-at TIME', 'when it was fetched, as 2026-07-01T00:00:00Z; now, if not given'],
  ...readerOptions(readers).map(({ name, value, kinds, meaning, repeatable }): [string, string] => [
    `--${name} ${value}`,
    `${kinds.join(', ')}: ${meaning}${repeatable ? '; may be repeated' : ''}`,
  ]),
  ['--sample', 'the data is invented'],
  ['--publish', 'publishes what was staged'],
  ['--override LIMIT', 'with --publish: publishes though the breaker holds it; once for each limit'],
  ['--reason CODE', 'with --override: why, from the list in docs/spec/release-rules.md'],
  ['--json', 'prints data'],
]

/** The names of the options about the source, for the summary of the command. */
export const sourceOptionNames = (readers: Readers = READERS): string =>
  [
    'edition',
    'effective-from',
    'effective-to',
    'url',
    'retrieved-at',
    ...readerOptions(readers).map(({ name }) => name),
    'sample',
  ]
    .map((name) => `--${name}`)
    .join(', ')

export interface Said {
  edition?: string | undefined
  'effective-from'?: string | undefined
  'effective-to'?: string | undefined
  url?: string | undefined
  'retrieved-at'?: string | undefined
  sample: boolean
  /** The options of single readers. */
  [option: string]: string | boolean | (string | boolean)[] | undefined
}

/**
 * Refuses options that the kind has no use for: one of another kind would do nothing, or make a second release. Tables
 * that are not releases take none but --json.
 */
export function checkOptions(kind: string, said: object, readers: Readers = READERS): void {
  const given = Object.entries(said).flatMap(([name, value]) => (value === undefined || value === false ? [] : [name]))
  const ofOthers = readerOptions(readers).flatMap(({ name, kinds }) => (kinds.includes(kind) ? [] : [name]))
  const isRelease = Object.hasOwn(readers, kind)
  const stray = given.find((name) => (isRelease ? ofOthers.includes(name) : name !== 'json'))
  if (stray) throw new UsageFault(`--${stray} is not an option of load ${kind}`)
}

export function loadOptions(said: Said, readers: Readers = READERS): LoadOptions {
  if (said.url !== undefined && !/^https?:\/\/[^/\s]/.test(said.url))
    throw new Problem('invalid_parameter', 'a --url begins with https:// or http://')
  const options: LoadOptions = {
    edition: said.edition,
    effective_from: said['effective-from'],
    effective_to: said['effective-to'],
    ...(said.url === undefined ? {} : { url: said.url }),
    ...(said['retrieved-at'] === undefined ? {} : { retrieved_at: said['retrieved-at'] }),
    data_class: said.sample ? 'sample' : 'published',
  }
  for (const option of readerOptions(readers)) Object.assign(options, parsed(option, said[option.name]))
  return options
}

function parsed({ name, words, parse }: ReaderOption, said: Said[string]): LoadOptions {
  if (said === undefined) return {}
  const texts = [said].flat().map(String)
  if (words && texts.some((text) => !words.includes(text)))
    throw new UsageFault(`--${name} is one of ${words.join(', ')}`)
  return parse(texts)
}

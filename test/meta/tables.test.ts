// The tables of docs/spec/tables/ hold: their files are in order, every entry has its source, and the code has no fact of its own
// where a table has it.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import chartFile from '../../docs/spec/tables/charts.json'
import editionFile from '../../docs/spec/tables/editions.json'
import localityFile from '../../docs/spec/tables/localities.json'
import modifierFile from '../../docs/spec/tables/modifiers.json'
import otherFile from '../../docs/spec/tables/other-codes.json'
import payerFile from '../../docs/spec/tables/payers.json'
import nameFile from '../../docs/spec/tables/place-names.json'
import sideFile from '../../docs/spec/tables/place-of-service.json'
import reasonFile from '../../docs/spec/tables/reasons.json'
import { payerIdOf } from '../../src/ingest/hospital/payers.ts'
import { isDivided } from '../../src/proof/lookup/region.ts'
import { CHARTS } from '../../src/registry/charts.ts'
import { RULES } from '../../src/registry/release/rules.ts'
import { BASES, BASIS_ENTRIES, type Basis, CHART_ENTRIES, SEARCHED, SETTINGS } from '../../src/tables/charts.ts'
import { LOCALITY_ENTRIES } from '../../src/tables/localities.ts'
import { BOTH_SIDES, FACTOR_MODIFIERS, NEUTRAL_MODIFIERS } from '../../src/tables/modifiers.ts'
import { ABSENCES } from '../../src/tables/reasons.ts'
import { STATES } from '../../src/tables/states.ts'
import { ROOT, sources, text } from '../support/imports.ts'
import { tableFile, tableNames, tableText } from '../support/tables.ts'

const isSorted = (list: readonly string[]): boolean =>
  list.every((each, i) => i === 0 || (list[i - 1] as string) < each)
const keysOf = (table: object): string[] => Object.keys(table)

test.each(tableNames)('%s is laid out as every table is, an entry a line, and no name stands in it twice', (name) => {
  expect(tableFile(name)).toBe(tableText(JSON.parse(tableFile(name))))
})

test('the page of the tables has each of them', () => {
  const page = readFileSync(join(ROOT, 'docs/spec/tables.md'), 'utf8')
  const shown = [...page.matchAll(/\(tables\/([a-z-]+\.json)\)/g)].map(([, name = '']) => name)
  expect([...new Set(shown)].sort()).toEqual(tableNames)
})

test('nobody can change a table', () => {
  const tables = [
    BASES,
    BASIS_ENTRIES,
    CHART_ENTRIES,
    SEARCHED,
    LOCALITY_ENTRIES,
    BOTH_SIDES.modifiers,
    ABSENCES.bundled,
  ]
  const parts = [...tables, CHART_ENTRIES['cms-pfs'].settings, NEUTRAL_MODIFIERS.get('25'), STATES.get('CA')]
  expect(parts.filter((part) => !Object.isFrozen(part))).toEqual([])
})

describe('modifiers', () => {
  const { neutral, factor, column, whole_bill, row, not_covered, by_report, both_sides, advice } = modifierFile
  const classes = [neutral, factor, column, whole_bill, row, not_covered, by_report]
  const all: { modifier: string; source: string; advice?: string }[] = classes.flat()
  const common = {
    modifier: z.string().regex(/^[A-Z0-9]{2}$/),
    is: z.string().regex(/^[a-z][a-zM ,:-]+$/),
    source: z.string(),
  }
  const advised = z.enum(keysOf(advice))
  const rule = z.string().regex(/^[a-z-]+\/[1-9]$/)
  const factorText = z.string().regex(/^[0-9]\.[0-9]{3}$/)
  const ofCase = {
    bases: z.array(z.enum(BASES)).min(1),
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
    codes: z.array(z.string()).optional(),
    part: z.string().optional(),
  }
  const factorCase = z.strictObject({ ...ofCase, factor: factorText })
  const byIndicator = z.strictObject({
    ...ofCase,
    indicator: z.string(),
    factors: z.record(z.string().regex(/^[A-Z0-9]{1,2}$/), factorText),
  })

  test('each has what its class needs, and each class is in the order of its bytes', () => {
    z.strictObject({
      sources: z.record(z.string(), z.string()),
      neutral: z.array(z.strictObject(common)),
      factor: z.array(
        z.strictObject({
          ...common,
          rule,
          cases: z.array(z.union([factorCase, byIndicator])).min(1),
          otherwise: z.enum(['neutral', 'by_report']).optional(),
        }),
      ),
      column: z.array(
        z.strictObject({ ...common, rule, columns: z.array(z.enum(BASIS_ENTRIES.medicare_pfs.indicators)).min(1) }),
      ),
      whole_bill: z.array(z.strictObject(common)),
      row: z.array(
        z.strictObject({
          ...common,
          part: z.enum(['professional', 'technical']).optional(),
          per: z.literal('MONTH').optional(),
          advice: advised.optional(),
        }),
      ),
      not_covered: z.array(z.strictObject({ ...common, advice: advised })),
      by_report: z.array(z.strictObject({ ...common, advice: advised })),
      any_line: z.array(z.strictObject({ ...common, for: z.string().regex(/^\^.*\$$/) })),
      both_sides: z.strictObject({ modifiers: z.array(z.string()), count_as: z.string(), source: z.string() }),
      advice: z.record(z.string(), z.string()),
    }).parse(modifierFile)
    for (const list of classes as { modifier: string }[][])
      expect(isSorted(list.map(({ modifier }) => modifier))).toBe(true)
    expect(new Set(all.map(({ modifier }) => modifier)).size).toBe(all.length)
    const used = new Set(all.flatMap((each) => each.advice ?? []))
    expect([...used].sort()).toEqual(keysOf(advice))
  })

  test('a factor is decided by an indicator that rows of its basis have', () => {
    for (const { cases } of factor)
      for (const { bases, indicator } of cases as { bases: Basis[]; indicator?: string }[])
        for (const basis of indicator === undefined ? [] : bases)
          expect([basis, indicator, BASIS_ENTRIES[basis].indicators.includes(indicator as string)]).toEqual([
            basis,
            indicator,
            true,
          ])
  })

  test('each names its source: a manual of CMS by chapter and section, a law, or the schedule that has it', () => {
    const cited =
      /^((?<manual>[A-Z]+) [0-9I][0-9A-Za-z.()]*( addendum, PC\/TC)?|42 CFR [0-9.]+|[0-9]+ FR [0-9]+|DMEPOS fee schedule, MOD|HCPCS level II)$/
    const named = [both_sides, ...all].flatMap(({ source }) => source.split(/, (?=[A-Z]+ [0-9])/))
    expect(named.filter((source) => !cited.test(source))).toEqual([])
    const used = new Set(named.flatMap((source) => cited.exec(source)?.groups?.['manual'] ?? []))
    expect([...used, 'HCPCS'].sort()).toEqual(keysOf(modifierFile.sources))
  })

  test('both sides of the body change nothing alone, and together are one that changes the amount', () => {
    expect(BOTH_SIDES.modifiers.filter((side) => !NEUTRAL_MODIFIERS.has(side))).toEqual([])
    expect(FACTOR_MODIFIERS.has(BOTH_SIDES.count_as)).toBe(true)
  })
})

/** Two characters that look like a modifier and are none, or that show a caller how one is written, by file. */
const NO_MODIFIERS: Readonly<Record<string, readonly [words: string, why: string]>> = {
  'ingest/hospital/line-codes.ts': ['MS RC', 'types of codes: MS-DRG, revenue code'],
  'ingest/schedules/physician-lines.ts': ['CO PC', 'words of the header of a file'],
  'proof/price/derivation.ts': ['E1 E2 F4', 'indicators of the outpatient and surgery center schedules'],
  'proof/price/row.ts': ['F2', 'a unit of drugs'],
  'registry/lookup/query.ts': ['26', 'an example'],
  'statement/claim.ts': ['77 PB', 'qualifiers of X12: the place of service, a claim that is an estimate'],
  'statement/remittance.ts': ['NU', 'a qualifier of X12: a revenue code'],
  'surfaces/check/verify-html.tsx': ['24', 'hours'],
  'surfaces/discovery/openapi-examples.ts': ['26', 'an example'],
  'surfaces/guides/guide.ts': ['26 50 TC', 'examples'],
  'surfaces/mcp/next-call.ts': ['25', 'an example'],
  'surfaces/site/layout.tsx': ['26', 'pixels'],
}

test('the code has no modifier but in the table', () => {
  // The others are in the list of CMS alone: no rule of ours is about them, and many words are two letters as they are.
  const { neutral, factor, column, whole_bill, row, not_covered } = modifierFile
  const ofManual = neutral.filter(({ source }) => source.startsWith('NCCI'))
  const known = new Set(
    [ofManual, factor, column, whole_bill, row, not_covered].flatMap((list: { modifier: string }[]) =>
      list.map(({ modifier }) => modifier),
    ),
  )
  const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
  // A text of two characters or of several such words, the name of a member, and a pattern.
  const FORMS = [
    /(['"`])([A-Z0-9]{2}(?: [A-Z0-9]{2})*)\1/g,
    /(^\s*|[{,]\s*)([A-Z0-9]{2}):/gm,
    /(\/\^\(?)([A-Z0-9]{2})\b/g,
  ]
  const found = (file: string): string[] => {
    const code = text(file).replaceAll(COMMENT, '')
    const words = FORMS.flatMap((form) => [...code.matchAll(form)].flatMap(([, , all = '']) => all.split(' ')))
    return [...new Set(words.filter((word) => known.has(word)))].sort()
  }
  // Types that are made of the OpenAPI document have its examples.
  const files = sources.filter((file) => !file.startsWith('tables/') && file !== 'client/api-types.ts')
  const standing = Object.fromEntries(
    files.flatMap((file) => (found(file).length > 0 ? [[file, found(file).join(' ')]] : [])),
  )
  expect(standing).toEqual(Object.fromEntries(Object.entries(NO_MODIFIERS).map(([file, [words]]) => [file, words])))
})

test('each payer has an id and words of its own, in the form that names are brought into', () => {
  const { payers, kinds, kind_words, spellings } = payerFile
  expect(new Set(payers.map(({ payer }) => payer)).size).toBe(payers.length)
  for (const { payer, words } of payers) {
    expect(payer).toMatch(/^(?!other-)[a-z0-9-]{1,40}$/)
    for (const word of words) expect([word, payerIdOf(word, '').split('/')[0]]).toEqual([word, payer])
  }
  const named = [...payers.flatMap(({ kind }) => kind ?? []), ...kind_words.map(({ kind }) => kind)]
  expect(named.filter((kind) => !Object.hasOwn(kinds, kind))).toEqual([])
  for (const { written, means } of spellings) expect(`${written} ${means}`).toMatch(/^[a-z0-9 ]+$/)
})

describe('charts', () => {
  const entry = z.strictObject({
    bases: z.array(z.enum(BASES)),
    rows: z.enum(['place', 'hospital', 'limit', 'edits', 'add_on']).optional(),
    codes: z.array(z.enum(keysOf(chartFile.codes))).optional(),
    speaks: z.enum(['national', 'locality', 'state']),
    settings: z.array(z.enum(SETTINGS).nullable()),
    per_provider: z.literal(true).optional(),
    stand_in: z.strictObject({ for: z.string().regex(/^\^.*\$$/), as: z.string() }).optional(),
    source: z.string().regex(/^(4[25] CFR [0-9.]+|MCPM [0-9.]+|NCCI I\.[A-Z])$/),
  })
  const edition = z.strictObject({
    reader: z.string(),
    kind: z.string(),
    publisher: z.string(),
    title: z.string(),
    calendar: z.strictObject({
      next: z.enum(['quarter', 'calendar_year', 'fiscal_year', 'year_later']),
      due_before_days: z.int(),
      stale_after_days: z.int(),
      expired_after_days: z.int(),
      expired_after_days_in_new_year: z.int().optional(),
    }),
    judged_on_reading: z.array(z.enum(keysOf(RULES))),
    row_rules: z.enum(['none', 'alone', 'beside_others']),
    breaker: z
      .strictObject({
        far_move_pct: z.literal([25, 100]),
        holds_conflicts: z.boolean(),
        loss_unit: z.enum(['lines', 'combinations']),
      })
      .nullable(),
    comparable: z.strictObject({ preference: z.int(), settings: z.array(z.enum(SETTINGS).nullable()) }).nullable(),
    least_lines: z.int(),
    why: z.string().optional(),
  })

  test('each has an entry in both files, in one order, and the code has no other', () => {
    for (const each of Object.values(chartFile.charts)) expect(() => entry.parse(each)).not.toThrow()
    for (const each of Object.values(editionFile.charts)) expect(() => edition.parse(each)).not.toThrow()
    expect(keysOf(editionFile.charts)).toEqual(keysOf(chartFile.charts))
    expect(CHARTS.map(({ chart }) => chart)).toEqual(keysOf(chartFile.charts))
  })

  test('each basis belongs to one chart; schedules are listed before what a provider publishes', () => {
    const bases = Object.values(chartFile.charts).flatMap((each) => each.bases as string[])
    expect(bases.toSorted()).toEqual(keysOf(chartFile.bases).sort())
    const ofProviders = Object.values(CHART_ENTRIES).flatMap(({ bases, per_provider }) => (per_provider ? bases : []))
    expect(BASES.slice(-ofProviders.length)).toEqual([...ofProviders])
    for (const { indicators, methods } of Object.values(BASIS_ENTRIES))
      expect([new Set(indicators).size, new Set(methods).size]).toEqual([indicators.length, methods.length])
  })

  test('only schedules that have prices are searched, each once for a setting', () => {
    for (const charts of [chartFile.without_setting, ...Object.values(chartFile.settings)] as string[][]) {
      expect(new Set(charts).size).toBe(charts.length)
      const isSearched = ({ chart, perProvider, bases }: (typeof CHARTS)[number]): boolean =>
        charts.includes(chart) && !perProvider && bases.length > 0
      expect(CHARTS.filter(isSearched).length).toBe(charts.length)
    }
  })
})

test('states and localities are sorted, and a state is divided that has several', () => {
  z.strictObject({
    source: z.string(),
    states: z.array(
      z.strictObject({
        state: z.string().regex(/^[A-Z]{2}$/),
        divided: z.literal(true).optional(),
        localities_of: z.string().optional(),
      }),
    ),
    postal: z.array(z.string().regex(/^[A-Z]{2}$/)),
    localities: z.array(
      z.strictObject({
        region: z.string().regex(/^US-[A-Z]{2}-[0-9]{2}$/),
        contractor: z.string().regex(/^[0-9]{5}$/),
      }),
    ),
  }).parse(localityFile)
  const regions = LOCALITY_ENTRIES.map(({ region }) => region)
  expect([isSorted([...STATES.keys()]), isSorted(localityFile.postal), isSorted(regions)]).toEqual([true, true, true])
  for (const [state, { localities_of = state }] of STATES) {
    const count = regions.filter((region) => region.startsWith(`US-${localities_of}-`)).length
    expect([state, count > 0, count > 1]).toEqual([state, true, isDivided(state)])
  }
})

const NAME_OF_PLACE = /^[A-Z][A-Za-z. -]+$/
const inLocality = { state: z.string().regex(/^[A-Z]{2}$/), region: z.string().regex(/^US-[A-Z]{2}(-[0-9]{2})?$/) }

test('what is not priced here has a form or words, and a sentence', () => {
  const says = z.string().regex(/^[A-Z].*[^.]$/)
  z.strictObject({
    source: z.string(),
    codes: z.array(z.strictObject({ thing: z.string(), form: z.string(), says })),
    families: z.array(z.strictObject({ begins: z.string().regex(/^[A-Z][0-9]?$/), says })),
    words: z.array(z.strictObject({ words: z.array(z.string().regex(/^[a-z-]+$/)), says })),
  }).parse(otherFile)
})

test('each state has a name and the first digits of its ZIP codes', () => {
  z.strictObject({
    source: z.string(),
    states: z.array(
      z.strictObject({
        state: z.string(),
        name: z.string().regex(/^[A-Z][A-Za-z ]+$/),
        also: z.array(z.string().regex(/^[A-Z][A-Za-z ]+$/)).optional(),
        zips: z.array(z.string().regex(/^[0-9]{3}(-[0-9]{3})?$/)).min(1),
      }),
    ),
    cities: z.array(z.strictObject({ city: z.string().regex(NAME_OF_PLACE), ...inLocality })),
    counties: z.array(z.strictObject({ county: z.string().regex(NAME_OF_PLACE), ...inLocality })),
  }).parse(nameFile)
  const regions = new Set(LOCALITY_ENTRIES.map(({ region }) => region))
  for (const { state, region } of [...nameFile.cities, ...nameFile.counties])
    expect([region, isDivided(state) ? regions.has(region) : region === `US-${state}`]).toEqual([region, true])
  expect(nameFile.states.map(({ state }) => state)).toEqual([...STATES.keys()])
  for (const { zips } of nameFile.states) expect(isSorted(zips)).toBe(true)
})

test('each place of service has the rate of a professional there, and each kind of bill settings that are priced', () => {
  const setting = z.enum(SETTINGS)
  z.strictObject({
    source: z.string(),
    sources: z.record(z.string(), z.string()),
    places: z.array(
      z.strictObject({
        place: z.string().regex(/^[0-9]{2}$/),
        is: z.string().regex(/^[A-Za-z ,-]+$/),
        setting: z.enum(['facility', 'non_facility']),
        beside: z.enum(keysOf(sideFile.kinds)).optional(),
      }),
    ),
    revenue_codes: z.strictObject({ professional: z.array(z.string().regex(/^[0-9]{3}$/)), source: z.string() }),
    kinds: z.record(
      z.string(),
      z.strictObject({
        settings: z.array(setting).min(1),
        classes: z.array(z.enum(['facility', 'professional']).nullable()),
      }),
    ),
  }).parse(sideFile)
  expect(isSorted(sideFile.places.map(({ place }) => place))).toBe(true)
  expect(isSorted(sideFile.revenue_codes.professional)).toBe(true)
})

test('every reason is a word with one sentence', () => {
  for (const reasons of Object.values(reasonFile))
    for (const [reason, { says }] of Object.entries(reasons as Record<string, { says: string }>))
      expect([reason, /^[a-z_]+$/.test(reason), /^[A-Z][^.]*[^.]$/.test(says)]).toEqual([reason, true, true])
})

// Corners of the rule: what is said where no schedule decides, and which row, setting or place comes first. Beside each
// honest body stands one that says something else on the same evidence.

import type { Because, SharedRow } from '../../src/proof/price/proofs.ts'
import { rowKey } from '../../src/proof/price/row.ts'
import { ask, type Body, bad, good } from './body.ts'
import { HOSPITALS, ORDER, PLACES, SETTINGS } from './corner-cases.ts'
import { corner } from './corner-registry.ts'
import { evidenceOf } from './joined.ts'
import { honest, parsed, saying } from './lookups.ts'
import { JULY } from './registry.ts'

async function lieOf(lie: string, day: string, because: object): Promise<object> {
  const [code, ...rest] = lie.split(' ') as [string, ...string[]]
  if (code === 'no_edition_for_day') return { code, charts: rest.map((chart) => ({ chart, held: [] })), because }
  const [chart = '', key = ''] = rest
  if (chart === '') return { code, because }
  const release = corner.editionOn(chart, day)
  const index = release?.rows.findIndex((row) => rowKey(row).startsWith(key)) ?? -1
  if (!release || index < 0) throw new Error(`no row ${key}`)
  const row = await corner.cite(release, index)
  return code === 'price' ? { ...row, because } : { code, row, because }
}

const pairs = await Promise.all(
  [...ORDER, ...SETTINGS, ...PLACES, ...HOSPITALS].map(async ([name, text, says, lie]) => {
    const question = parsed(text)
    const because = await evidenceOf(corner, await honest(question, corner))
    const told = await lieOf(lie, question.as_of ?? JULY, because)
    return [
      await saying(name, text, says, corner),
      bad(`${name}, and something else is said`, told, 'answers_another_question', { asked: ask(question) }),
    ]
  }),
)

const later = await honest({ region: '60705' }, corner)
const table = corner.editionOn('zip-locality', JULY)
if (!table) throw new Error('no places')
const placeAt = (key: string) =>
  corner.cite(
    table,
    table.rows.findIndex((row) => rowKey(row) === key),
  )
const ofPart = await honest({ region: '60702-2000' }, corner)
const inParts = await honest({ region: '60702' }, corner)

/** The row after the part shows that no other part begins between it and the digits. */
const { because } = ofPart as { because: Because }
const isNext = ({ row }: SharedRow): boolean => 'zip' in row && row.zip === '60703'

export const corners: Body[] = [
  ...pairs.flat(),
  bad(
    'the line of a ZIP code that begins later',
    { ...later, place: await placeAt('60705|') },
    'answers_another_question',
    { asked: ask({ region: '60705' }) },
  ),
  bad(
    'a part of a split ZIP code',
    { ...inParts, place: await placeAt('60702|0001-5000'), because: await evidenceOf(corner, inParts) },
    'answers_another_question',
    { asked: ask({ region: '60702' }) },
  ),
  good(
    'the line of a split ZIP code',
    { ...inParts, place: await placeAt('60702|') },
    {},
    { asked: ask({ region: '60702', cpt: '99213' }) },
  ),
  bad(
    'another part of the ZIP code, which holds the digits too',
    { ...ofPart, place: await placeAt('60702|0001-5000'), because: await evidenceOf(corner, ofPart) },
    'answers_another_question',
    { asked: ask({ region: '60702-2000' }) },
  ),
  bad(
    'a part of a ZIP code without the row after it',
    { ...ofPart, because: { ...because, rows: because.rows.filter((row) => !isNext(row)) } },
    'choice_not_proved',
    { asked: ask({ region: '60702-2000' }) },
  ),
]

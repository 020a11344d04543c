import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// Names of payers and plans, by docs/spec/hospital-files.md and the table beside it: nothing of it is the product's.

interface Table {
  billing_words: string[]
  spellings: { written: string; means: string }[]
  kind_words: { kind: string; words: string[] }[]
  payers: { payer: string; words: string[]; kind?: string }[]
}

const FILE = join(import.meta.dir, '../../../docs/spec/tables/payers.json')
const TABLE = JSON.parse(readFileSync(FILE, 'utf8')) as Table

const LICENSEES = ['anthem', 'premera', 'regence', 'florida-blue', 'blue-shield-ca', 'highmark']
const ids = new Map<string, string>()

/** `aetna/commercial`, from the names as cells have them. */
export function payerIdAs(payer: string, plan: string): string {
  const names = `${payer}\n${plan}`
  const id = ids.get(names) ?? idOf(payer, plan)
  ids.set(names, id)
  return id
}

function idOf(payer: string, plan: string): string {
  const [own, ofPlan] = [readingsOf(payer), readingsOf(plan)]
  const [named, inPlan] = [own, ofPlan].map((name) =>
    TABLE.payers.find(({ words }) => words.some((each) => has(name, each))),
  )
  const isLicensee = inPlan && (inPlan.payer.startsWith('bcbs-') || LICENSEES.includes(inPlan.payer))
  const instead = inPlan && ['medicare', 'medicaid'].includes(inPlan.payer) ? undefined : inPlan
  const entry = named?.payer === 'bcbs' && isLicensee ? inPlan : (named ?? instead)
  const [kind] = [ofPlan, own].flatMap(
    (name) => TABLE.kind_words.find(({ words }) => words.some((each) => has(name, each)))?.kind ?? [],
  )
  const digest = createHash('sha256')
    .update(lettersOf(cleaned(payer)))
    .digest('hex')
  return `${entry?.payer ?? `other-${digest.slice(0, 8)}`}/${kind ?? entry?.kind ?? 'unstated'}`
}

const has = (readings: readonly string[], words: string): boolean =>
  readings.some((reading) => ` ${reading} `.includes(` ${words} `) || ` ${reading} `.includes(` ${words}s `))

const cleaned = (name: string): string =>
  [...name]
    .slice(0, 1_000)
    .join('')
    .normalize('NFKD')
    .replaceAll(/\s/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{M}]/gu, '')
    .replace(/ *\[\d+\] *$/, '')

const lettersOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replaceAll(/['\u2019`]/g, '')
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()

function readingsOf(name: string): string[] {
  const text = cleaned(name)
  const parted = text.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ')
  return [parted, text].map((each) => {
    let words = ` ${lettersOf(each)} `
    for (const billing of TABLE.billing_words)
      if (words.startsWith(` ${billing} `)) words = words.slice(billing.length + 1)
    for (const { written, means } of TABLE.spellings) words = words.split(` ${written} `).join(` ${means} `)
    return words.trim()
  })
}

import { type AnyRow, KEY_PARTS, MAX_LEAF_BYTES, type Price, type Row, rowKey, rowText } from '../../proof/price/row.ts'
import { sha256 } from '../../proof/sha256.ts'
import type { Hash } from '../../proof/tree/merkle.ts'

// A stored row is its canonical text. What is done to every one of two million of them is here, done cheaply.

const encoder = new TextEncoder()
/** The byte that RFC 6962 puts before a leaf, and room for the largest row. */
const leaf = new Uint8Array(1 + MAX_LEAF_BYTES)
const room = leaf.subarray(1)

/** As `leafHash(utf8(body))`, in one buffer for all rows. */
export function leafHashOfBody(body: string): Hash {
  const { read, written } = encoder.encodeInto(body, room)
  if (read < body.length) throw new RangeError('a row is larger than a leaf may be')
  return sha256(leaf.subarray(0, 1 + written))
}

/**
 * As `rowText`, for a row that `isRow` has passed: nothing in one needs to be escaped, and its members are known, so
 * that their order need not be found out again for each of millions.
 */
export function bodyOf(row: AnyRow): string {
  if (row.kind === 'place') return rowText(row)
  const { cpt, basis, modifier, npi, region, setting, effective_from, flags, derivation, indicators, locator } = row
  const told = row.kind === 'absence' ? '' : priceText(row.price)
  const reason = row.kind === 'absence' ? `"reason":"${row.reason}",` : ''
  return (
    `{"basis":"${basis}","class":${orNull(row.class)},"cpt":"${cpt}",` +
    `"derivation":{"inputs":{${textsOf(derivation.inputs)}},` +
    `"method":"${derivation.method}"},"effective_from":"${effective_from}",` +
    `"flags":[${flags.map((flag) => `"${flag}"`).join()}],"indicators":{${textsOf(indicators)}},"kind":"${row.kind}",` +
    `"locator":[${locator.map(({ citation, line }) => `{"citation":${citation},"line":${line}}`).join()}],` +
    `"modifier":${orNull(modifier)},"npi":${orNull(npi)},${told}${reason}"region":"${region}","setting":${orNull(setting)}}`
  )
}

/** In a key nothing is written for null. */
const orNull = (text: string | null): string => (text === null || text === '' ? 'null' : `"${text}"`)

const priceText = (price: Price): string =>
  'amount' in price
    ? `"price":{"amount":"${price.amount}","currency":"${price.currency}","per":${orNull(price.per)}},`
    : `"price":{"currency":"${price.currency}","high":"${price.high}","low":"${price.low}","per":${orNull(price.per)}},`

const textsOf = (texts: Row['indicators']): string =>
  Object.keys(texts)
    .sort()
    .map((name) => `"${name}":"${texts[name]}"`)
    .join()

/** The texts that the end of a key, from its third part on, puts into a body. There are few, and many rows of each. */
interface Marks {
  /** Before the code. */
  start: string
  modifier: string
  /** After the region. */
  end: string
}
const marksByEnding = new Map<string, Marks>()
const MAX_MARKS = 1_000

/**
 * Whether a row's text says what its key says. Canonical members are in the order of their names, so the seven that
 * make the key stand at known places; a text that is not as expected is read in full before it is called wrong.
 */
export function bodyHasKey(body: string, key: string): boolean {
  const afterCode = key.indexOf('|')
  const afterRegion = key.indexOf('|', afterCode + 1)
  const { start, modifier, end } = marksOf(key.slice(afterRegion))
  const code = key.slice(0, afterCode)
  const region = key.slice(afterCode + 1, afterRegion)
  const regionEnd = body.length - end.length
  const asExpected =
    body.startsWith(start) &&
    body.startsWith(code, start.length) &&
    body.startsWith(AFTER_CODE, start.length + code.length) &&
    body.endsWith(end) &&
    body.endsWith(region, regionEnd) &&
    body.endsWith(BEFORE_REGION, regionEnd - region.length) &&
    body.lastIndexOf(modifier) > 0
  return (asExpected && isOfParts(key)) || rowKey(JSON.parse(body) as AnyRow) === key
}

/** Whether a key has as many parts as keys have: what stands behind the last one is compared with nothing. */
function isOfParts(key: string): boolean {
  let bars = 0
  for (let at = key.indexOf('|'); at >= 0; at = key.indexOf('|', at + 1)) bars++
  return bars === KEY_PARTS.length - 1
}

const AFTER_CODE = '","derivation":{'
const BEFORE_REGION = ',"region":"'

function marksOf(ending: string): Marks {
  const known = marksByEnding.get(ending)
  if (known) return known
  const [, npi = '', modifier = '', basis = '', setting = '', billing = ''] = ending.split('|')
  const marks = {
    start: `{"basis":"${basis}","class":${orNull(billing)},"cpt":"`,
    modifier: `],"modifier":${orNull(modifier)},"npi":${orNull(npi)},"`,
    end: `","setting":${orNull(setting)}}`,
  }
  if (marksByEnding.size >= MAX_MARKS) marksByEnding.clear()
  marksByEnding.set(ending, marks)
  return marks
}

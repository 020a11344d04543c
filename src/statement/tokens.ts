// The words of a copied text: days, amounts, counts, codes, and all others, each with its place in the line.

import { isCode, isModifier } from './keep.ts'
import { codeIn } from './table.ts'
import { boxedDay, countOf, daysOf, printedAmount } from './values.ts'

export interface Token {
  text: string
  from: number
  to: number
  day?: { day: string; isRange: boolean }
  /** Six digits that may be a day, where the column says so. */
  boxed?: string
  amount?: string
  /** An amount by its sign or its cents: it is never a word of a description. */
  isMoney: boolean
  count?: string
  /** `x2`: a count by its sign. */
  isTimes: boolean
  code?: { code: string; modifiers: string[] }
  revenue?: string
  place?: string
  isModifier: boolean
  /** A cell that was left empty by a stroke. */
  isStroke: boolean
}

/** A line of a text with its words. */
export interface TextLine {
  at: number
  text: string
  tokens: readonly Token[]
}

const DAY =
  '(?:[0-9]{1,2}[/-][0-9]{1,2}[/-](?:[0-9]{4}|[0-9]{2})|[0-9]{4}-[0-9]{2}-[0-9]{2}|[A-Z][a-z]{2,8}\\.? [0-9]{1,2}(?:st|nd|rd|th)?,? [0-9]{4}|[0-9]{1,2}[ -][A-Z][a-z]{2,8}[ -][0-9]{4})'
const DAYS = new RegExp(`${DAY}(?: {0,1}[-\\u2013] {0,1}${DAY})?(?=\\s|$)`, 'y')
const MONEY = /[-\u2212]?\(?(?:\$ ?)?-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9})(?:\.[0-9]{2})?\)?-?(?: ?CR\b)?(?=\s|$)/y
const WORD = /\S+/y

/** Most characters of a line that are looked at. */
const MOST_IN_LINE = 2_000

export function tokensOf(whole: string): Token[] {
  const line = whole.slice(0, MOST_IN_LINE)
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    while (at < line.length && /\s/.test(line[at] ?? '')) at++
    if (at >= line.length) return tokens
    const text = textAt(DAYS, line, at) ?? moneyAt(line, at) ?? textAt(WORD, line, at) ?? ''
    tokens.push(tokenOf(text, at))
    at += text.length
  }
}

function textAt(pattern: RegExp, line: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(line)?.[0]
}

/** Money has a dollar sign or cents. Other numbers are words of their own. */
function moneyAt(line: string, at: number): string | undefined {
  const text = textAt(MONEY, line, at)
  return text !== undefined && /\$|\.[0-9]{2}/.test(text) ? text : undefined
}

function tokenOf(text: string, from: number): Token {
  const plain = text.replace(/^[(]|(?<![),;:])[),;:]+$/g, '')
  const day = daysOf(text)
  const boxed = /^[0-9]{6}$/.test(text) ? boxedDay(text) : undefined
  const amount = printedAmount(text)
  const isMoney = amount !== undefined && /\$|\.[0-9]{2}/.test(text)
  const times = /^[x\u00d7]([0-9]{1,4})$/i.exec(text)?.[1]
  const bare = /^[0-9]{1,4}(?:\.[0-9]{1,2})?$/.test(text) ? countOf(text) : undefined
  const count = times === undefined ? bare : countOf(times)
  const code = /^[0-9A-Z]{5}(?:-[0-9A-Z]{2})*$/i.test(plain) && isCode(plain.slice(0, 5)) ? codeIn(plain) : undefined
  const revenue = /^[0-9]{3,4}$/.test(text) ? text.padStart(4, '0') : undefined
  return {
    text,
    from,
    to: from + text.length,
    ...(day && { day }),
    ...(boxed !== undefined && { boxed }),
    ...(amount !== undefined && { amount }),
    ...(count !== undefined && { count }),
    ...(code && { code }),
    ...(revenue !== undefined && { revenue }),
    ...(/^[0-9]{2}$/.test(text) && { place: text }),
    isMoney,
    isTimes: times !== undefined,
    isModifier: isModifier(text),
    isStroke: /^(?:-{1,3}|\u2013|\u2014|n\/a)$/i.test(text),
  }
}

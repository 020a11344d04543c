// The tables of docs/spec/tables/, as texts: how a file of them is laid out.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const TABLES = join(import.meta.dir, '../../docs/spec/tables')
export const tableNames = readdirSync(TABLES).sort()
export const tableFile = (name: string): string => readFileSync(join(TABLES, name), 'utf8')

const WIDTH = 240
const isCompound = (value: unknown): value is object => typeof value === 'object' && value !== null

/** A table as its file has it: an entry is a line, so that a change of one entry is a change of one line. A long entry is broken. */
export const tableText = (table: object): string => `${laidOut(table, 0)}\n`

function laidOut(value: unknown, depth: number): string {
  if (!isCompound(value)) return JSON.stringify(value)
  const line = inLine(value)
  const isList = depth === 0 || (depth === 1 && Object.values(value).some(isCompound))
  if (!isList && line.length + 2 * depth <= WIDTH) return line
  return joined(value, (each) => laidOut(each, depth + 1), `\n${'  '.repeat(depth + 1)}`, `\n${'  '.repeat(depth)}`)
}

function inLine(value: unknown): string {
  if (!isCompound(value)) return JSON.stringify(value)
  const gap = Array.isArray(value) ? '' : ' '
  return joined(value, inLine, gap, gap, ' ')
}

function joined(value: object, text: (each: unknown) => string, first: string, last: string, between = first): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${first}${value.map(text).join(`,${between}`)}${last}]`
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${text(each)}`)
  return `{${first}${members.join(`,${between}`)}${last}}`
}

import type { BillSheet, Cell, Table } from '../browser/bill-sheet.ts'
import { blocks, bullets, markdownTable, markdownText as text } from '../site/markup.ts'

const cellText = ({ text: said, href, note }: Cell): string =>
  [href === undefined ? text(said) : `[${text(said)}](${href})`, ...(note === undefined ? [] : [text(note)])].join(' ')

const tableText = ({ caption, head, rows }: Table): string[] => [
  `## ${text(caption)}`,
  markdownTable(
    head.map(text),
    rows.map((cells) => cells.map(cellText)),
  ),
]

/** The sheet as markdown. */
export const billMarkdown = ({ summary, tables, lists, letter }: BillSheet): string =>
  blocks([
    '# Bill and reference prices',
    text(summary),
    ...tables.flatMap(tableText),
    ...lists.flatMap(({ title, items }) => [`## ${text(title)}`, bullets(items.map(text))]),
    ...(letter === '' ? [] : ['## For a letter', text(letter)]),
  ])

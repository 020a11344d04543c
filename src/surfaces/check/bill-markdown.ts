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
export const billMarkdown = ({ facts, summary, findings, tables, lists, letter, call }: BillSheet): string =>
  blocks([
    '# A bill, checked',
    bullets(facts.map(([name, said]) => `${text(name)}: ${text(said)}`)),
    text(summary),
    ...(findings.length === 0
      ? []
      : [
          '## Findings',
          bullets(
            findings.map(({ title, says, ask, sources }) =>
              [text(title), text(says), text(ask), ...sources.map((each) => `[${text(each.text)}](${each.href})`)].join(
                ' ',
              ),
            ),
          ),
        ]),
    ...tables.flatMap(tableText),
    ...lists.flatMap(({ title, items }) => [`## ${text(title)}`, bullets(items.map(text))]),
    ...(letter.length === 0
      ? []
      : ['## A letter', ...letter.map(text), '## On the telephone', bullets(call.map(text))]),
  ])

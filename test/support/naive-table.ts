import { openArchiveBytes } from '../../src/files/zip.ts'

// Readers of tables that share nothing with those of the product, to compare with: slow, and for sound files only.

/** The records of a CSV, by walking through its characters. */
export function naiveCsv(text: string): string[][] {
  const rows: string[][] = [['']]
  let quoted = false
  for (const symbol of text.replaceAll('\r\n', '\n').replaceAll('""', '\u0001')) {
    const row = rows.at(-1) as string[]
    if (symbol === '"') quoted = !quoted
    else if (symbol === ',' && !quoted) row.push('')
    else if (symbol === '\n' && !quoted) rows.push([''])
    else row[row.length - 1] += symbol
  }
  // An empty quoted cell has the same two quotes as a doubled one.
  return rows.map((row) => row.map((cell) => (cell === '\u0001' ? '' : cell.replaceAll('\u0001', '"')).trim()))
}

/** The cells of the first sheet of a workbook by their names, such as B7, by patterns over its XML. */
export function naiveSheet(bytes: Uint8Array): Map<string, string> {
  const { members } = openArchiveBytes(bytes)
  const part = (path: string): string =>
    new TextDecoder().decode(members.find((each) => each.path === path)?.unpack(2 ** 30))
  const strings = [...part('xl/sharedStrings.xml').matchAll(/<si>([\s\S]*?)<\/si>/g)].map(([, item = '']) =>
    [...item.matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, text]) => text).join(''),
  )
  const cells = new Map<string, string>()
  for (const [, at = '', more = '', value = ''] of part('xl/worksheets/sheet1.xml').matchAll(
    /<c r="([A-Z]+[0-9]+)"([^>]*)>(?:<f>[^<]*<\/f>)?<v>([^<]*)<\/v><\/c>/g,
  ))
    cells.set(at, (more.includes('t="s"') ? (strings[Number(value)] ?? '') : value).trim())
  return cells
}

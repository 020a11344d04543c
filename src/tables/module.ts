/** What tables say to people and to readers of files: docs/spec/tables/ has it, and no module needs it. */
const UNREAD = ['is', 'says', 'source', 'spelled']

/**
 * The text of a table as a module, for what is published and loaded by pages: an export for each member, so that those which are not
 * used are left out. An entry is a line, or several.
 */
export const tableModule = (text: string): string =>
  Object.entries(JSON.parse(text, (name, value) => (UNREAD.includes(name) ? undefined : value)) as object)
    .map(([name, member]) => `export const ${name} = ${entryLines(member)};\n`)
    .join('')

/** A member in lines that a person can read: an entry is broken into its own members where it is long. */
function entryLines(member: unknown, indent = ''): string {
  if (typeof member !== 'object' || member === null) return JSON.stringify(member)
  const inner = `${indent}    `
  const texts = Object.entries(member).map(([name, entry]) => {
    const line = JSON.stringify(entry)
    const text = line.length > LONGEST_ENTRY ? entryLines(entry, inner) : line
    return Array.isArray(member) ? text : `${JSON.stringify(name)}: ${text}`
  })
  const [open, close] = Array.isArray(member) ? ['[', ']'] : ['{', '}']
  return `${open}\n${texts.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`
}
const LONGEST_ENTRY = 300

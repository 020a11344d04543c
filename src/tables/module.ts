/** What tables say to people and to readers of files: docs/spec/tables/ has it, and no module needs it. */
const UNREAD = ['is', 'says', 'source', 'spelled']

/**
 * The text of a table as a module, for what is published and loaded by pages: an export for each member, so that those which are not
 * used are left out. Each entry is a line.
 */
export const tableModule = (text: string): string =>
  Object.entries(JSON.parse(text, (name, value) => (UNREAD.includes(name) ? undefined : value)) as object)
    .map(([name, member]) => `export const ${name} = ${entryLines(member)};\n`)
    .join('')

function entryLines(member: unknown): string {
  if (typeof member !== 'object' || member === null) return JSON.stringify(member)
  const texts = Object.entries(member).map(([name, entry]) => {
    const line = JSON.stringify(entry)
    return Array.isArray(member) ? line : `${JSON.stringify(name)}: ${line}`
  })
  const [open, close] = Array.isArray(member) ? ['[', ']'] : ['{', '}']
  return `${open}\n${texts.map((line) => `    ${line},\n`).join('')}${close}`
}

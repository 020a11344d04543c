const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
/** For documents that are not pages: XML that no element tree is built for. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? '')

/**
 * A value inside a sentence of markdown: it cannot start a link, heading, code or tag, nor end its line.
 * An underscore inside a word marks nothing (CommonMark 6.2) and stays readable.
 */
export const markdownText = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*[\]<>#|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\$&`)

/** A value shown as it is, in a code span that it cannot close. */
export const markdownCode = (text: string): string => `\`${text.replaceAll(/\s+/g, ' ').replaceAll(/[`|]/g, '')}\``

export const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

/** Blocks with an empty line between them; empty ones are left out. */
export const blocks = (parts: readonly string[]): string =>
  parts
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')

export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

import { type Command, type Help, nearest, UsageFault } from './command.ts'
import { COMMANDS, findCommand } from './commands.ts'

/** The widths of help: wider lines are hard to read, and narrower ones have no room for words. */
const [WIDEST, NARROWEST, USUAL] = [100, 30, 80]
/** From this width on, options and their meaning are in two columns. */
const ROOM_FOR_COLUMNS = 60
const OPTION_COLUMN = 24

/** The width of a line: from COLUMNS or the terminal; 80 without both. */
export function widthOf(columns: string | undefined, terminal: number | undefined): number {
  const wanted = /^[0-9]{1,4}$/.test(columns ?? '') ? Number(columns) : 0
  const width = wanted > 0 ? wanted : (terminal ?? USUAL)
  return Math.min(WIDEST, Math.max(NARROWEST, width))
}

const EXIT_CODES =
  'Exit codes: 0 done; 1 refused, or a check that failed; 2 wrong usage, or nothing that could be checked; 3 a fault; 130 and 143 stopped by Ctrl-C and by SIGTERM.'

/** The help for some words, such as `release publish`. Without words, the list of all commands. */
export async function helpFor(words: readonly string[], width: number): Promise<string> {
  const [name, action] = words.filter((word) => !word.startsWith('-'))
  if (name === undefined) return everyCommand(width)
  const command = await findCommand(name)
  if (!command) throw unknownCommand(name)
  const { actions = {} } = command
  return action !== undefined && Object.hasOwn(actions, action)
    ? oneHelp(actions[action] as Help, width)
    : oneCommand(name, command, width)
}

export function unknownCommand(name: string): UsageFault {
  const near = nearest(name, [...Object.keys(COMMANDS), 'help'])
  const guess = near === undefined ? '' : `did you mean \`atr ${near}\`? `
  return new UsageFault(`there is no such command: ${guess}\`atr help\` lists them all`)
}

async function everyCommand(width: number): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()))
  const names = Object.keys(COMMANDS)
  return paragraphs(
    'atr: the Agent Trust Registry',
    wrapped('Usage: atr COMMAND [options]. From a checkout: npm run -s atr -- COMMAND [options]', width),
    columns(
      commands.map(({ summary }, i) => [names[i] as string, summary] as const),
      width,
      12,
    ),
    wrapped(
      '`atr help COMMAND` shows how a command is used, with examples. --json prints JSON, errors too. Settings are read from the environment: see .env.example.',
      width,
    ),
    wrapped(EXIT_CODES, width),
  )
}

function oneCommand(name: string, command: Command, width: number): string {
  const { actions } = command
  if (!actions) return oneHelp(command, width)
  return paragraphs(
    wrapped(`${command.summary}.`, width),
    Object.values(actions)
      .map(({ usage, summary }) => `${commandLine(usage, width)}\n${wrapped(summary, width, 6)}`)
      .join('\n'),
    examplesText(
      Object.values(actions).flatMap(({ examples = [] }) => examples.slice(0, 1)),
      width,
    ),
    wrapped(`\`atr help ${name} ACTION\` shows the options of one of them, such as ${Object.keys(actions)[0]}.`, width),
    wrapped(EXIT_CODES, width),
  )
}

const oneHelp = ({ usage, summary, options = [], examples = [] }: Help, width: number): string =>
  paragraphs(
    commandLine(usage, width),
    wrapped(`${summary}.`, width),
    options.length === 0 ? '' : columns(options, width, OPTION_COLUMN),
    examplesText(examples, width),
    wrapped(EXIT_CODES, width),
  )

const paragraphs = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n')

const examplesText = (examples: NonNullable<Help['examples']>, width: number): string =>
  examples.length === 0
    ? ''
    : [
        examples.length === 1 ? 'Example:' : 'Examples:',
        ...examples.map(([words, meaning]) => `${wrapped(`# ${meaning}`, width, 2, '  # ')}\n${typed(words, width)}`),
      ].join('\n')

/** The usage of a command. Further lines are indented. */
const commandLine = (usage: string, width: number): string => wrapped(`atr ${usage}`, width, 2, '      ')

/** A command to copy into a shell: lines that continue end with a backslash. */
const typed = (words: string, width: number): string =>
  wrapped(`atr ${words}`, width - 2, 2, '      ').replaceAll('\n', ' \\\n')

function columns(rows: readonly (readonly [name: string, text: string])[], width: number, column: number): string {
  const below = (name: string, text: string): string => `  ${name}\n${wrapped(text, width, 6)}`
  return rows
    .map(([name, text]) => {
      if (width < ROOM_FOR_COLUMNS || name.length > column - 2) return below(name, text)
      const indent = ' '.repeat(2 + column)
      return `  ${name.padEnd(column)}${wrapped(text, width, indent.length, indent).trimStart()}`
    })
    .join('\n')
}

/** Wraps a text into lines of whole words. A word that is longer than a line gets its own line. */
function wrapped(text: string, width: number, indent = 0, next = ' '.repeat(indent)): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const start = lines.length === 0 ? ' '.repeat(indent) : next
    if (line === '') line = start + word
    else if (line.length + 1 + word.length <= width) line += ` ${word}`
    else {
      lines.push(line)
      line = next + word
    }
  }
  return [...lines, line].join('\n')
}

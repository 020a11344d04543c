import type { EditRow } from '../proof/price/edit-row.ts'
import type { Price } from '../proof/price/row.ts'
import { BREAKER } from '../registry/release/breaker.ts'
import type { ReleaseCheck } from '../registry/release/check.ts'
import type { Check } from '../registry/release/check-store.ts'
import type { Move, ReleaseDiff } from '../registry/release/diff.ts'
import { lossText } from '../registry/release/loss.ts'
import { ruleOf } from '../registry/release/rules.ts'
import { table } from './command.ts'

// Texts about a release for a person at a terminal.

const SHOWN_LINES = 8

export function checkText(check: ReleaseCheck): string {
  const { release_id, state, rows, rejected, withheld, flagged, checks } = check
  return [
    `${release_id} ${state}: ${rows} rows, ${rejected} rejected, ${withheld} withheld, ${flagged} flags`,
    '',
    checksText(checks),
    '',
    ...notesText(check).flatMap((note) => [note, '']),
    verdictText(check),
  ].join('\n')
}

/** The losses, the changes and the verdict of the breaker. After a dry run (`isKept` is false) there is no release to sample. */
export function verdictText({ release_id, previous, diff, held, loss }: ReleaseCheck, isKept = true): string {
  return [
    ...paragraph(lossText(loss)),
    previous === null || !diff
      ? 'There is no edition before this one to compare it with.'
      : `Against ${previous}:\n${diffText(diff)}`,
    '',
    ...(held.length === 0
      ? ['The breaker allows it to be published.']
      : [
          'HELD by the breaker, not published, because:',
          ...held.flatMap(({ rule, found, limit, details = [] }) => [
            `  ${rule}: ${BREAKER[rule]} (${found}, limit ${limit})`,
            ...(rule === 'rejected_share' ? [] : details.map((detail) => `    ${detail}`)),
          ]),
          isKept
            ? `To compare it with its source: \`atr release sample ${release_id}\`.`
            : 'To compare it with its source: load it without --dry-run and --publish, then `atr release sample`.',
          isKept
            ? 'If the release is right: `atr release publish` with --override and --reason for each limit.'
            : 'If the release is right: load it with --publish, and with --override and --reason for each limit.',
        ]),
  ].join('\n')
}

/** The next commands for a release that stays staged after its load. */
export function nextText({ release_id, held }: Pick<ReleaseCheck, 'release_id' | 'held'>): string {
  const [check, publish] = [`\`atr release check ${release_id}\``, `\`atr release publish ${release_id}\``]
  return held.length === 0
    ? `It is staged, not published. Next: ${check} shows what it changes, and ${publish} publishes it.`
    : `It is staged, and HELD by the breaker: ${held.map(({ rule }) => rule).join(', ')}. Next: ${check} says why. If it is right, ${publish} with --override and --reason for each limit publishes it.`
}

/** Makes a paragraph: the first line is its title, and the others are indented. */
const paragraph = ([first, ...more]: readonly string[]): string[] =>
  first === undefined ? [] : [`${first}:`, ...more.map((line) => `  ${line}`), '']

/** Notes for the operator, in addition to broken rules. */
export const notesText = ({
  shares_npis_with,
  judged_without = [],
  no_url = false,
  ended = null,
}: {
  shares_npis_with: readonly string[]
  judged_without?: readonly string[]
  no_url?: boolean
  ended?: string | null
}): string[] => [
  ...(no_url
    ? [
        'NOTE: no --url was given, so proofs cannot say where the file is from, and the breaker holds the release (no_url).',
      ]
    : []),
  ...(ended === null
    ? []
    : [
        `NOTE: its last day was ${ended}, so it answers no question about today. If there is no later file and its prices still apply, load it again with a later --effective-to.`,
      ]),
  ...(judged_without.length === 0
    ? []
    : [
        `NOTE: prices were not compared with ${judged_without.join(', ')}, because no edition of these is in force today (rules R04, R05). To compare them, publish one that is; then discard this release, or withdraw it if it is published, and load the file again.`,
      ]),
  ...(shares_npis_with.length === 0
    ? []
    : [
        `NOTE: it shares NPIs with ${shares_npis_with.join(', ')}. The file that was published first speaks for them. To let this file speak for an NPI, publish it and run \`atr providers move\`.`,
      ]),
]

function checksText(checks: readonly Check[]): string {
  const failed = checks.filter((check) => check.failed > 0)
  if (failed.length === 0) return 'No rule was broken.'
  const rows = failed.map((check) => [
    check.rule,
    check.severity,
    `${check.failed} of ${check.evaluated}`,
    ruleOf(check.rule).meaning,
    placesText(check),
  ])
  return table([['rule', 'then', 'broken', 'meaning', 'where, first'], ...rows])
}

function placesText({ sample_lines, sample_keys, failed }: Check): string {
  const [what, places]: [string, (string | number)[]] =
    sample_lines.length > 0 ? ['lines ', sample_lines.slice(0, SHOWN_LINES)] : ['', sample_keys]
  return `${what}${places.join(', ')}${failed > places.length ? ', ...' : ''}`
}

export function diffText(diff: ReleaseDiff): string {
  const { added, removed, changed, unchanged, moved_over_25_pct: moved, edits } = diff
  return [
    `  ${added} added, ${removed} removed, ${changed} changed (${moved.count} by more than 25 %), ${unchanged} unchanged`,
    ...(edits ? [`  Of ${edits.before} edits ${edits.changed} changed or gone, ${edits.added} added`] : []),
    ...largest('  Largest changes in dollars:', diff.largest_by_amount),
    ...largest('  Largest changes in percent:', diff.largest_by_percent),
  ].join('\n')
}

function largest(title: string, moves: readonly Move[]): string[] {
  if (moves.length === 0) return []
  const rows = moves.map(({ row_key, before, after, change, change_pct }) => [
    '   ',
    row_key,
    priceText(before),
    '->',
    priceText(after),
    change,
    `${change_pct} %`,
  ])
  return [title, table(rows)]
}

/** A limit, pairs or primary codes, as a short line. */
export function editText(row: EditRow): string {
  if (row.kind === 'limit') return `at most ${row.units}, judged as ${row.adjudication}`
  const of = row.kind === 'edits' ? row.edits : row.primaries
  return of.map(([code, number, from, to]) => `${code} ${number} ${from}..${to ?? ''}`).join(', ')
}

export const priceText = (price: Price): string => ('amount' in price ? price.amount : `${price.low}..${price.high}`)

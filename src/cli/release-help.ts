import { OVERRIDE_REASONS } from '../registry/release/breaker.ts'
import { WITHDRAWAL_REASONS } from '../registry/release/withdrawal.ts'
import { type Help, JSON_OPTION } from './command.ts'

const RELEASE = 'cms-pfs:RVU26D:1'

/** What can be done with releases. */
export const RELEASE_HELP = {
  list: {
    usage: 'release list [--json]',
    summary: 'Lists every release, its state, and whether it is in force today',
    options: [JSON_OPTION],
    examples: [['release list', 'shows the ids that the other actions take']],
  },
  show: {
    usage: 'release show ID [--json]',
    summary: 'Shows where a release is from and what is in it',
    options: [JSON_OPTION],
    examples: [[`release show ${RELEASE}`, 'its files, its rows, what the rules found in it']],
  },
  check: {
    usage: 'release check ID [--json]',
    summary: 'Shows broken rules, changes, and whether the breaker allows it; exit code 1 if it does not',
    options: [JSON_OPTION],
    examples: [[`release check ${RELEASE}`, 'before it is published']],
  },
  sample: {
    usage: 'release sample ID [--rows N] [--cpt CODE] [--json]',
    summary: 'Shows rows chosen at random, each with the file and line it is from; the release may be staged',
    options: [
      ['--rows N', 'how many rows, 20 by default, at most 1000'],
      ['--cpt CODE', 'looks up the rows of this code in place of random ones'],
      JSON_OPTION,
    ],
    examples: [
      [`release sample ${RELEASE} --rows 5`, 'five rows to compare with the file'],
      [`release sample ${RELEASE} --cpt 99213`, 'every row of a code'],
    ],
  },
  diff: {
    usage: 'release diff ID [ID] [--json]',
    summary: 'Compares a release with the previous edition, or with the second one that you name',
    options: [JSON_OPTION],
    examples: [[`release diff ${RELEASE}`, 'what is new, gone and changed']],
  },
  publish: {
    usage: 'release publish ID [--override LIMIT --reason CODE]... [--json]',
    summary: 'Puts a staged release into the log and in force; this cannot be undone',
    options: [
      ['--override LIMIT', 'publishes although this limit of the breaker is exceeded; may be repeated'],
      ['--reason CODE', `why, with --override: ${OVERRIDE_REASONS.join(', ')}`],
      JSON_OPTION,
    ],
    examples: [
      [`release publish ${RELEASE}`, 'publishes it if the breaker allows that'],
      [
        `release publish ${RELEASE} --override prices_moved --reason annual_update`,
        'publishes it although many prices changed, and says so in its manifest',
      ],
    ],
  },
  withdraw: {
    usage: 'release withdraw ID --reason CODE [--json]',
    summary: 'Ends a published release: the one before it is in force again; both stay in the log',
    options: [['--reason CODE', `why: ${WITHDRAWAL_REASONS.join(', ')}`], JSON_OPTION],
    examples: [[`release withdraw ${RELEASE} --reason wrong_source`, 'when the wrong file was loaded']],
  },
  discard: {
    usage: 'release discard ID [--json]',
    summary: 'Removes a release that was never published',
    options: [JSON_OPTION],
    examples: [[`release discard ${RELEASE}`, 'gives the room on the disk back']],
  },
} as const satisfies Record<string, Help>

// What can go wrong between a publisher's page and a staged release, and what to do about it.

interface TroubleEntry {
  says: string
  todo: string
}

const BY_HAND = 'download the file yourself, and give its folder with --from'

/** The troubles by code. Scripts rely on the codes. */
export const TROUBLES = {
  unreachable: { says: 'the publisher cannot be reached', todo: 'the next update tries again' },
  cut_off: { says: 'the answer of the publisher ended early', todo: 'the next update tries again' },
  too_slow: { says: 'the publisher takes too long to answer', todo: 'the next update tries again' },
  too_large: {
    says: 'the publisher sends more than a file of this chart can have',
    todo: 'look at the page yourself: the link may lead to another file',
  },
  address_refused: {
    says: 'an address does not belong to the public web',
    todo: 'nothing was asked there: look at the page yourself',
  },
  leads_elsewhere: {
    says: 'a link or a redirection leads to a host that is not the publisher\u2019s',
    todo: `nothing was asked there: look at the page yourself, or ${BY_HAND}`,
  },
  redirected_too_often: { says: 'the publisher redirects too often', todo: 'the next update tries again' },
  robots: { says: 'the publisher\u2019s robots.txt forbids that address', todo: BY_HAND },
  robots_unreadable: {
    says: 'the publisher\u2019s robots.txt cannot be read, so nothing else is asked of it',
    todo: 'the next update tries again',
  },
  refused: { says: 'the publisher refuses this program', todo: BY_HAND },
  asked_to_wait: {
    says: 'the publisher asks this program to wait',
    todo: 'the next update after that time tries again',
  },
  server_fault: { says: 'the publisher\u2019s server has a fault', todo: 'the next update tries again' },
  missing: { says: 'the publisher has nothing at that address', todo: 'the next update tries again' },
  unexpected_answer: {
    says: 'the publisher answers in a way that this program does not know',
    todo: `look at the page yourself, or ${BY_HAND}`,
  },
  no_link: {
    says: 'the page has no link that looks like an edition: it may be another page now',
    todo: `look at the page yourself, or ${BY_HAND}; PUBLISHERS can name another page`,
  },
  two_links: {
    says: 'the page has two links for one edition, and nothing says which is the later one',
    todo: BY_HAND,
  },
  incomplete: {
    says: 'not all files of the edition are there yet',
    todo: 'the next update looks again',
  },
  agreement: { says: 'the publisher asks for the acceptance of an agreement first', todo: BY_HAND },
  agreement_unreadable: {
    says: 'the text of the agreement cannot be read, so it cannot be accepted',
    todo: `save the text that you read, and name it with --agreement-text FILE; or ${BY_HAND}`,
  },
  page_for_file: { says: 'the publisher answers with a web page in place of the file', todo: BY_HAND },
  not_an_archive: { says: 'what came is not an archive', todo: 'look at the page yourself: the link may be wrong' },
  not_loaded: { says: 'the file was refused', todo: 'look at the file yourself' },
  other_edition: {
    says: 'the file is of another edition than its link says',
    todo: 'nothing was kept of it: look at the page yourself',
  },
  other_provider: {
    says: 'the file is another hospital\u2019s, by the NPI that it names',
    todo: 'nothing was kept of it: correct the line in hospitals.csv',
  },
  no_pointer: { says: 'the hospital has no cms-hpt.txt', todo: 'put the address of its file into hospitals.csv' },
  no_entry: {
    says: 'the hospital\u2019s cms-hpt.txt names no file for this line',
    todo: 'put the name of its location, or the address of its file, into hospitals.csv',
  },
  clock: {
    says: 'the clock of this machine and that of the publisher are hours apart',
    todo: 'correct the clock of this machine (NTP): every proof says when its file was read',
  },
  disk_full: { says: 'the disk is full', todo: 'make room, then run the command again' },
  busy: { says: 'another process is loading the same edition', todo: 'the next update tries again' },
} as const satisfies Record<string, TroubleEntry>
export type TroubleCode = keyof typeof TROUBLES

interface TroubleFacts {
  /** A fact of ours that makes the sentence exact: never a text of the publisher. */
  about?: string
  /** A host asked to be left alone until then. */
  notBefore?: number
  /** What to do, where the entry does not know it. */
  todo?: string
}

/** Ends the work on one chart. The next one goes on. */
export class Trouble extends Error {
  override name = 'Trouble'
  constructor(
    readonly code: TroubleCode,
    readonly facts: TroubleFacts = {},
    cause?: unknown,
  ) {
    super(troubleText(code, facts), { cause })
  }
}

function troubleText(code: TroubleCode, { about, todo }: TroubleFacts): string {
  const entry = TROUBLES[code]
  return `${entry.says}${about === undefined ? '' : ` (${about})`}; ${todo ?? entry.todo}`
}

// The agreement that a publisher asks for before its files: a person accepts it by name, or nothing is taken.

import { createHash } from 'node:crypto'
import type { Gate, PublisherTable } from '../tables/publishers.ts'
import type { Door } from './door.ts'
import { textIn } from './edition-link.ts'
import type { Pages } from './page.ts'
import { findAgreement, putAgreement, type StoredAgreement } from './store.ts'
import { Trouble } from './trouble.ts'
import type { Way } from './way.ts'

/** A person's acceptance, from the command line. */
export interface Acceptance {
  gate: string
  by: string
  /** The text that the person saved, where this program cannot read the page. */
  text?: string | undefined
}

export class Agreements {
  readonly #found = new Map<string, StoredAgreement>()

  constructor(
    readonly door: Door,
    readonly pages: Pages,
    readonly gates: PublisherTable['gates'],
    readonly acceptance: Acceptance | undefined,
  ) {}

  /**
   * The acceptance under which the files of a chart are taken. It holds for the text that was accepted: where the text is
   * another one now, a person must read it again.
   */
  async of(gate: string, chart: string): Promise<NonNullable<Way['agreement']>> {
    const entry = this.gates[gate]
    if (!entry) throw new Error(`the table of publishers has no agreement ${gate}`)
    const found = this.#found.get(gate) ?? (await this.#find(gate, entry, chart))
    this.#found.set(gate, found)
    const { accepted_by, accepted_at, text_sha256 } = found
    return { gate, accepted_by, accepted_at: new Date(accepted_at).toISOString(), text_sha256 }
  }

  async #find(gate: string, entry: Gate, chart: string): Promise<StoredAgreement> {
    const { db, now } = this.door.parts
    const given = this.acceptance?.gate === gate ? this.acceptance : undefined
    if (given) {
      const text = given.text ?? (await this.#text(entry))
      const is_of_page = given.text === undefined ? 1 : 0
      const accepted = {
        gate,
        accepted_by: given.by,
        accepted_at: now(),
        text_sha256: digestOf(text),
        is_of_page,
      } as const
      await putAgreement(db, accepted)
      return accepted
    }
    const known = await findAgreement(db, gate)
    if (!known) throw notAccepted(gate, entry, chart, entry.title)
    if (known.is_of_page === 1 && digestOf(await this.#text(entry)) !== known.text_sha256)
      throw notAccepted(gate, entry, chart, `${entry.title}: its text has changed since it was accepted`)
    return known
  }

  /** The text without its layout, which changes for other reasons. */
  async #text({ page }: Gate): Promise<string> {
    try {
      const { html } = await this.pages.read(page, 'agreement', (host) => host === new URL(page).host)
      return textIn(html)
    } catch (error) {
      const isAbsent = error instanceof Trouble && ['missing', 'refused', 'robots'].includes(error.code)
      throw isAbsent ? new Trouble('agreement_unreadable', {}, error) : error
    }
  }
}

const digestOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll(/\s+/g, ' ').trim()).digest('hex')

const notAccepted = (gate: string, { page }: Gate, chart: string, about: string): Trouble =>
  new Trouble('agreement', {
    about,
    todo: `read it at ${page}, then run \`atr fetch ${chart} --accept-license ${gate} --by NAME\`; or download the files yourself and run \`atr fetch ${chart} --from FOLDER\``,
  })

// The memory of a monitor between rounds: one file that is replaced as a whole, with the evidence of alarms beside it.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { replaceFile } from '../../src/db/replace-file.ts'
import { fromBase64, toBase64 } from '../../src/proof/bytes.ts'
import { parseNote } from '../../src/proof/note/signed-note.ts'
import { parseTreeHead, type TreeHead } from '../../src/proof/note/tree-head.ts'
import { closed, count, listOf, oneOf } from '../../src/proof/shape.ts'
import { HASH_SIZE, type Hash } from '../../src/proof/tree/merkle.ts'
import { ALARMS, type Alarm, type AlarmCode } from './alarm.ts'

/** The largest verified checkpoint of a log, and all leaf hashes under it. */
export interface LogMemory {
  note: string
  leaves: Hash[]
  /** The size up to which the tiles above the leaves were checked. */
  upper: number
  /** When this monitor first saw the log at this size, in epoch milliseconds. */
  since?: number
}

/** How far the rows of a release were checked: their hashes only, each row, or each row at its source. */
export const DEPTHS = ['hashes', 'rows', 'source'] as const
export type Depth = (typeof DEPTHS)[number]

/** A fault of the log itself. It stays there for ever, so it is raised in each round. */
export interface Fault {
  code: AlarmCode
  detail: string
  entry: number
  /** The state that should be there, where another one is: canonical JSON. */
  expected?: string
}

export interface Memory {
  registry?: LogMemory
  figures?: LogMemory
  /** The entries of the registry log that could be read. */
  entries: string[]
  /** How many of them were replayed. */
  replayed: number
  faults: Fault[]
  /** The entries of the figures log that could be read. */
  changes: string[]
  /** By the leaf hash of the manifest. */
  releases: Record<string, Depth>
}

export const nothingKnown = (): Memory => ({ entries: [], replayed: 0, faults: [], changes: [], releases: {} })

/** The head of a note that was verified before it was stored. The policy may have other keys today. */
export function headOf({ note }: Pick<LogMemory, 'note'>): TreeHead {
  const head = parseTreeHead(parseNote(note)?.text ?? '')
  if (!head) throw new RangeError('a stored checkpoint is not a tree head')
  return head
}

const SCHEMA = 'agent-trust-registry/monitor@v2'

const text = (value: unknown): boolean => typeof value === 'string'
const texts = (value: unknown): boolean => Array.isArray(value) && value.every(text)
const log = closed({ note: text, leaves: text, upper: count }, { since: count })
const isState = closed(
  {
    schema: oneOf(SCHEMA),
    url: text,
    entries: texts,
    replayed: count,
    changes: texts,
    faults: listOf(
      closed({ code: (code) => Object.hasOwn(ALARMS, String(code)), detail: text, entry: count }, { expected: text }),
      1_000_000,
    ),
    releases: (value) => typeof value === 'object' && value !== null && Object.values(value).every(oneOf(...DEPTHS)),
  },
  { registry: log, figures: log },
)
type PackedLog = Omit<LogMemory, 'leaves'> & { leaves: string }
type StateFileContent = Omit<Memory, 'registry' | 'figures'> & {
  url: string
  registry?: PackedLog
  figures?: PackedLog
}

/** Why a state file cannot be used. */
export class StateFault extends Error {}

/** A limit for each code: cheap alarms must not take the room that the evidence of a fork needs. */
const MOST_FILES_OF_CODE = 50

/** The state file of a monitor. */
export class StateFile {
  constructor(
    readonly path: string,
    readonly url: string,
  ) {}

  read(): Memory {
    if (!existsSync(this.path)) return nothingKnown()
    const stored = this.#stored()
    if (stored.url !== this.url)
      throw new StateFault('the state file is about another service: give each service a file of its own')
    const { registry, figures, entries, replayed, faults, changes, releases } = stored
    return {
      entries,
      replayed,
      faults,
      changes,
      releases,
      ...(registry ? { registry: unpacked(registry) } : {}),
      ...(figures ? { figures: unpacked(figures) } : {}),
    }
  }

  #stored(): StateFileContent {
    try {
      const value: unknown = JSON.parse(readFileSync(this.path, 'utf8'))
      if (isState(value)) return value as StateFileContent
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
    throw new StateFault('the state file is damaged, or was not written by a monitor: restore it, or name another file')
  }

  write({ registry, figures, ...rest }: Memory): void {
    const stored = {
      schema: SCHEMA,
      url: this.url,
      ...rest,
      ...(registry ? { registry: packed(registry) } : {}),
      ...(figures ? { figures: packed(figures) } : {}),
    }
    replaceFile(this.path, `${JSON.stringify(stored)}\n`)
  }

  /** Writes the evidence of an alarm, once, and returns the path. Undefined if its code has too many files already. */
  keep({ code, sentence, advice, evidence }: Alarm, now: number): string | undefined {
    // A fault stays in the log for ever: with one file for each checkpoint it would soon reach the limit of its code.
    const renewed = ['log_checkpoint', 'consistency', ...('inclusion' in evidence ? ['checkpoint', 'inclusion'] : [])]
    const same = Object.entries(evidence).filter(([part]) => !renewed.includes(part))
    const name = createHash('sha256')
      .update(JSON.stringify([code, sentence, same]))
      .digest('hex')
      .slice(0, 12)
    const path = `${this.path}.alarm.${code}.${name}.json`
    if (existsSync(path)) return path
    const prefix = `${basename(this.path)}.alarm.${code}.`
    const files = readdirSync(dirname(resolve(this.path))).filter((file) => file.startsWith(prefix))
    if (files.length >= MOST_FILES_OF_CODE) return undefined
    const found = { code, sentence, advice, url: this.url, found_at: new Date(now).toISOString() }
    replaceFile(path, `${JSON.stringify({ ...found, evidence }, null, 1)}\n`)
    return path
  }
}

const packed = ({ note, leaves, upper, since }: LogMemory): PackedLog => ({
  note,
  leaves: toBase64(Buffer.concat(leaves)),
  upper,
  ...(since === undefined ? {} : { since }),
})

function unpacked(log: PackedLog): LogMemory {
  const bytes = fromBase64(log.leaves)
  const { size } = headOf(log)
  if (bytes?.length !== size * HASH_SIZE) throw new StateFault('the state file is damaged: restore it')
  return { ...log, leaves: hashesIn(bytes) }
}

/** Splits bytes into hashes. */
export const hashesIn = (bytes: Uint8Array): Hash[] =>
  Array.from({ length: Math.floor(bytes.length / HASH_SIZE) }, (_, i) =>
    bytes.slice(i * HASH_SIZE, (i + 1) * HASH_SIZE),
  )

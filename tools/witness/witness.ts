import { equalBytes, fromBase64 } from '../../src/proof/bytes.ts'
import { cosign } from '../../src/proof/note/cosignature.ts'
import {
  COSIGNATURE,
  findKey,
  keyId,
  type Note,
  type NoteSigner,
  openNote,
  parseNote,
  signatureLine,
  type VerifierKey,
} from '../../src/proof/note/signed-note.ts'
import { parseExtendedHead, type TreeHead } from '../../src/proof/note/tree-head.ts'
import { EMPTY_ROOT, type Hash, isConsistent } from '../../src/proof/tree/merkle.ts'
import { type CosignedHead, keepFork, originHash, readLatest, writeLatest } from './state.ts'

/** The answer of a witness to a checkpoint. tlog-witness gives the status of each. */
export type WitnessResponse =
  | { answer: 'cosigned'; lines: string }
  | { answer: 'malformed' }
  | { answer: 'not_signed_by_log' }
  | { answer: 'unknown_log' }
  | { answer: 'not_what_i_have'; size: number }
  | { answer: 'not_consistent' }

/** How long a repeated checkpoint gets the same cosignature. Anyone can send it again and again. */
const REPEAT_SECONDS = 60

/** The time in whole seconds since 1970. */
export type Clock = () => number

/**
 * Cosigns checkpoints of the logs it follows, as long as each log only grows. All readers who see this
 * witness's line under their checkpoints were shown the same log.
 */
export class Witness {
  readonly #seen = new Map<string, CosignedHead>()
  /** By log, the end of its queue: no other request may come between the check and the write. */
  readonly #queues = new Map<string, Promise<unknown>>()
  readonly #broken = new Set<string>()
  /** The newest time in a signature of this witness: a clock that is set back must not make a later cosignature look older. */
  #latestSeconds = 0

  private constructor(
    readonly dir: string,
    readonly signer: NoteSigner,
    readonly logs: readonly VerifierKey[],
    readonly clock: Clock,
  ) {}

  /** Reads the state of every log in `logs`. The caller must hold the lock of the folder. */
  static async open(dir: string, signer: NoteSigner, logs: readonly VerifierKey[], clock: Clock): Promise<Witness> {
    const witness = new Witness(dir, signer, logs, clock)
    for (const origin of new Set(logs.map(({ name }) => name))) {
      const seen = await readLatest(dir, origin, witness.key)
      if (seen) witness.#remember(seen)
    }
    return witness
  }

  /** The key that others pin. */
  get key(): VerifierKey {
    const { name, publicKey } = this.signer
    return { type: COSIGNATURE, name, publicKey, id: keyId(name, publicKey, COSIGNATURE) }
  }

  /** The latest cosigned checkpoint of the log with this origin hash. */
  latest(hash: string): string | undefined {
    return [...this.#seen.values()].find(({ head }) => originHash(head.origin) === hash)?.note
  }

  /** Answers one request. The order of the checks is that of the specification. */
  async add(body: string): Promise<WitnessResponse> {
    const request = parseAddCheckpoint(body)
    const note = request && parseNote(request.note)
    const head = note && parseExtendedHead(note.text)
    if (!request || !head) return { answer: 'malformed' }
    const keys = this.logs.filter(({ name }) => name === head.origin)
    if (keys.length === 0) return { answer: 'unknown_log' }
    const repeated = this.#repeated(request, head.origin, note)
    if (repeated !== undefined) return { answer: 'cosigned', lines: repeated }
    const opened = await openNote(request.note, keys)
    if (!opened.ok) return { answer: 'not_signed_by_log' }
    if (request.old > head.size) return { answer: 'malformed' }
    const vouched = `${opened.note.text}\n${linesOf(opened.note, opened.signers)}`
    return this.#inTurn(head.origin, () => this.#consider(request, head, { text: opened.note.text, vouched }))
  }

  /**
   * The earlier lines for this checkpoint, if nothing has changed since and they are not old. Nothing is checked or signed for
   * that, and it does not wait in the queue: repeats must not delay the log itself.
   */
  #repeated({ old, proof }: AddCheckpoint, origin: string, { text, signatures }: Note): string | undefined {
    const seen = this.#seen.get(origin)
    if (!seen || old !== seen.head.size || proof.length > 0 || !seen.note.startsWith(`${text}\n`)) return undefined
    if (this.clock() - seen.seconds >= REPEAT_SECONDS) return undefined
    const known = seen.note.slice(text.length + 1)
    const isSigned = signatures.some((line) => findKey(this.logs, line) && known.includes(signatureLine(line)))
    return isSigned ? ownLines(seen.note, this.key) : undefined
  }

  /** One at a time for each log, in the order of arrival. */
  #inTurn<T>(origin: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#queues.get(origin) ?? Promise.resolve()).then(work, work)
    this.#queues.set(origin, turn)
    return turn
  }

  async #consider(
    { old, proof }: AddCheckpoint,
    head: TreeHead,
    { text, vouched }: { text: string; vouched: string },
  ): Promise<WitnessResponse> {
    if (this.#broken.has(head.origin))
      throw new Error('the record of this log could not be written: restart the witness')
    const seen = this.#seen.get(head.origin)
    const { size, root } = seen?.head ?? { size: 0, root: EMPTY_ROOT }
    if (old !== size) return { answer: 'not_what_i_have', size }
    if (!isConsistent(old, head.size, root, head.root, proof)) {
      if (seen && head.size === size && !equalBytes(head.root, root)) keepFork(this.dir, seen, vouched)
      return { answer: 'not_consistent' }
    }
    const seconds = Math.max(this.clock(), this.#latestSeconds)
    const lines = await cosign(text, this.signer, seconds)
    this.#store({ head, note: vouched + lines, seconds })
    return { answer: 'cosigned', lines }
  }

  /** A cosignature may be sent only when its checkpoint is on disk. If the write fails, the file is in doubt: stop this log. */
  #store(seen: CosignedHead): void {
    try {
      writeLatest(this.dir, seen)
    } catch (error) {
      this.#broken.add(seen.head.origin)
      throw error
    }
    this.#remember(seen)
  }

  #remember(seen: CosignedHead): void {
    this.#seen.set(seen.head.origin, seen)
    this.#latestSeconds = Math.max(this.#latestSeconds, seen.seconds)
  }
}

const MAX_PROOF_LINES = 63

/** The body of `POST /add-checkpoint` (C2SP tlog-witness). */
interface AddCheckpoint {
  /** The size that the witness has, as the sender believes: growth is proved from there. */
  old: number
  proof: Hash[]
  /** The checkpoint, as a signed note. */
  note: string
}

/** Undefined for anything but the documented form. */
function parseAddCheckpoint(body: string): AddCheckpoint | undefined {
  const gap = body.indexOf('\n\n')
  if (gap < 0) return undefined
  const [first = '', ...lines] = body.slice(0, gap).split('\n')
  const decimal = /^old (0|[1-9][0-9]{0,15})$/.exec(first)?.[1]
  const old = Number(decimal)
  if (decimal === undefined || !Number.isSafeInteger(old) || lines.length > MAX_PROOF_LINES) return undefined
  const proof = lines.map(fromBase64)
  if (!proof.every((hash): hash is Hash => hash?.length === 32)) return undefined
  return { old, proof, note: body.slice(gap + 2) }
}

/** The lines of a witness under a note. */
const ownLines = (text: string, key: VerifierKey): string =>
  (parseNote(text)?.signatures ?? [])
    .filter((line) => findKey([key], line))
    .map(signatureLine)
    .join('')

/** The signature lines that were checked, and no others: only verified lines are passed on. */
const linesOf = ({ signatures }: Note, signers: readonly VerifierKey[]): string =>
  signers
    .map((key) => signatures.find((line) => findKey([key], line)))
    .map((line) => (line ? signatureLine(line) : ''))
    .join('')

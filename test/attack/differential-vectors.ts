// The published vectors as cases, each with something changed.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../src/proof/canonical-json.ts'
import type { Vector } from '../support/vector.ts'
import type { Dice } from './dice.ts'
import { changeMember } from './differential-change.ts'
import { BODY_STEPS, type Draft, donorsOf, written } from './differential-draft.ts'
import type { Case } from './differential-judges.ts'
import { strangeLines } from './differential-text.ts'
import { copyOf, type Members, oneOf } from './lie-world.ts'

const VECTORS = join(import.meta.dir, '../../docs/spec/vectors')
const MOST = 20_000
/** By kind, so that each is tried as often as the others, however many vectors it has. */
const corpus = Map.groupBy(
  readdirSync(VECTORS)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => (JSON.parse(readFileSync(join(VECTORS, name), 'utf8')) as { vectors: Vector[] }).vectors)
    .map(({ name: _name, expect: _expect, ...given }) => given as unknown as Case)
    .filter((given) => JSON.stringify(given).length < MOST),
  ({ kind }) => kind,
)
const KINDS = [...corpus.keys(), 'body', 'body', 'body'] as Case['kind'][]

/** A published vector with something changed. What is JSON is changed as a value, and what is text as a text. */
export function changedVector(dice: Dice, changes: readonly Dice[]): Case {
  const kind = oneOf(dice, KINDS)
  const given = copyOf(oneOf(dice, corpus.get(kind) as Case[]))
  if (kind === 'body') {
    const draft = draftOf(given)
    for (const each of changes) oneOf(each, BODY_STEPS)(draft, each)
    return written(draft)
  }
  for (const each of changes) changeInput(given, each)
  return given
}

function draftOf(given: Case): Draft {
  try {
    const body: unknown = JSON.parse(given['body'] as string)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { given, body: body as Members }
  } catch {
    // Its text is the matter: it stays as it is.
  }
  return { given, body: undefined }
}

/** How the inputs of a kind are changed, by their names. */
const INPUTS: Record<string, (value: never, dice: Dice) => unknown> = {
  text: strangeLines,
  policy: strangeLines,
  note: strangeLines,
  older: strangeLines,
  newer: strangeLines,
  row: otherJson,
  proof: otherJson,
  page: otherPage,
  entries: otherEntries,
  tiles: changeHashes,
  path: changeHashes,
  size: (size: number, dice: Dice) => Math.max(0, size + oneOf(dice, [1, -1, 2])),
  hashes: (text: string, dice: Dice) => changeHashes({ text }, dice)['text'],
  leaves: (leaves: unknown[], dice: Dice) => leaves.toSpliced(dice.below(leaves.length), 1),
}

function changeInput(given: Case, dice: Dice): void {
  const names = Object.keys(given).filter((each) => each in INPUTS)
  // What is changed in a policy of another kind of case is mostly that the policy is none.
  const name = oneOf(
    dice,
    names.filter((each) => each !== 'policy' || given.kind === 'policy' || dice.chance(0.2)),
  )
  if (name !== undefined) given[name] = INPUTS[name]?.(given[name] as never, dice)
}

function otherJson(text: string, dice: Dice): string {
  const whole = { value: JSON.parse(text) as unknown }
  changeMember(dice, whole, donorsOf(whole))
  const changed = JSON.stringify(whole.value ?? null)
  return isReadable(changed) ? changed : text
}

/** A page of changes has them in a list, or it is none. */
function otherPage(text: string, dice: Dice): string {
  const page = JSON.parse(text) as Members
  const { data } = page
  changeMember(dice, dice.chance(0.7) ? { data } : page, donorsOf(page))
  const changed = JSON.stringify({ ...page, data })
  return isReadable(changed) ? changed : text
}

/** Entries of a log in another order, or one of them twice or not at all; they are what they are. */
function otherEntries(entries: readonly string[], dice: Dice): string[] {
  if (entries.length === 0) return []
  return entries.toSpliced(dice.below(entries.length), dice.below(2), oneOf(dice, entries))
}

/** Only a whole body comes as a text: the parts of one are values, which a reader has taken. */
export function isReadable(text: string): boolean {
  try {
    parseJson(text)
    return true
  } catch {
    return false
  }
}

/** Tiles, or a path: what is in them is always base64, because only their bytes are the verifier's matter. */
export function changeHashes<Encoded extends Record<string, string>>(encoded: Encoded, dice: Dice): Encoded {
  const [name, other] = [oneOf(dice, Object.keys(encoded)), oneOf(dice, Object.keys(encoded))]
  if (name === undefined || other === undefined) return encoded
  const bytes = Buffer.from(encoded[name] as string, 'base64')
  const at = dice.below(bytes.length + 1)
  const changed = oneOf(dice, [
    () => Buffer.concat([bytes.subarray(0, at), Buffer.of(dice.below(256)), bytes.subarray(at + 1)]),
    () => Buffer.concat([bytes, Buffer.alloc(oneOf(dice, [1, 31, 32, 64, 32 * 256]))]),
    () => bytes.subarray(0, Math.max(0, bytes.length - oneOf(dice, [1, 32, 64]))),
    () => Buffer.from(encoded[other] as string, 'base64'),
    () => Buffer.concat([bytes, Buffer.from(encoded[other] as string, 'base64')]),
  ])()
  Object.assign(encoded, { [name]: changed.toString('base64') })
  return encoded
}

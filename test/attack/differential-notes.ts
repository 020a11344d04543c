// Notes under a head, and policies, by keys with strange names: signed as they should be, so that only the name, the text or the order
// of the lines is the matter.

import { concat, utf8 } from '../../src/proof/bytes.ts'
import { formatVerifierKey, keyId, type NoteSigner, signatureLine } from '../../src/proof/note/signed-note.ts'
import { formatTreeHead } from '../../src/proof/note/tree-head.ts'
import { signerOf } from '../support/vector-keys.ts'
import type { Dice } from './dice.ts'
import { strangeLines } from './differential-text.ts'
import { oneOf } from './lie-world.ts'

const ORIGIN = 'a.example/log/registry'
/** Characters that one library takes for a blank, a control character or a separator, and another does not. */
const MARKS = [
  '\u0080',
  '\u0085',
  '\u009f',
  '\u00a0',
  '\u00ad',
  '\u00e9',
  'e\u0301',
  '\u1680',
  '\u180e',
  '\u2003',
  '\u200b',
  '\u2028',
  '\u2029',
  '\u202f',
  '\u2060',
  '\u3000',
  '\ufeff',
  '\ufffd',
  '\u{1f600}',
  '\u{e0001}',
  '+',
  ' ',
  '\t',
  '\u007f',
  '-',
  '\u2014',
  '#',
]

const aName = (dice: Dice): string => {
  const at = dice.below(ORIGIN.length + 1)
  return dice.chance(0.8) ? ORIGIN : ORIGIN.slice(0, at) + oneOf(dice, MARKS) + ORIGIN.slice(at)
}

const time = (seconds: bigint): Uint8Array => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, seconds)
  return bytes
}
const TIMES = [0n, 1n, 1_791_244_800n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]

const lineOf = async ({ name, publicKey, sign }: NoteSigner, text: string): Promise<string> =>
  signatureLine({ name, id: keyId(name, publicKey), signature: await sign(utf8(text)) })

async function cosignatureOf({ name, publicKey, sign }: NoteSigner, text: string, dice: Dice): Promise<string> {
  const seconds = oneOf(dice, TIMES)
  const signature = await sign(utf8(`cosignature/v1\ntime ${seconds}\n${text}`))
  return signatureLine({ name, id: keyId(name, publicKey, 4), signature: concat(time(seconds), signature) })
}

/** A note under a head and a policy for it: they fit each other, and something about them is strange. */
export async function strangeNote(
  dice: Dice,
  head: { size: number; root: Uint8Array },
): Promise<{ policy: string; note: string }> {
  const logs = Array.from({ length: 1 + dice.below(2) }, (_, i) => signerOf(aName(dice), 1 + i))
  const witnesses = Array.from({ length: dice.below(3) }, (_, i) => signerOf(aName(dice), 11 + i))
  const origin = dice.chance(0.9) ? (logs[0] as NoteSigner).name : aName(dice)
  const plain = formatTreeHead({ origin, ...head })
  const text = dice.chance(0.15) ? strangeLines(plain, dice) : plain
  const signing = [...logs, ...(dice.chance(0.3) ? [signerOf(aName(dice), 3)] : [])].filter(() => dice.chance(0.9))
  const lines = await Promise.all([
    ...signing.map((each) => lineOf(each, text)),
    ...witnesses.filter(() => dice.chance(0.9)).map((each) => cosignatureOf(each, text, dice)),
  ])
  if (dice.chance(0.2) && lines.length > 0) lines.push(oneOf(dice, lines))
  if (dice.chance(0.2)) lines.reverse()
  const note = `${text}\n${lines.join('')}`
  const quorum = witnesses.length === 0 || dice.chance(0.3) ? 'none' : 'all'
  const policy = [
    ...logs.map(({ name, publicKey }) => `log ${formatVerifierKey(name, publicKey)}`),
    ...witnesses.map(({ name, publicKey }, i) => `witness w${i} ${formatVerifierKey(name, publicKey, 4)}`),
    ...(quorum === 'none'
      ? ['quorum none']
      : [`group all ${oneOf(dice, ['all', 'any', '1', '01', '2'])} ${witnesses.map((_, i) => `w${i}`).join(' ')}`]),
    ...(quorum === 'none' ? [] : ['quorum all']),
    '',
  ].join('\n')
  return {
    policy: dice.chance(0.2) ? strangeLines(policy, dice) : policy,
    note: (dice.chance(0.15) ? strangeLines(note, dice) : note).toWellFormed(),
  }
}

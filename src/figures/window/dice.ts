import { randomBytes } from 'node:crypto'
import { type Dice, diceOf } from '../rule/laplace.ts'

const AT_ONCE = 4096

/**
 * Fair dice from the random source of the system. Bits are used once and not kept, so noise cannot be drawn again from
 * stored data.
 */
export function systemDice(): Dice {
  let bytes = Buffer.alloc(0)
  let place = 0
  const byte = (): number => {
    if (place === bytes.length) {
      bytes = randomBytes(AT_ONCE)
      place = 0
    }
    const drawn = bytes[place] as number
    bytes[place++] = 0
    return drawn
  }
  let spare = 0
  let count = 0
  return diceOf((wanted) => {
    while (count < wanted) {
      spare = spare * 256 + byte()
      count += 8
    }
    count -= wanted
    const drawn = Math.floor(spare / 2 ** count)
    spare %= 2 ** count
    return drawn
  })
}

const READ_AT_ONCE = 5_120
const KEPT_AS = 10
let read = 0

/**
 * To be called for each bundle that was read. The engine does not see what they take, and would let hundreds of megabytes of
 * them pile up. One that is kept takes ten times as much, with the texts that are made of it, as one that is passed.
 */
export function countRead(how: 'kept' | 'passed'): void {
  read += how === 'kept' ? KEPT_AS : 1
  if (read < READ_AT_ONCE) return
  read = 0
  Bun.gc(false)
}

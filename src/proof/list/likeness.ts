// Evidence rows of a list resemble one another: a neighbour is the same code in the next locality, or the next code with
// the same status. So a list may give of such a row only the differences from another one that it has shown.

import { isObject, type Members } from '../shape.ts'

/** The whole row: the other row with the given members. Objects inside are completed in the same way. */
export const completed = (other: Members, part: Members): Members => ({
  ...other,
  ...Object.fromEntries(
    Object.entries(part).map(([name, value]) => {
      const known = Object.hasOwn(other, name) ? other[name] : undefined
      return [name, isObject(value) && isObject(known) ? completed(known, value) : value]
    }),
  ),
})

/** The differences of a row from another one; undefined if the other has a member that the row has not. */
export function partOf(other: Members, row: Members): Members | undefined {
  if (Object.keys(other).some((name) => !Object.hasOwn(row, name))) return undefined
  const part: [string, unknown][] = []
  for (const [name, value] of Object.entries(row)) {
    const known = Object.hasOwn(other, name) ? other[name] : undefined
    if (isObject(value) && isObject(known)) {
      const inner = partOf(known, value)
      if (inner === undefined) return undefined
      if (Object.keys(inner).length > 0) part.push([name, inner])
    } else if (value !== known && JSON.stringify(value) !== JSON.stringify(known)) part.push([name, value])
  }
  return Object.fromEntries(part)
}

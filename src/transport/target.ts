const ORIGIN = /^https?:\/\/(?:[\w.~!$&'()*+;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?(?=[/?]|$)/i
const PERCENT = /%(?![\da-f]{2})/i
const ENCODED_CONTROL = /%(?:[01][\da-f]|7f)/i
const DOTS = /^(?:\.|%2e){1,2}$/i

/** Path and query of a target, or why there is none. */
export type ReadTarget = { target: string } | { fault: string }

/**
 * Refuses what others on the way may read differently, in place of deciding what it means: a filter in front of us that
 * sees `/a/../b` or `/a%5cb` must have seen the path that we serve. The host of an absolute target is not used.
 */
export function readTarget(sent: string): ReadTarget {
  const origin = sent.startsWith('/') ? '' : ORIGIN.exec(sent)?.[0]
  if (origin === undefined) return { fault: 'the target is neither a path nor an http address' }
  const rest = sent.slice(origin.length)
  const target = rest.startsWith('/') ? rest : `/${rest}`
  const fault = pathFault(target.split('?', 1)[0] as string)
  return fault === undefined ? { target } : { fault }
}

function pathFault(path: string): string | undefined {
  if (path.includes('\\') || /%5c/i.test(path)) return 'the path has a backslash'
  if (path.includes('//')) return 'the path has an empty segment'
  if (PERCENT.test(path)) return 'the path has a percent sign without two hexadecimal digits'
  if (ENCODED_CONTROL.test(path)) return 'the path has an encoded control character'
  // Some take an encoded slash for a slash.
  if (path.split(/\/|%2f/i).some((segment) => DOTS.test(segment))) return 'the path has a dot segment'
  return undefined
}

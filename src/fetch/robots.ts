// robots.txt (RFC 9309): which addresses of a host a program may ask for.

interface RobotsRule {
  allows: boolean
  path: string
}

const MOST_LINES = 10_000
const MOST_PATH = 2_000

/** The rules for a program: those of the groups that name it, else those for all. */
export function robotsRules(text: string, agent: string): RobotsRule[] {
  const groups: { agents: string[]; rules: RobotsRule[] }[] = []
  let isNaming = false
  for (const line of text.split(/\r\n|\r|\n/, MOST_LINES)) {
    const [name = '', value = ''] = fieldOf(line)
    const group = groups.at(-1)
    if (name === 'user-agent') {
      if (group && isNaming) group.agents.push(value.toLowerCase())
      else groups.push({ agents: [value.toLowerCase()], rules: [] })
      isNaming = true
    } else if (name === 'allow' || name === 'disallow') {
      isNaming = false
      if (value !== '' && value.length <= MOST_PATH) group?.rules.push({ allows: name === 'allow', path: value })
    }
  }
  const own = groups.filter(({ agents }) => agents.includes(agent))
  const chosen = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'))
  return chosen.flatMap(({ rules }) => rules)
}

function fieldOf(line: string): [name: string, value: string] | [] {
  const [text = ''] = line.split('#', 1)
  const colon = text.indexOf(':')
  return colon < 0 ? [] : [text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1).trim()]
}

/** Whether the rules allow an address: the longest rule that fits decides, and of two of one length the one that allows. */
export function allows(rules: readonly RobotsRule[], { pathname, search }: URL): boolean {
  const path = pathname + search
  let [longest, isAllowed] = [-1, true]
  for (const rule of rules) {
    if (!fits(rule.path, path)) continue
    if (rule.path.length > longest || (rule.path.length === longest && rule.allows))
      [longest, isAllowed] = [rule.path.length, rule.allows]
  }
  return isAllowed
}

/** `*` stands for any text, and `$` at the end for the end. */
function fits(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const [first = '', ...more] = (isWhole ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(first)) return false
  let at = first.length
  const last = isWhole ? more.pop() : undefined
  for (const part of more) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  if (!isWhole) return true
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last)
}

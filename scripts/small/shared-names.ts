// What minifiers leave undone: functions of a module as arrows, which are shorter, and the names and texts that it repeats
// written once.

import { type AnyNode, type Program, parse } from 'acorn'

const nodesOf = (module: string): Program => parse(module, { ecmaVersion: 'latest', sourceType: 'module' })

/**
 * The same module with its functions as arrows. They are there only after their place in the module, so one that is called
 * earlier, while the module loads, would be missing at once. `this` would be another one: such a function is not taken.
 */
export function withArrows(module: string): string {
  let text = module
  for (const node of nodesOf(module).body.reverse()) {
    if (node.type !== 'FunctionDeclaration' || node.generator) continue
    const body = module.slice(node.body.start, node.body.end)
    if (/\b(this|arguments|super)\b/.test(body)) continue
    const [first, last] = [node.params[0], node.params.at(-1)]
    const params = first && last ? module.slice(first.start, last.end) : ''
    const arrow = `var ${node.id.name}=${node.async ? 'async' : ''}(${params})=>${body};`
    text = text.slice(0, node.start) + arrow + text.slice(node.end)
  }
  return text
}

// Minifiers rename variables. Names of members, texts and globals they must leave as they are, and those are a third of a
// module that checks JSON.

/** A place where something stands that could be written once. */
interface Use {
  start: number
  end: number
  /** The code for this place, if what stands there is held by a variable. */
  by: (variable: string) => string
}

/** Functions that do not look at what they are called on. */
const FREE =
  /^(Object\.(keys|entries|values|hasOwn|getPrototypeOf)|Number\.is\w+|Math\.\w+|Array\.isArray|Date\.parse|JSON\.\w+)$/
const GLOBALS = /^(Object|Array|Number|BigInt|String|Error|Date|Map|Set|WeakMap|DataView|Uint(8|32)Array)$/

/** Variables get one or two letters; this is an average that is never too good. */
const VARIABLE = 'xx'

/** The same module with what repeats in variables. The names of those are long: a minifier has to give them others. */
export function withSharedNames(module: string): string {
  const worthIt = [...usesIn(module)]
    .filter(([code, uses]) => saved(uses) > costOf(code))
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([code, uses], i) => ({ code, uses, variable: `$shared${i}` }))
  if (worthIt.length === 0) return module
  const edits = worthIt.flatMap(({ uses, variable }) => uses.map((use) => ({ ...use, text: use.by(variable) })))
  let text = module
  for (const { start, end, text: by } of edits.sort((a, b) => b.start - a.start))
    text = text.slice(0, start) + by + text.slice(end)
  const words = worthIt.filter(({ code }) => isWord(code))
  const listed = `[${words.map(({ variable }) => variable)}]="${words.map(({ code }) => JSON.parse(code)).join(' ')}".split(" ")`
  const single = worthIt
    .filter(({ code }) => !isWord(code))
    .map(({ code, variable }) => (code === 'void 0' ? variable : `${variable}=${code}`))
  // A minifier gives the shortest names to what comes first: to `undefined` and `null`, and to the words used most.
  return `var ${[...single.slice(0, 2), listed, ...single.slice(2)].join()};${text}`
}

/** Words stand in one text, with spaces between them. */
const isWord = (code: string): boolean => /^"[^\s"\\]+"$/.test(code)

const costOf = (code: string): number =>
  code === 'void 0' ? 3 : isWord(code) ? code.length + 2 : code.length + VARIABLE.length + 2
const saved = (uses: readonly Use[]): number =>
  uses.reduce((sum, { start, end, by }) => sum + end - start - by(VARIABLE).length, 0)

/** What could be shared, by the code of its value. */
function usesIn(module: string): Map<string, Use[]> {
  const found = new Map<string, Use[]>()
  const add = (code: string, start: number, end: number, by: Use['by']): void => {
    found.set(code, [...(found.get(code) ?? []), { start, end, by }])
  }
  /** Between letters, a variable needs the spaces that quotes do not. */
  const spaced = (start: number, end: number) => (variable: string) =>
    `${/\w/.test(module[start - 1] ?? '') ? ' ' : ''}${variable}${/\w/.test(module[end] ?? '') ? ' ' : ''}`
  const visit = (node: AnyNode): void => {
    const { start, end } = node
    const code = module.slice(start, end)
    if (node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier') {
      if (FREE.test(code)) {
        add(code, start, end, (variable) => variable)
        return
      }
      const dot = node.optional ? '?.' : '.'
      const by = (variable: string): string => `${node.optional ? dot : ''}[${variable}]`
      add(JSON.stringify(node.property.name), node.property.start - dot.length, end, by)
      visit(node.object)
    } else if (node.type === 'Property' && !node.computed) {
      const { key, value, shorthand } = node
      const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' && key.value
      // As the name of a member it would set the prototype, and as a computed one it would not.
      if (typeof name === 'string' && name !== '__proto__')
        add(JSON.stringify(name), key.start, key.end, (variable) => `[${variable}]${shorthand ? `:${name}` : ''}`)
      if (!shorthand) visit(value)
      else if (value.type === 'AssignmentPattern') visit(value.right)
    } else if (node.type === 'Literal' && typeof node.value === 'string') {
      add(JSON.stringify(node.value), start, end, spaced(start, end))
    } else if (code === 'null' || code === 'void 0') {
      add(code, start, end, spaced(start, end))
    } else if (node.type === 'Identifier' && GLOBALS.test(node.name)) {
      add(node.name, start, end, (variable) => variable)
    } else {
      for (const child of Object.values(node).flat()) if (isNode(child)) visit(child)
    }
  }
  visit(nodesOf(module))
  return found
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && typeof (value as AnyNode).type === 'string'

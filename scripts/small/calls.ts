// Who calls which function of a module, as far as its text can tell.

import { isFunction, isWritten, type Node, type Tree, type Variable } from './tree.ts'

type Calls = Node[] | undefined

export const hasRest = ({ params }: Node): boolean => params.some(({ type }: Node) => type === 'RestElement')

/** Who calls what, in a module. */
interface Callers {
  /** The calls of a function; undefined where there may be others. */
  callsOf: (node: Node) => Calls
  /** Whether a member is only ever called, and by its name. */
  isOnlyCalled: (name: string) => boolean
}

export function callersIn(tree: Tree): Callers {
  const { parentOf, variableOf, nodes } = tree
  const callOf = (callee: Node): Calls => {
    const parent = parentOf.get(callee)
    const isCall = parent.type === 'CallExpression' && parent.callee === callee
    return isCall && !parent.arguments.some(({ type }: Node) => type === 'SpreadElement') ? [parent] : undefined
  }
  const together = (calls: readonly Calls[]): Calls =>
    calls.every((each) => each !== undefined) ? calls.flatMap((each) => each ?? []) : undefined
  /** Of a function that only this variable holds. */
  const through = (variable: Variable | undefined, written: Node): Calls =>
    variable && together(variable.uses.filter((use) => use !== written).map(callOf))

  const members = new Map<string, Calls[]>()
  const note = (name: string, calls: Calls): void => void members.set(name, [...(members.get(name) ?? []), calls])
  for (const node of nodes) {
    if (node.type === 'MemberExpression' && !node.computed) note(node.property.name, callOf(node))
    if (node.type === 'Property' && parentOf.get(node).type === 'ObjectPattern')
      note(node.key.name, through(variableOf.get(node.value), node.value))
    // Who has the name in a text could reach the member by it.
    for (const word of wordsIn(node)) note(word, undefined)
  }
  /** Of a member that is only ever called by its name. No object that has functions leaves the module. */
  const byName = (name: string): Calls => (BUILT_IN.has(name) ? undefined : together(members.get(name) ?? [undefined]))

  const held = new Map<Variable, Node>()
  for (const { type, id, init } of nodes) {
    const variable = type === 'VariableDeclarator' && init && isFunction(init) ? variableOf.get(id) : undefined
    if (variable && variable.uses.filter((use) => isWritten(use, tree)).length === 1) held.set(variable, init)
  }
  /** Of one that is passed to a function of the module, which calls it. */
  const asArgument = (node: Node, call: Node): Calls => {
    const target = held.get(variableOf.get(call.callee) as Variable)
    const parameter = target?.params[call.arguments.indexOf(node)]
    const isPlain = parameter?.type === 'Identifier' && callOf(call.callee) && !hasRest(target)
    return isPlain ? through(variableOf.get(parameter), parameter) : undefined
  }

  const callsOf = (node: Node): Calls => {
    const parent = parentOf.get(node)
    if (parent.type === 'CallExpression') return parent.callee === node ? callOf(node) : asArgument(node, parent)
    if (parent.type === 'VariableDeclarator') return through(variableOf.get(parent.id), parent.id)
    if (parent.type === 'Property' && !parent.computed && parentOf.get(parent).type === 'ObjectExpression')
      return byName(parent.key.name)
    return undefined
  }
  return { callsOf, isOnlyCalled: (name) => byName(name) !== undefined }
}

const wordsIn = ({ type, value }: Node): string[] =>
  type === 'TemplateElement'
    ? value.cooked.split(/\W+/)
    : type === 'Literal' && typeof value === 'string'
      ? value.split(/\W+/)
      : []

/** Members that a platform may call by itself. */
const BUILT_IN = new Set(
  [Object, Array, String, Function, RegExp, Map, Set, Promise, Uint8Array, Date, Iterator].flatMap((each) => [
    ...Object.getOwnPropertyNames(each),
    ...Object.getOwnPropertyNames(each.prototype),
  ]),
)

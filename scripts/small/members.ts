// Short names for the functions that objects of the module have.

import { callersIn } from './calls.ts'
import { isFunction, type Node, type Tree, treeOf } from './tree.ts'

/**
 * The same module with short names for members of its own. Only functions: data comes from elsewhere, or goes there, and a
 * name that is ours in one place may be someone else's in another. A member is ours if the module writes it into objects, as
 * a function each time, and if it is only ever called, by a name that is in no text and that no platform knows. JSON has no
 * functions, and no object that has some leaves the module or comes into it.
 */
export function withShortMembers(module: string): Node {
  const tree = treeOf(module)
  const { isOnlyCalled } = callersIn(tree)
  const properties = tree.nodes.filter(
    (node) => node.type === 'Property' && !node.computed && tree.parentOf.get(node).type === 'ObjectExpression',
  )
  const isOurs = (name: string): boolean =>
    isOnlyCalled(name) &&
    properties
      .filter(({ key }) => key.name === name)
      .every((property) => isFunction(property.value) && !isTable(tree.parentOf.get(property), tree))
  const ours = [...new Set(properties.map(({ key }) => key.name))].filter((name) => name && isOurs(name))
  const places = tree.nodes.filter((node) => ['Property', 'MemberExpression'].includes(node.type) && !node.computed)
  const nameAt = (node: Node): Node => node.key ?? node.property
  const taken = new Set(places.map((place) => nameAt(place).name))
  const free = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'].filter((name) => !taken.has(name))
  const short = new Map(ours.slice(0, free.length).map((name, i) => [name, free[i]]))
  for (const place of places) nameAt(place).name = short.get(nameAt(place).name) ?? nameAt(place).name
  return tree.program
}

/** An object in which something may be looked up by a name that comes from elsewhere: one of the module, or passed on. */
function isTable(object: Node, { parentOf, variableOf }: Tree): boolean {
  const isInFunction = (node: Node): boolean =>
    node !== undefined && (isFunction(node) || isInFunction(parentOf.get(node)))
  if (!isInFunction(object)) return true
  const { type, id, left, arguments: given } = parentOf.get(object)
  if (given) return true
  const isPassedOn = (use: Node): boolean => {
    const parent = parentOf.get(use)
    return parent.type === 'CallExpression' || (parent.type === 'MemberExpression' && parent.computed)
  }
  const held =
    ['VariableDeclarator', 'AssignmentPattern', 'AssignmentExpression'].includes(type) && variableOf.get(id ?? left)
  return held ? held.uses.some(isPassedOn) : false
}

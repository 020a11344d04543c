// A module as a tree, with its variables: what the steps that make a module small work on.

import { parse } from 'acorn'
import { minify } from 'terser'

/** A node as acorn makes it (ESTree), or one that a step puts in its place. */
// biome-ignore lint/suspicious/noExplicitAny: the steps move nodes of all kinds, and what they write is parsed again
export type Node = any

export interface Scope {
  parent: Scope | undefined
  isFunction: boolean
  variables: Map<string, Variable>
}

export interface Variable {
  scope: Scope
  /** Every place where it stands, those included where it is declared or written. */
  uses: Node[]
  /** The scopes between its own and those in which it is used, both included: in all of them its name is taken. */
  reach: Set<Scope>
}

export interface Tree {
  program: Node
  /** All nodes, each after the one that it is in. */
  nodes: Node[]
  parentOf: Map<Node, Node>
  variables: Variable[]
  variableOf: Map<Node, Variable>
  /** The names that the module takes from outside. */
  globals: Set<string>
}

export const isFunction = ({ type }: Node): boolean =>
  ['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'].includes(type)

const isNode = (value: unknown): boolean => typeof (value as Node)?.type === 'string'

export const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/** Whether this holds for a node or something in it; functions in it are left out. */
export const hasOutsideFunctions = (node: Node, holds: (node: Node) => boolean): boolean =>
  holds(node) || childrenOf(node).some((child) => !isFunction(child) && hasOutsideFunctions(child, holds))

/** The variables that a pattern names. */
export function namesIn(pattern: Node): Node[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern]
    case 'ObjectPattern':
      return pattern.properties.flatMap((each: Node) => namesIn(each.type === 'Property' ? each.value : each))
    case 'ArrayPattern':
      return pattern.elements.flatMap(namesIn)
    case 'AssignmentPattern':
      return namesIn(pattern.left)
    case 'RestElement':
      return namesIn(pattern.argument)
    default:
      return []
  }
}

/** Whether an identifier names a member or an export, and no variable. */
const isMemberName = (node: Node, parent: Node): boolean =>
  (parent.type === 'MemberExpression' && parent.property === node && !parent.computed) ||
  (['Property', 'PropertyDefinition', 'MethodDefinition'].includes(parent.type) &&
    parent.key === node &&
    !parent.computed) ||
  (parent.type === 'ExportSpecifier' && parent.exported === node)

const OPENS_SCOPE =
  /^(Program|BlockStatement|ForStatement|ForOfStatement|ForInStatement|SwitchStatement|CatchClause|PropertyDefinition)$/

const scopeIn = (parent: Scope | undefined, isFunction: boolean): Scope => ({
  parent,
  isFunction,
  variables: new Map(),
})

/** What a node declares in the scope that it opens or stands in. */
function declaredBy(node: Node): Node[] {
  if (node.type === 'VariableDeclaration') return node.declarations.flatMap(({ id }: Node) => namesIn(id))
  if (node.type === 'CatchClause') return namesIn(node.param)
  if (node.type === 'FunctionExpression') return [...namesIn(node.id), ...node.params.flatMap(namesIn)]
  if (isFunction(node)) return node.params.flatMap(namesIn)
  return node.type.startsWith('Class') ? namesIn(node.id) : []
}

const functionAround = (scope: Scope): Scope =>
  scope.parent && !scope.isFunction ? functionAround(scope.parent) : scope

export function treeOf(module: string): Tree {
  const program: Node = parse(module, { ecmaVersion: 'latest', sourceType: 'module' })
  const nodes: Node[] = []
  const parentOf = new Map<Node, Node>()
  const variables: Variable[] = []
  const found: [Node, Scope][] = []

  const declare = ({ name }: Node, scope: Scope): void => {
    if (scope.variables.has(name)) return
    const variable = { scope, uses: [], reach: new Set([scope]) }
    scope.variables.set(name, variable)
    variables.push(variable)
  }
  const visit = (node: Node, parent: Node | undefined, around: Scope | undefined): void => {
    nodes.push(node)
    if (parent) parentOf.set(node, parent)
    const isBody = parent !== undefined && isFunction(parent) && parent.body === node
    const scope =
      !around || isFunction(node) || (OPENS_SCOPE.test(node.type) && !isBody)
        ? scopeIn(around, !around || isFunction(node))
        : around
    if (around && node.type === 'FunctionDeclaration') declare(node.id, around)
    for (const name of declaredBy(node)) declare(name, node.kind === 'var' ? functionAround(scope) : scope)
    if (node.type === 'Identifier' && parent && !isMemberName(node, parent)) found.push([node, scope])
    if (node.type === 'Property' && node.shorthand) Object.assign(node, { shorthand: false, key: { ...node.key } })
    if (node.type === 'ExportSpecifier') node.exported = { ...node.exported }
    for (const child of childrenOf(node)) visit(child, node, scope)
  }
  visit(program, undefined, undefined)

  const variableOf = new Map<Node, Variable>()
  const globals = new Set<string>()
  for (const [node, scope] of found) {
    let owner: Scope | undefined = scope
    while (owner && !owner.variables.has(node.name)) owner = owner.parent
    const variable = owner?.variables.get(node.name)
    if (!variable) {
      globals.add(node.name)
      continue
    }
    variable.uses.push(node)
    variableOf.set(node, variable)
    for (let each: Scope | undefined = scope; each && each !== owner; each = each.parent) variable.reach.add(each)
  }
  // Each has a name of its own from here on, so that a step may move it into another scope.
  variables.forEach(({ uses }, i) => {
    for (const use of uses) use.name = `v$${i}`
  })
  return { program, nodes, parentOf, variables, variableOf, globals }
}

/** Whether a variable gets a value at this place. */
export function isWritten(node: Node, { parentOf }: Tree): boolean {
  const parent = parentOf.get(node)
  switch (parent.type) {
    case 'VariableDeclarator':
      return parent.id === node
    case 'AssignmentExpression':
    case 'AssignmentPattern':
    case 'ForOfStatement':
    case 'ForInStatement':
      return parent.left === node
    case 'Property':
      return parentOf.get(parent).type === 'ObjectPattern'
    case 'UpdateExpression':
    case 'ArrayPattern':
    case 'RestElement':
    case 'ClassDeclaration':
    case 'CatchClause':
      return true
    default:
      return isFunction(parent) && parent.params.includes(node)
  }
}

/** Puts another node in the place of one. */
export function replace(node: Node, by: Node, { parentOf }: Tree): void {
  const parent = parentOf.get(node)
  for (const [name, member] of Object.entries(parent))
    if (member === node) parent[name] = by
    else if (Array.isArray(member) && member.includes(node)) member[member.indexOf(node)] = by
  parentOf.set(by, parent)
}

export const identifier = (name: string): Node => ({ type: 'Identifier', name })

/** The text of a tree, with or without what Terser makes smaller in it. */
export async function printed(program: Node, compress: object | false, mangle = true): Promise<string> {
  // The types of Terser do not know that it takes trees.
  const parse = { spidermonkey: true } as object
  const { code = '' } = await minify(program, { module: true, ecma: 2020, parse, compress, mangle })
  return code
}

// Values that have two names: what is given to a function that is called where it stands, as a minifier leaves one that was
// called once, and what a variable takes from another.

import { isWritten, type Node, replace, type Tree, treeOf } from './tree.ts'

/** `((e,t)=>e+t(e))(a,b)` is `(()=>a+b(a))()`, and that is `a+b(a)`. */
export function withKnownArguments(module: string): Node {
  const tree = treeOf(module)
  for (const node of tree.nodes) {
    if (node.type === 'CallExpression' && node.callee.type === 'ArrowFunctionExpression') readGiven(node, tree)
    if (node.type === 'VariableDeclaration') readTaken(node, tree)
  }
  return tree.program
}

function readGiven(call: Node, tree: Tree): void {
  const { callee } = call
  if ([...call.arguments, ...callee.params].some(({ type }: Node) => /^(Spread|Rest)Element$/.test(type))) return
  const known = callee.params.map((parameter: Node, i: number) => {
    const value = valueGiven(parameter, call.arguments[i], tree)
    if (value) rename(parameter.left ?? parameter, value, tree)
    return value !== undefined
  })
  callee.params = callee.params.filter((_: Node, i: number) => !known[i])
  call.arguments = call.arguments.filter((_: Node, i: number) => !known[i])
  if (callee.params.length === 0 && call.arguments.length === 0 && callee.expression && !callee.async)
    replace(call, callee.body, tree)
}

/** The variable whose value a parameter has; undefined where it is another one, or may change. */
function valueGiven(parameter: Node, given: Node, tree: Tree): Node | undefined {
  const { type, left, right } = parameter
  if (type !== 'AssignmentPattern') return isFixed(parameter, tree) && isFixed(given, tree) ? given : undefined
  if (!isFixed(left, tree)) return undefined
  if (!given) return isFixed(right, tree) ? right : undefined
  return isFixed(given, tree) && isDefined(given, tree) ? given : undefined
}

/** `var a=b` of two that never change. */
function readTaken(declaration: Node, tree: Tree): void {
  const { declarations } = declaration
  const others = declarations.filter(({ id, init }: Node) => !(isFixed(id, tree) && isFixed(init, tree)))
  if (others.length === 0 || others.length === declarations.length) return
  for (const each of declarations) if (!others.includes(each)) rename(each.id, each.init, tree)
  declaration.declarations = others
}

function rename(variable: Node, value: Node, tree: Tree): void {
  for (const use of tree.variableOf.get(variable)?.uses ?? []) use.name = value.name
}

/** A variable that has one value as long as it is there. */
const isFixed = (node: Node, tree: Tree): boolean => writtenTo(node, tree).length === 1

function writtenTo(node: Node, tree: Tree): Node[] {
  const variable = node?.type === 'Identifier' ? tree.variableOf.get(node) : undefined
  return variable?.uses.filter((use) => isWritten(use, tree)) ?? []
}

/** Whether a value is never undefined, as far as that can be seen. */
function isDefined(node: Node, tree: Tree): boolean {
  if (node.type === 'Identifier') {
    const [written] = writtenTo(node, tree)
    const { type, init, right } = tree.parentOf.get(written) ?? {}
    const value = type === 'VariableDeclarator' ? init : type === 'AssignmentPattern' ? right : undefined
    return isFixed(node, tree) && value ? isDefined(value, tree) : false
  }
  if (node.type === 'CallExpression' && node.callee.type === 'Identifier') {
    const [written] = isFixed(node.callee, tree) ? writtenTo(node.callee, tree) : []
    const { init } = tree.parentOf.get(written) ?? {}
    return init?.type === 'ArrowFunctionExpression' && init.expression && isDefined(init.body, tree)
  }
  if (node.type === 'CallExpression') return node.callee.object?.name === 'Object'
  return /^(Literal|TemplateLiteral|ArrowFunctionExpression|ObjectExpression|ArrayExpression|NewExpression)$/.test(
    node.type,
  )
}

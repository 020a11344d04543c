// Values that have two names: what is given to a function that is called where it stands, as a minifier leaves one that was
// called once, and what a variable takes from another.

import {
  childrenOf,
  hasOutsideFunctions,
  isFunction,
  isWritten,
  type Node,
  replace,
  type Tree,
  treeOf,
} from './tree.ts'

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
    return value !== undefined || isPutInPlace(call, i, tree)
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

const isActing = ({ type }: Node): boolean =>
  /^(Call|New|Assignment|Update|Await|TaggedTemplate|Import)Expression$/.test(type)
const acts = (node: Node): boolean => isActing(node) || childrenOf(node).some(acts)

/**
 * Puts what is given in the one place where it is read, if nothing is done before, and nothing else is given that does
 * something. What does something itself must be read in any case.
 */
function isPutInPlace({ callee, arguments: given }: Node, i: number, tree: Tree): boolean {
  const parameter = callee.params[i]
  const isLeftOut = parameter.type === 'AssignmentPattern' && i >= given.length
  const [name, value] = isLeftOut ? [parameter.left, parameter.right] : [parameter, given[i]]
  if (!callee.expression || !value || !isFixed(name, tree) || hasOutsideFunctions(value, isAwait)) return false
  const [use, another] = tree.variableOf.get(name)?.uses.filter((each) => each !== name) ?? []
  const others = [...given, ...callee.params].filter((each) => each !== value && each !== parameter)
  if (!use || another || others.some(acts)) return false
  const isConditional = conditionOf(use, callee, tree)
  if (isConditional === undefined || (isConditional && acts(value))) return false
  let hasActed = false
  const reaches = (node: Node): boolean => {
    if (node === use || childrenOf(node).some(reaches)) return true
    hasActed ||= isActing(node)
    return false
  }
  if (!reaches(callee.body) || hasActed) return false
  replace(use, value, tree)
  return true
}

const isAwait = ({ type }: Node): boolean => type === 'AwaitExpression'

/** Whether a place in a function is only sometimes reached; undefined if it is in another function in it, or a parameter. */
function conditionOf(node: Node, around: Node, tree: Tree): boolean | undefined {
  const parent = tree.parentOf.get(node)
  if (parent === around) return around.body === node ? false : undefined
  if (isFunction(parent)) return undefined
  const isSometimes =
    (parent.type === 'ConditionalExpression' && parent.test !== node) ||
    (parent.type === 'LogicalExpression' && parent.left !== node) ||
    parent.type === 'ChainExpression'
  const further = conditionOf(parent, around, tree)
  return further === undefined ? undefined : further || isSometimes
}

/** `var a=b` of two that never change, and `var a=b+"c"` that is used once. */
function readTaken(declaration: Node, tree: Tree): void {
  const { declarations } = declaration
  const taken = declarations.filter(({ id, init }: Node) => {
    const uses = isFixed(id, tree) ? tree.variableOf.get(id)?.uses.filter((use) => use !== id) : undefined
    return init && uses && (isFixed(init, tree) || (uses.length === 1 && isSum(init, tree)))
  })
  if (taken.length === declarations.length) return
  for (const { id, init } of taken) {
    if (init.type === 'Identifier') rename(id, init, tree)
    else for (const use of tree.variableOf.get(id)?.uses ?? []) if (use !== id) replace(use, init, tree)
  }
  declaration.declarations = declarations.filter((each: Node) => !taken.includes(each))
}

const isSum = ({ type, operator, left, right }: Node, tree: Tree): boolean =>
  type === 'BinaryExpression' && operator === '+' && isFixed(left, tree) && right.type === 'Literal'

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

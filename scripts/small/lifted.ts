// Functions that are called where they stand and given nothing: their variables can be those of the function around them.

import { callersIn, hasRest } from './calls.ts'
import { hasOutsideFunctions, identifier, isFunction, type Node, namesIn, replace, type Tree, treeOf } from './tree.ts'

/** `(a,b=((c=f(a))=>g(c))())=>h(b)` is `(a,c=f(a),b=g(c))=>h(b)`: nobody passes what stands after the parameters. */
export function withLiftedVariables(module: string): Node {
  const tree = treeOf(module)
  const { callsOf } = callersIn(tree)
  const passed = new Map<Node, number>()
  for (const node of tree.nodes) {
    const calls = isFunction(node) && !hasRest(node) ? callsOf(node) : undefined
    if (calls) passed.set(node, Math.max(0, ...calls.map((call) => call.arguments.length)))
  }
  for (const call of tree.nodes.filter(isBareCall)) {
    const awaiting = tree.parentOf.get(call)
    const place = call.callee.async ? awaiting : call
    const around = functionAround(place, tree)
    if (call.callee.async && !(awaiting.type === 'AwaitExpression' && around?.async)) continue
    const most = passed.get(around)
    if (most !== undefined && most <= around.params.length) lift(call.callee, place, around, most, tree)
  }
  return tree.program
}

const isBareCall = ({ type, callee, arguments: given }: Node): boolean =>
  type === 'CallExpression' &&
  callee.type === 'ArrowFunctionExpression' &&
  callee.expression &&
  given.length === 0 &&
  !hasRest(callee)

const functionAround = (node: Node, { parentOf }: Tree): Node | undefined => {
  const parent = parentOf.get(node)
  return !parent || isFunction(parent) ? parent : functionAround(parent, { parentOf } as Tree)
}

function lift({ params, body }: Node, place: Node, around: Node, most: number, tree: Tree): void {
  const parent = tree.parentOf.get(place)
  const at = around.params.indexOf(parent)
  // The value of a parameter: the variables become parameters before it.
  if (at >= most && parent.right === place) {
    around.params.splice(at, 0, ...params)
    replace(place, body, tree)
    for (const each of params) tree.parentOf.set(each, around)
    return
  }
  // Elsewhere they are declared as parameters, and get their values in place. In a loop they would keep them.
  let step = place
  while (tree.parentOf.get(step) !== around) {
    step = tree.parentOf.get(step)
    if (/^(For|While|DoWhile)/.test(step.type)) return
  }
  const names = params.flatMap(namesIn)
  const before = step === around.body ? around.params.length : around.params.indexOf(step)
  // More of them are longer than the function.
  if (before < most || names.length > 2) return
  const values = params.filter(({ type }: Node) => type === 'AssignmentPattern')
  if (hasOutsideFunctions(body, ({ type }) => type === 'ThisExpression')) return
  const assigned = values.map(({ left, right }: Node) => ({ type: 'AssignmentExpression', operator: '=', left, right }))
  const expressions = [...assigned, ...(body.type === 'SequenceExpression' ? body.expressions : [body])]
  around.params.splice(before, 0, ...names.map(({ name }: Node) => identifier(name)))
  replace(place, expressions.length === 1 ? body : { type: 'SequenceExpression', expressions }, tree)
}

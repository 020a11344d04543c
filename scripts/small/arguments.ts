// Functions that are called where they stand, as a minifier leaves one that was called once: what they are given under another
// name they can read under its own.

import { isWritten, type Node, replace, type Tree, treeOf } from './tree.ts'

/** `((e,t)=>e+t(e))(a,b)` is `(()=>a+b(a))()`, and that is `a+b(a)`. */
export function withKnownArguments(module: string): Node {
  const tree = treeOf(module)
  for (const call of tree.nodes) {
    if (call.type !== 'CallExpression' || call.callee.type !== 'ArrowFunctionExpression') continue
    const { callee } = call
    if (call.arguments.some(({ type }: Node) => type === 'SpreadElement')) continue
    const isKnown = (_: Node, i: number): boolean =>
      hasOneValue(callee.params[i], tree) && isFixed(call.arguments[i], tree)
    const known = call.arguments.map(isKnown)
    callee.params.forEach((parameter: Node, i: number) => {
      if (!known[i]) return
      const { name } = call.arguments[i]
      for (const use of tree.variableOf.get(parameter)?.uses ?? []) use.name = name
    })
    callee.params = callee.params.filter((_: Node, i: number) => !known[i])
    call.arguments = call.arguments.filter((_: Node, i: number) => !known[i])
    if (callee.params.length === 0 && call.arguments.length === 0 && callee.expression && !callee.async)
      replace(call, callee.body, tree)
  }
  return tree.program
}

/** A parameter that is never given another value. */
const hasOneValue = (parameter: Node, tree: Tree): boolean => isFixed(parameter, tree)

/** A variable that has one value as long as it is there. */
function isFixed(node: Node, tree: Tree): boolean {
  const variable = node?.type === 'Identifier' ? tree.variableOf.get(node) : undefined
  return variable?.uses.filter((use) => isWritten(use, tree)).length === 1
}

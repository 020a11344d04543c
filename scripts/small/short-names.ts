// Names for variables: the shortest for those that stand most often, each wherever no other one has it.

import { type Node, type Tree, treeOf, type Variable } from './tree.ts'

const LETTERS = 'etrnaoislfudcpwmyghbkAvzSUIMExCOTNZRjDLPFBHGqWKYJQXV$_'

const NAMES = [...LETTERS, ...[...LETTERS].flatMap((first) => [...`${LETTERS}0123456789`].map((then) => first + then))]
const RESERVED = new Set(['do', 'if', 'in', 'of', 'as'])

/** Whether one of them would hide the other at a place where it is used. */
const meet = (a: Variable, b: Variable): boolean => a.reach.has(b.scope) || b.reach.has(a.scope)

export function withShortNames(module: string, further: (tree: Tree) => void = () => {}): Node {
  const tree = treeOf(module)
  further(tree)
  const named = new Map<string, Variable[]>()
  for (const variable of tree.variables.toSorted((a, b) => b.uses.length - a.uses.length)) {
    const name = NAMES.find(
      (each) =>
        !RESERVED.has(each) && !tree.globals.has(each) && !named.get(each)?.some((other) => meet(other, variable)),
    )
    if (!name) throw new Error('there are more variables than names')
    named.set(name, [...(named.get(name) ?? []), variable])
    for (const use of variable.uses) use.name = name
  }
  return tree.program
}

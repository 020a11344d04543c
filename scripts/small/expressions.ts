// The same things said in fewer characters: members that are taken out of an object to be used once, texts with values in
// them, patterns and numbers.

import {
  hasOutsideFunctions,
  identifier,
  isFunction,
  isWritten,
  type Node,
  replace,
  type Tree,
  treeOf,
} from './tree.ts'

export function withShortExpressions(module: string): Node {
  const tree = treeOf(module)
  takeFromObjects(tree)
  for (const node of tree.nodes.toReversed()) {
    if (node.type === 'TemplateLiteral') replace(node, joined(node), tree)
    else if (isKnownPattern(node)) replace(node, patternOf(node), tree)
  }
  return tree.program
}

const text = (value: string): Node => ({ type: 'Literal', value })
const isText = (node: Node): boolean => node?.type === 'Literal' && typeof node.value === 'string'
const binary = (operator: string) => (left: Node, right: Node) => ({ type: 'BinaryExpression', operator, left, right })

/** A template as a sum. Both make the same text of what JSON can hold, as long as a text stands among the first two. */
function joined({ quasis, expressions }: Node): Node {
  const parts = quasis
    .flatMap(({ value }: Node, i: number) => [text(value.cooked), expressions[i]])
    .filter((part: Node) => part && part.value !== '')
  if (!isText(parts[0]) && !isText(parts[1])) parts.unshift(text(''))
  return parts.reduce(binary('+'))
}

const isKnownPattern = (node: Node): boolean =>
  node.type === 'NewExpression' && node.callee.name === 'RegExp' && node.arguments.every(isText)

function patternOf({ arguments: [{ value: pattern }, flags] }: Node): Node {
  const value = new RegExp(pattern, flags?.value)
  return { type: 'Literal', value, raw: String(value), regex: { pattern: value.source, flags: value.flags } }
}

/**
 * `({key:e})=>e` is `e=>e.key`. What is read later must be the same: no member that the module ever assigns to is taken, and
 * none across an `await`, in which the caller could change what it has passed.
 */
function takeFromObjects(tree: Tree): void {
  const { nodes, parentOf, variableOf } = tree
  const assigned = new Set(
    nodes.filter(({ type }) => type === 'AssignmentExpression').map(({ left }) => left.property?.name),
  )
  const lengthOf = lengthsOfMembers(nodes)
  const functionOf = (node: Node): Node => (!node || isFunction(node) ? node : functionOf(parentOf.get(node)))
  nodes
    .filter(({ type }) => type === 'ObjectPattern')
    .forEach((pattern, i) => {
      const holder = parentOf.get(pattern)
      const isParameter = isFunction(holder)
      if (!isParameter && !(holder.type === 'VariableDeclarator' && holder.init)) return
      const around = functionOf(holder)
      if (around?.async && hasOutsideFunctions(around.body, ({ type }) => type === 'AwaitExpression')) return
      const members = pattern.properties.map(({ key, value, computed }: Node) => {
        const uses = variableOf.get(value)?.uses.filter((use) => use !== value)
        return {
          name: key?.name,
          uses: uses ?? [],
          isFit: !computed && uses && !uses.some((use) => isWritten(use, tree)),
        }
      })
      if (!members.every(({ name, isFit }: Node) => isFit && !assigned.has(name))) return
      const source = isParameter ? undefined : variableOf.get(holder.init)
      const isThere = source?.uses.filter((use) => isWritten(use, tree)).length === 1
      const sum = (of: (member: Node) => number): number =>
        members.reduce((all: number, member: Node) => all + of(member), 0)
      const taken = sum(({ name, uses }) => lengthOf(name) + 3 + uses.length) + (isThere ? 7 : 1)
      const read = sum(({ name, uses }) => uses.length * (lengthOf(`.${name}`) + 1)) + (isThere ? 0 : 1)
      if (read >= taken + (isParameter && holder.params.length === 1 ? 2 : 0)) return
      const object = isThere ? holder.init.name : `o$${i}`
      for (const { name, uses } of members)
        for (const use of uses)
          replace(use, { type: 'MemberExpression', object: identifier(object), property: identifier(name) }, tree)
      if (isThere) leaveOut(holder, tree)
      else replace(pattern, identifier(object), tree)
    })
}

function leaveOut(declarator: Node, tree: Tree): void {
  const declaration = tree.parentOf.get(declarator)
  declaration.declarations = declaration.declarations.filter((each: Node) => each !== declarator)
  if (declaration.declarations.length === 0) replace(declaration, { type: 'EmptyStatement' }, tree)
}

/** How long the name of a member will be, with a dot or without: those that stand often enough are held by variables. */
function lengthsOfMembers(nodes: readonly Node[]): (name: string) => number {
  const often = new Map<string, number>()
  for (const { type, computed, property, key, value } of nodes) {
    const name =
      type === 'Literal' ? value : !computed && type === 'MemberExpression' ? property.name : !computed && key?.name
    if (typeof name === 'string') often.set(name, (often.get(name) ?? 0) + 1)
  }
  return (written) => {
    const name = written.replace('.', '')
    const isShared = name.length > 3 && (often.get(name) ?? 0) * (name.length - 2) > name.length + 4
    return isShared ? 3.5 : written.length
  }
}

/** `a,({b:c}=d)` is `a,{b:c}=d`. Only where a statement begins with such an assignment it needs its parentheses. */
export function withoutParentheses(module: string): string {
  const { nodes, parentOf } = treeOf(module)
  const needless = nodes.filter((node) => {
    if (node.type !== 'AssignmentExpression' || node.left.type !== 'ObjectPattern') return false
    const { type, expressions } = parentOf.get(node)
    const before = module.slice(node.start - 2, node.start)
    return type === 'SequenceExpression' && (before === '((' || (before === ',(' && expressions[0] !== node))
  })
  const left = new Set(needless.flatMap(({ start, end }) => [start - 1, end]))
  return [...module].filter((_, at) => !left.has(at)).join('')
}

/** Numbers that have a shorter form as a power or a fraction. Minifiers compute them, so this comes after. */
export function withShortNumbers(tree: Tree): void {
  for (const node of tree.nodes) {
    if (node.type !== 'Literal' || typeof node.value !== 'number') continue
    const [power, parts] = [Math.log2(node.value), Math.round(1 / node.value)]
    const number = (value: number): Node => ({ type: 'Literal', value })
    if (power > 16 && Number.isInteger(power)) replace(node, binary('**')(number(2), number(power)), tree)
    else if (node.value < 1 && 1 / parts === node.value && String(node.value).length > 6)
      replace(node, binary('/')(number(1), number(parts)), tree)
  }
}

// Functions that are one expression: `e=>{let t=f(e);if(!t)return;let r=g(t);return h(r)}` is `(e,t=f(e),r)=>t?(r=g(t),h(r)):void 0`.
// What a function keeps in variables stands among its parameters, which nobody passes.

import { callersIn, hasRest } from './calls.ts'
import {
  childrenOf,
  hasOutsideFunctions,
  identifier,
  isFunction,
  type Node,
  namesIn,
  type Tree,
  treeOf,
} from './tree.ts'

/** The module with its functions as expressions, where they can be. */
export function withExpressions(module: string): Node {
  const tree = treeOf(module)
  const { callsOf } = callersIn(tree)
  // Asked of all functions before any of them is changed.
  const planned = tree.nodes
    .filter((node) => node.type === 'ArrowFunctionExpression' || isPlainMethod(node, tree))
    .map((node) => {
      const calls = callsOf(node)
      const isOwn = !hasRest(node) && calls?.every((call) => call.arguments.length <= node.params.length)
      return { node, isOwn, isUnused: calls?.every((call) => isUnusedAt(call, tree)) === true }
    })
  for (const { node, isOwn, isUnused } of planned) {
    if (node.type === 'FunctionExpression') {
      tree.parentOf.get(node).method = false
      node.type = 'ArrowFunctionExpression'
    }
    if (node.body.type !== 'BlockStatement') continue
    if (isOwn) node.params.push(...localsOf(node, tree))
    else if (canBeExpression(node.body.body) && !hasOutsideFunctions(node.body, isAwait)) callAtOnce(node, tree)
    const body = node.body.type === 'BlockStatement' && valueIn(node.body.body, isUnused)
    if (body) Object.assign(node, { body, expression: true })
  }
  return tree.program
}

const isAwait = ({ type }: Node): boolean => type === 'AwaitExpression'

/** A method of an object that could as well be a member with an arrow. */
function isPlainMethod(node: Node, { parentOf }: Tree): boolean {
  const usesThis = (each: Node): boolean =>
    ['ThisExpression', 'Super'].includes(each.type) || each.name === 'arguments' || childrenOf(each).some(usesThis)
  const parent = parentOf.get(node)
  return node.type === 'FunctionExpression' && parent.method === true && !node.generator && !usesThis(node)
}

/** Whether nobody looks at what stands here. */
function isUnusedAt(node: Node, tree: Tree): boolean {
  const parent = tree.parentOf.get(node)
  const isPassedOn =
    parent.type === 'AwaitExpression' ||
    (parent.type === 'SequenceExpression' && parent.expressions.at(-1) === node) ||
    (parent.type === 'LogicalExpression' && parent.right === node) ||
    (parent.type === 'ConditionalExpression' && parent.test !== node)
  return isPassedOn ? isUnusedAt(parent, tree) : ['ExpressionStatement', 'SequenceExpression'].includes(parent.type)
}

/**
 * Takes the variables out of a function's body, to be parameters. Those that the body begins with have their values there;
 * of the others assignments are left. One of a loop that a function in the loop keeps stays: each round has its own.
 */
function localsOf(node: Node, tree: Tree): Node[] {
  const locals: Node[] = []
  const { body } = node.body
  while (body[0]?.type === 'VariableDeclaration') {
    const { declarations } = body[0]
    while (declarations.length > 0 && !(declarations[0].init && hasOutsideFunctions(declarations[0].init, isAwait))) {
      const { id, init } = declarations.shift()
      locals.push(init ? { type: 'AssignmentPattern', left: id, right: init } : id)
    }
    if (declarations.length > 0) break
    body.shift()
  }
  const functionOf = (each: Node): Node => (isFunction(each) ? each : functionOf(tree.parentOf.get(each)))
  const isKept = (name: Node): boolean =>
    tree.variableOf.get(name)?.uses.some((use) => functionOf(use) !== node) === true
  const take = (names: readonly Node[]): void => void locals.push(...names.map(({ name }) => identifier(name)))

  const inList = (list: Node[], inLoop: boolean): void => {
    for (const statement of [...list]) {
      if (statement.type !== 'VariableDeclaration') {
        inStatement(statement, inLoop)
        continue
      }
      const names = statement.declarations.flatMap(({ id }: Node) => namesIn(id))
      if (inLoop && names.some(isKept)) continue
      take(names)
      const written = statement.declarations.filter(({ init }: Node) => init || inLoop)
      list.splice(list.indexOf(statement), 1, ...written.map(assignment).map(asStatement))
    }
  }
  const inStatement = (statement: Node, inLoop: boolean): void => {
    const { type, left, init } = statement
    const head = type === 'ForStatement' ? init : type === 'ForOfStatement' ? left : undefined
    if (head?.type === 'VariableDeclaration') {
      const names = head.declarations.flatMap(({ id }: Node) => namesIn(id))
      // `let ` is as long as two further parameters.
      if (!names.some(isKept) && names.length < (left ? 2 : 4)) {
        take(names)
        if (left) statement.left = head.declarations[0].id
        else statement.init = sequence(head.declarations.map(assignment))
      }
    }
    const isLoop = inLoop || /^(For|While|DoWhile)/.test(type)
    if (type === 'BlockStatement') inList(statement.body, inLoop)
    else if (/^(If|For|While|DoWhile|Try|Catch)/.test(type))
      for (const each of childrenOf(statement))
        if (each.type.endsWith('Statement') || each.type === 'CatchClause') inStatement(each, isLoop)
  }
  inList(body, false)
  return locals
}

const assignment = ({ id, init }: Node): Node => ({
  type: 'AssignmentExpression',
  operator: '=',
  left: id,
  right: init ?? nothing(),
})
const asStatement = (expression: Node): Node => ({ type: 'ExpressionStatement', expression })

/** For a function that may be given anything: its variables are the parameters of one in it, which is called at once. */
function callAtOnce(node: Node, tree: Tree): void {
  if (!node.body.body.some(({ type }: Node) => type === 'VariableDeclaration')) return
  const params = localsOf(node, tree)
  const isFirstGiven = params[0]?.type === 'AssignmentPattern'
  const given = isFirstGiven ? [params[0].right] : []
  if (isFirstGiven) params[0] = params[0].left
  const callee = { type: 'ArrowFunctionExpression', params, body: valueIn(node.body.body, false), expression: true }
  Object.assign(node, { body: { type: 'CallExpression', callee, arguments: given }, expression: true })
}

const nothing = (): Node => ({
  type: 'UnaryExpression',
  operator: 'void',
  prefix: true,
  argument: { type: 'Literal', value: 0 },
})
const sequence = (parts: readonly Node[]): Node => {
  const expressions = parts.flatMap((part) => (part.type === 'SequenceExpression' ? part.expressions : [part]))
  return expressions.length === 1 ? expressions[0] : { type: 'SequenceExpression', expressions }
}
const choice = (test: Node, consequent: Node, alternate: Node): Node => ({
  type: 'ConditionalExpression',
  test,
  consequent,
  alternate,
})

const listed = (statement: Node): Node[] =>
  !statement ? [] : statement.type === 'BlockStatement' ? statement.body : [statement]
const isReturn = ({ type }: Node): boolean => type === 'ReturnStatement'
const alwaysReturns = (list: readonly Node[]): boolean =>
  list.some(
    (each) =>
      isReturn(each) ||
      (each.type === 'IfStatement' && alwaysReturns(listed(each.consequent)) && alwaysReturns(listed(each.alternate))),
  )

/** Whether these statements are one expression, once no variable is declared among them. */
const canBeExpression = (list: readonly Node[]): boolean =>
  valueIn(
    structuredClone(list).flatMap(function undeclared(each: Node): Node[] {
      if (each.type === 'VariableDeclaration') return [asStatement(nothing())]
      if (each.type !== 'IfStatement') return [each]
      const block = (branch: Node): Node => ({ type: 'BlockStatement', body: listed(branch).flatMap(undeclared) })
      return [{ ...each, consequent: block(each.consequent), alternate: each.alternate && block(each.alternate) }]
    }),
    false,
  ) !== undefined

/**
 * What a function returns that consists of these statements, as an expression; undefined where there is none. Where it is
 * not used it may be anything.
 */
function valueIn([first, ...rest]: readonly Node[], isUnused: boolean): Node | undefined {
  if (!first) return nothing()
  if (isReturn(first)) return first.argument ?? nothing()
  if (first.type === 'BlockStatement') return valueIn([...first.body, ...rest], isUnused)
  if (first.type === 'IfStatement' && hasOutsideFunctions(first, isReturn)) {
    const [yes, no] = [listed(first.consequent), listed(first.alternate)]
    const isSplit = rest.length === 0 || alwaysReturns(yes)
    if (!isSplit && !alwaysReturns(no)) return undefined
    const [consequent, alternate] = isSplit
      ? [valueIn(yes, isUnused), valueIn([...no, ...rest], isUnused)]
      : [valueIn([...yes, ...rest], isUnused), valueIn(no, isUnused)]
    return consequent && alternate && choice(first.test, consequent, alternate)
  }
  const effect = effectOf(first)
  if (rest.length === 0 && isUnused) return effect
  const value = valueIn(rest, isUnused)
  return effect && value && sequence([effect, value])
}

/** What a statement does that returns nothing, as an expression. */
function effectOf(statement: Node): Node | undefined {
  if (statement.type === 'EmptyStatement') return nothing()
  if (statement.type === 'ExpressionStatement') return statement.expression
  if (statement.type !== 'IfStatement') return undefined
  const [yes, no] = [statement.consequent, statement.alternate].map((branch) => {
    const effects = listed(branch).map(effectOf)
    return effects.includes(undefined) || effects.length === 0 ? undefined : sequence(effects as Node[])
  })
  if (!yes) return undefined
  if (statement.alternate) return no && choice(statement.test, yes, no)
  return { type: 'LogicalExpression', operator: '&&', left: statement.test, right: yes }
}

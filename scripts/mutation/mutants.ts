// All small changes of a file, and one text of the file that has all of them: each is behind a switch. So a process
// loads the code once and tries one change after the other.

import { relative } from 'node:path'
import * as ast from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/async'

export interface Mutant {
  id: number
  file: string
  line: number
  /** The line of the code as it is, so that a list of mutants can be checked against the code. */
  code: string
  /** What is changed, and into what. */
  was: string
  now: string
}

export interface Mutants {
  mutants: Mutant[]
  /** The text with the switches, by file. */
  texts: Record<string, string>
}

const { SyntaxKind: Kind } = ast

const COMPARISONS = new Map<ast.SyntaxKind, string>([
  [Kind.LessThanToken, '<='],
  [Kind.LessThanEqualsToken, '<'],
  [Kind.GreaterThanToken, '>='],
  [Kind.GreaterThanEqualsToken, '>'],
  [Kind.EqualsEqualsEqualsToken, ''],
  [Kind.ExclamationEqualsEqualsToken, ''],
])
const ARITHMETIC = new Map<ast.SyntaxKind, string>([
  [Kind.PlusToken, '-'],
  [Kind.MinusToken, '+'],
  [Kind.AsteriskToken, '/'],
  [Kind.SlashToken, '*'],
  [Kind.PercentToken, '*'],
  [Kind.AmpersandToken, '|'],
  [Kind.BarToken, '&'],
  [Kind.CaretToken, '|'],
  [Kind.LessThanLessThanToken, '>>'],
  [Kind.GreaterThanGreaterThanToken, '<<'],
  [Kind.GreaterThanGreaterThanGreaterThanToken, '<<'],
  [Kind.PlusEqualsToken, '-='],
  [Kind.MinusEqualsToken, '+='],
])
const LOGICAL: readonly ast.SyntaxKind[] = [Kind.AmpersandAmpersandToken, Kind.BarBarToken]
const METHODS: readonly [RegExp, string][] = [
  [/^Math\.max$/, 'min'],
  [/^Math\.min$/, 'max'],
  [/\.every$/, 'some'],
  [/\.some$/, 'every'],
]

/** What stands where only true or false matters: an `if`, a loop, a choice. */
function conditionOf(node: ast.Node): ast.Node | undefined {
  if (ast.isIfStatement(node) || ast.isWhileStatement(node) || ast.isDoStatement(node)) return node.expression
  if (ast.isConditionalExpression(node) || ast.isForStatement(node)) return node.condition
  return undefined
}

const isLogical = (node: ast.Node): boolean => ast.isBinaryExpression(node) && LOGICAL.includes(node.operatorToken.kind)

/** Changes the files of one program. Ids count on through all files. */
class Instrument {
  readonly #mutants: Mutant[]
  readonly #file: string
  readonly #source: ast.SourceFile

  constructor(mutants: Mutant[], file: string, source: ast.SourceFile) {
    this.#mutants = mutants
    this.#file = file
    this.#source = source
  }

  text(): string {
    return `const { MUTANT } = globalThis; ${this.#render(this.#source, 0)}`
  }

  #textOf(node: ast.Node): string {
    return this.#source.text.slice(node.getStart(this.#source), node.end)
  }

  #operand(node: ast.Node): string {
    const text = this.#textOf(node)
    return ast.isBinaryExpression(node) ? `(${text})` : text
  }

  #render(node: ast.Node, from = node.getStart(this.#source), parent?: ast.Node): string {
    const isWithoutCode = ast.isTypeNode(node) || ast.isImportDeclaration(node) || ast.isInterfaceDeclaration(node)
    if (isWithoutCode || ast.isTypeAliasDeclaration(node)) return this.#textOf(node)
    const children: ast.Node[] = []
    node.forEachChild((child) => {
      children.push(child)
      return undefined
    })
    let text = ''
    let at = from
    for (const child of children.sort((a, b) => a.pos - b.pos)) {
      const start = child.getStart(this.#source)
      text += this.#source.text.slice(at, start) + this.#render(child, start, node)
      at = child.end
    }
    text += this.#source.text.slice(at, node.end)
    if (ast.isExpressionStatement(node)) return this.#removable(node, text)
    const changes = [...this.#changesOf(node, parent)].map((now) => `${this.#switch(node, now)} ? (${now}) : `)
    return changes.length > 0 ? `(${changes.join('')}${text})` : text
  }

  /** A call or an assignment that can be left out. */
  #removable(node: ast.ExpressionStatement, text: string): string {
    if (this.#textOf(node).startsWith('super(')) return text
    return `{ if (!(${this.#switch(node, '')})) ${text} }`
  }

  #switch(node: ast.Node, now: string): string {
    const id = this.#mutants.length
    const start = node.getStart(this.#source)
    const line = this.#source.text.slice(0, start).split('\n').length
    const code = (this.#source.text.split('\n')[line - 1] ?? '').trim()
    const was = this.#textOf(node)
    this.#mutants.push({ id, file: this.#file, line, code, was, now })
    return `MUTANT.is(${id})`
  }

  *#changesOf(node: ast.Node, parent: ast.Node | undefined): Generator<string> {
    const isCondition = parent !== undefined && conditionOf(parent) === node
    const isLoop = isCondition && !ast.isIfStatement(parent) && !ast.isConditionalExpression(parent)
    const isLiteral = node.kind === Kind.TrueKeyword || node.kind === Kind.FalseKeyword
    if (isLiteral) return yield node.kind === Kind.TrueKeyword ? 'false' : 'true'
    if (isCondition && !isLoop) yield 'true'
    if (isCondition) yield 'false'
    const isPart = isCondition || (parent !== undefined && isLogical(parent))
    if (ast.isBinaryExpression(node)) {
      const [left, right] = [this.#operand(node.left), this.#operand(node.right)]
      const { kind } = node.operatorToken
      const other = COMPARISONS.get(kind)
      if (other !== undefined && !isPart) yield* ['true', 'false']
      if (other) yield `${left} ${other} ${right}`
      if (LOGICAL.includes(kind)) yield* [left, right]
      // A text that is put together is no arithmetic, and what it says is for people.
      const isText = kind === Kind.PlusToken && /['"`]/.test(left + right)
      if (ARITHMETIC.has(kind) && !isText) yield `${left} ${ARITHMETIC.get(kind)} ${right}`
    }
    if (ast.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken && !isPart)
      yield* ['true', 'false']
    if (ast.isRegularExpressionLiteral(node)) {
      const [, body = '', flags = ''] = /^\/(.*)\/([a-z]*)$/.exec(node.text) ?? []
      if (/^\^[^|]*$/.test(body)) yield `/${body.slice(1)}/${flags}`
      if (/[^\\]\$$/.test(body)) yield `/${body.slice(0, -1)}/${flags}`
    }
    if (ast.isCallExpression(node) && ast.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression
      const other = METHODS.find(([pattern]) => pattern.test(this.#textOf(node.expression)))?.[1]
      const rest = this.#source.text.slice(name.end, node.end)
      if (other) yield `${this.#textOf(expression)}.${other}${rest}`
      if (name.text === 'filter') yield this.#textOf(expression)
    }
  }
}

/** Reads the files as the compiler does. */
export async function mutantsOf(root: string, files: readonly string[]): Promise<Mutants> {
  const api = new API({ cwd: root })
  try {
    const snapshot = await api.updateSnapshot({ openFiles: files.map((file) => `${root}/${file}`) })
    const mutants: Mutant[] = []
    const texts: Record<string, string> = {}
    for (const file of files) {
      const project = await snapshot.getDefaultProjectForFile(`${root}/${file}`)
      const source = await project?.program.getSourceFile(`${root}/${file}`)
      if (!source) throw new Error(`cannot read ${relative(root, file)}`)
      texts[file] = new Instrument(mutants, file, source).text()
    }
    return { mutants, texts }
  } finally {
    await api.close()
  }
}

import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { EXAMPLE, exampleFiles } from '../../scripts/example.ts'
import { generated } from '../../scripts/generated.ts'
import type { Command } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { Settings } from '../../src/config.ts'
import { LOAD_KINDS } from '../../src/ingest/readers.ts'
import { PROBLEMS } from '../../src/problem.ts'
import { concat, toHex, utf8 } from '../../src/proof/bytes.ts'
import { REASONS as FAULTS } from '../../src/proof/fault.ts'
import { checkGrowth } from '../../src/proof/growth.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { type Inquiry, parsePolicy, verifyBody } from '../../src/proof/verify-lists.ts'
import { manual } from '../support/manual.ts'
import { isSkipped } from '../support/skipping.ts'

const ROOT = join(import.meta.dir, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const filesLike = (...patterns: string[]): string[] =>
  patterns.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: ROOT, dot: true })].sort())
const DOCUMENTS = filesLike('*.md', 'docs/**/*.md', 'sample/*.md', '.github/*.md')
const WORKFLOWS = filesLike('.github/**/*.yml')

test.each(DOCUMENTS)('every relative link of %s leads somewhere', (path) => {
  const links = [...proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  const relative = links.filter((target) => !/^(https?:|#)/.test(target)).map((target) => target.split('#')[0] ?? '')
  expect(relative.filter((target) => !existsSync(join(ROOT, dirname(path), target)))).toEqual([])
})

test.each([...DOCUMENTS, ...WORKFLOWS])('%s speaks of the project alone', (path) => {
  expect(read(path)).not.toMatch(/(\/wor[k]\/|registry\.npm[j]s|deb\.debia[n]|\bissu[e] #?[0-9]+)/i)
})

test('every script that a document tells to run exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
  const told = [...DOCUMENTS.map(codeOf), ...WORKFLOWS.map(read)]
  const commands = told.flatMap((text) => [...text.matchAll(/\bnpm (?:run (?:-s )?)?([a-z:]+)/g)])
  const named = new Set(commands.map(([, script = '']) => script))
  expect(named).toContain('start')
  const ofNpm = ['ci', 'install', 'pack', 'publish']
  expect([...named].filter((script) => !ofNpm.includes(script) && !Object.hasOwn(scripts, script))).toEqual([])
})

const CODE = /```[\s\S]*?```|`[^`\n]+`/g

/** What stands in code: prose such as "npm does not" is no command. */
const codeOf = (path: string): string => [...read(path).matchAll(CODE)].map(([text]) => text).join('\n')

/** What does not: a pattern such as `[0-9](-[0-9])` is no link. The text of a link may itself be code. */
const proseOf = (path: string): string => read(path).replaceAll(CODE, 'code')

test('every heading that a link names is there', () => {
  const headings = (path: string): string[] =>
    [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )
  const broken = DOCUMENTS.flatMap((path) =>
    [...proseOf(path).matchAll(/\]\(([^)\s#]*\.md)?#([^)\s]+)\)/g)]
      .map(([, file, name = '']) => ({ target: file === undefined ? path : join(dirname(path), file), name }))
      .filter(({ target, name }) => !headings(target).includes(name))
      .map(({ target, name }) => `${path}: ${target}#${name}`),
  )
  expect(broken).toEqual([])
})

test('every atr command that a document names is in the help', async () => {
  const commands = new Map<string, Command>()
  for (const [name, load] of Object.entries(COMMANDS)) commands.set(name, await load())
  const named = DOCUMENTS.flatMap((path) =>
    [...codeOf(path).matchAll(/(?:npm run -s atr --|\batr) ([a-z]+)(?: ([a-z][a-z-]*))?(?![\w.])/g)].map(
      ([, command = '', action]) => ({ path, command, action }),
    ),
  )
  expect(named.length).toBeGreaterThan(20)
  const isKnown = ({ command, action }: { command: string; action: string | undefined }): boolean => {
    const found = commands.get(command)
    if (command === 'help' || action === undefined) return command === 'help' || found !== undefined
    const kinds = command === 'load' ? [...LOAD_KINDS, 'providers'] : undefined
    const actions = found?.actions ? Object.keys(found.actions) : kinds
    return found !== undefined && (actions?.includes(action) ?? true)
  }
  expect(named.filter((each) => !isKnown(each))).toEqual([])
})

test.each(Object.entries(generated()))('%s is as the code would write it', (path, text) => {
  expect(read(path)).toBe(text)
})

test('every problem code is documented', () => {
  const page = read('docs/spec/problems.md')
  expect(Object.keys(PROBLEMS).filter((code) => !page.includes(`\`${code}\``))).toEqual([])
})

test('every setting is documented for operators', () => {
  const page = manual()
  expect(Object.keys(Settings.shape).filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('every sentence with which a store, a setting or a witness stops the program is documented for operators', () => {
  const page = manual().replaceAll(/[\s|\\]+/g, ' ')
  const sources = [...new Glob('{src,tools}/**/*.ts').scanSync(ROOT)].filter(
    (path) => !/(test|fixture)\.ts$/.test(path),
  )
  const literal = /(?<!new Error\()(['`])((?:the|publishing) (?:(?!\1)[^\\]|\\.)+)\1/g
  const thrown = /new (?:Store|Config|Witness)Fault\(\s*(['`])((?:(?!\1)[^\\]|\\.)+)\1/g
  const sentences = [
    ...sources.flatMap((path) => [...read(path).matchAll(thrown)]),
    ...COMPLAINTS.flatMap((path) => [...read(path).matchAll(literal)]),
  ].map(([, , text = '']) => text)
  expect(sentences.length).toBeGreaterThan(45)
  expect(sentences.filter((text) => !firstWords(text).every((words) => page.includes(words)))).toEqual([])
})

/** Where a sentence is made apart from the place that throws it. */
const COMPLAINTS = [
  'src/integrity/checkpoint-lock.ts',
  'src/integrity/witness-client.ts',
  'src/db/sqlite.ts',
  'src/db/postgres/fault.ts',
]

/** The sentence up to its advice, in the pieces between what it fills in. */
const firstWords = (text: string): string[] =>
  (text.split(/[:;]/)[0] ?? '')
    .split(/\$\{[^}]*\}/)
    .map((words) => words.trim())
    .filter((words) => words.includes(' '))

test('every class of verdict is documented with its reasons, in its order', () => {
  const [, list = ''] = /## Verdicts\n([\s\S]*?)\n## /.exec(read('docs/spec/proof.md')) ?? []
  const documented = [...list.matchAll(/^- `(\w+)`: (.*)$/gm)].map(([, name = '', reasons = '']) => [
    name,
    [...reasons.matchAll(/`(\w+)`/g)].map(([, reason = '']) => reason),
  ])
  expect(documented).toEqual(Object.entries(FAULTS).map(([name, reasons]) => [name, [...reasons]]))
})

const as_of = '2026-07-15'
test.each([
  ['price-99213', { question: { cpt: '99213', as_of } } as Inquiry],
  ['absence-99999', { question: { cpt: '99999', basis: 'medicare_pfs', as_of } } as Inquiry],
  ['figures', { figures: true } as Inquiry],
  ['change-w', { anyQuestion: true } as Inquiry],
])('the example %s verifies under its policy', async (name, question) => {
  const policy = parsePolicy(read(`${EXAMPLE}/policy.txt`))
  if (!policy) throw new Error('the example policy is not one')
  expect(await verifyBody(read(`${EXAMPLE}/${name}.json`), policy, question)).toMatchObject({ ok: true })
})

const WITHOUT_PYTHON = Bun.which('python3') ? undefined : 'there is no python3 here'
/** The two pages from which the least verifier is written. What checks a signature is not on them. */
const LEAST_VERIFIER = `
import re, sys
sys.path.insert(0, 'python')
from agent_trust_registry.ed25519 import verify
read = lambda path: open(path, encoding='utf-8').read()
for page in ('README', 'proof'):
    exec(re.search('\`\`\`python\\n(.*?)\`\`\`', read(f'docs/spec/{page}.md'), re.DOTALL)[1])
ed25519_verify = lambda key, signature, message: verify(key, message, signature)
key = read('${EXAMPLE}/policy.txt').split()[1]
def judge(text, day):
    try: return verify_price(text, key, day)[0]['price']['amount']
    except Exception: return 'refused'
answer = read('${EXAMPLE}/price-99213.json')
lies = [('95.19', '95.18'), ('"row_count": 5', '"row_count": 6'), ('"cms-pfs"', '"cms-clfs"'), ('"index": 4', '"index": 3')]
assert all(was in answer for was, _ in lies)
true = [judge(answer, day) for day in ('2026-07-15', '2026-10-01')]
print(true, {judge(answer.replace(was, says), '2026-07-15') for was, says in lies})
`

test.skipIf(isSkipped('the least verifier', WITHOUT_PYTHON))('the least verifier takes the example, and no lie', () => {
  const { stdout, stderr } = Bun.spawnSync(['python3', '-B', '-c', LEAST_VERIFIER], { cwd: ROOT })
  expect([stderr.toString(), stdout.toString().trim()]).toEqual(['', "['95.19', 'refused'] {'refused'}"])
})

test('the files of the worked example are as the script would write them', async () => {
  for (const [path, content] of Object.entries(await exampleFiles())) {
    const written = new Uint8Array(readFileSync(join(ROOT, path)))
    expect([path, toHex(written)]).toEqual([path, toHex(typeof content === 'string' ? utf8(content) : content)])
  }
})

test('the worked example shows a log that grows, from its tile and from its entries', async () => {
  const policy = parsePolicy(read(`${EXAMPLE}/policy.txt`))
  if (!policy) throw new Error('the example policy is not one')
  const tile = new Uint8Array(readFileSync(join(ROOT, EXAMPLE, 'tile-0-000.p-5.bin')))
  const [older, newer] = [3, 5].map((size) => read(`${EXAMPLE}/checkpoint-${size}.txt`)) as [string, string]
  expect(await checkGrowth(older, newer, policy, async () => tile)).toMatchObject({
    ok: true,
    from: { size: 3 },
    to: { size: 5 },
  })
  const hashes = entriesIn(readFileSync(join(ROOT, EXAMPLE, 'entries-000.p-5.bin'))).map(leafHash)
  expect(toHex(concat(...hashes))).toBe(toHex(tile))
})

function entriesIn(bundle: Buffer): Uint8Array[] {
  const entries: Uint8Array[] = []
  for (let at = 0; at < bundle.length; at += 2 + bundle.readUInt16BE(at))
    entries.push(new Uint8Array(bundle.subarray(at + 2, at + 2 + bundle.readUInt16BE(at))))
  return entries
}

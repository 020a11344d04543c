import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { generated } from '../scripts/generated.ts'
import { Settings } from '../src/config.ts'
import { PROBLEMS } from '../src/problem.ts'
import { toBase64, toHex, utf8 } from '../src/proof/bytes.ts'
import { canonical } from '../src/proof/canonical-json.ts'
import { leafHash } from '../src/proof/merkle.ts'
import { type CitedRow, rowKey, rowText } from '../src/proof/row.ts'
import { parsePolicy, verifyBody } from '../src/proof/verify.ts'

const ROOT = join(import.meta.dir, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const DOCUMENTS = ['*.md', 'docs/**/*.md', 'sample/*.md'].flatMap((pattern) =>
  [...new Glob(pattern).scanSync(ROOT)].sort(),
)
const EXAMPLE = 'docs/spec/example'

test.each(DOCUMENTS)('every relative link of %s leads somewhere', (path) => {
  const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  const relative = links.filter((target) => !/^(https?:|#)/.test(target)).map((target) => target.split('#')[0] ?? '')
  expect(relative.filter((target) => !existsSync(join(ROOT, dirname(path), target)))).toEqual([])
})

test.each(DOCUMENTS)('%s speaks of the project alone', (path) => {
  expect(read(path)).not.toMatch(/(\/work\/|registry\.npm[j]s|deb\.debia[n]|issue #?[0-9]+|must show)/i)
})

test('every script that a document tells to run exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
  const commands = DOCUMENTS.flatMap((path) => [...codeOf(path).matchAll(/\bnpm (?:run (?:-s )?)?([a-z]+)/g)])
  const named = new Set(commands.map(([, script = '']) => script))
  expect(named).toContain('start')
  expect([...named].filter((script) => script !== 'ci' && !Object.hasOwn(scripts, script))).toEqual([])
})

/** What stands in code: prose such as "npm does not" is no command. */
const codeOf = (path: string): string =>
  [...read(path).matchAll(/```[\s\S]*?```|`[^`\n]+`/g)].map(([text]) => text).join('\n')

test('every atr command that a document names is in the help', async () => {
  const help = Bun.spawnSync([process.execPath, join(ROOT, 'src/cli/atr.ts'), 'help']).stdout.toString()
  const usages = [...help.matchAll(/^ {2}atr (.+)$/gm)].map(([, usage = '']) => usage)
  const named = DOCUMENTS.flatMap((path) =>
    [...codeOf(path).matchAll(/(?:npm run -s atr --|\batr) ([a-z]+)(?: ([a-z][a-z-]*))?(?![\w.])/g)].map(
      ([, command = '', action]) => ({ path, command, action }),
    ),
  )
  expect(named.length).toBeGreaterThan(20)
  const isKnown = ({ command, action }: { command: string; action: string | undefined }): boolean => {
    const usage = usages.find((text) => text.split(' ')[0] === command)
    if (command === 'help') return true
    const takesActions = ['load', 'release', 'outcomes', 'figures', 'keys'].includes(command)
    return usage !== undefined && (!takesActions || action === undefined || usage.split(/[ <>|]+/).includes(action))
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
  const page = read('docs/operate.md')
  expect(Object.keys(Settings.shape).filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('every reason for which a proof fails is documented, and no other', () => {
  const faults = ['src/proof/verify.ts', 'src/proof/signed-note.ts'].flatMap((path) => {
    const [, union = ''] = /export type (?:Note)?Fault =((?:\s*\|?\s*(?:NoteFault|'\w+'))+)/.exec(read(path)) ?? []
    return [...union.matchAll(/'(\w+)'/g)].map(([, reason = '']) => reason)
  })
  const [, table = ''] = /## Failure reasons\n([\s\S]*?)\n## /.exec(read('docs/spec/proof.md')) ?? []
  const documented = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, reason = '']) => reason)
  expect(faults.length).toBeGreaterThan(15)
  expect(documented.sort()).toEqual(faults.sort())
})

test.each(['price-99213', 'absence-99999', 'change-w'])('the example %s verifies under its policy', async (name) => {
  const policy = parsePolicy(read(`${EXAMPLE}/policy.txt`))
  if (!policy) throw new Error('the example policy is not one')
  expect(await verifyBody(read(`${EXAMPLE}/${name}.json`), policy)).toMatchObject({ ok: true })
})

test('the worked example shows the bytes that the verifier computes', () => {
  const page = read('docs/spec/example.md')
  const { proof, ...row } = JSON.parse(read(`${EXAMPLE}/price-99213.json`)) as CitedRow
  const leaf = leafHash(utf8(rowText(row)))
  const shown = [
    rowKey(row),
    rowText(row),
    toHex(leaf),
    toBase64(leaf),
    toHex(Buffer.from(proof.release.rows_root, 'base64')),
    canonical(proof.release),
    toHex(leafHash(utf8(canonical(proof.release)))),
    proof.log.checkpoint.trimEnd(),
    toHex(Buffer.from(proof.log.checkpoint.split('\n')[2] ?? '', 'base64')),
  ]
  expect(shown.filter((text) => !page.includes(text))).toEqual([])
})

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parsePolicy, verifyBody } from '../proof/verify.ts'
import { type Command, DONE, REFUSED, show, UsageFault } from './command.ts'

export const verify: Command = {
  usage: 'verify <file|url|-> --policy <file|url> [--json]',
  summary: 'Checks a row, a page of rows or an absence offline, with the keys of a pinned policy',
  async run(args) {
    const options = { policy: { type: 'string' }, json: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [source] = positionals
    if (source === undefined || positionals.length > 1) throw new UsageFault('say what to verify: a file, a URL, or -')
    if (values.policy === undefined) throw new UsageFault('say whom to trust: --policy with a file or URL')
    const policy = parsePolicy(await read(values.policy))
    if (!policy) throw new UsageFault('the policy is not a tlog-policy this program understands')
    const verdict = await verifyBody(await read(source), policy)
    show(values.json, verdict, verdict.ok ? 'ok' : `failed: ${verdict.reason}`)
    if (verdict.ok && !values.json)
      console.error(`checked: ${verdict.rows} rows, ${verdict.absences} absences, ${verdict.entries} log entries`)
    return verdict.ok ? DONE : REFUSED
  },
}

async function read(source: string): Promise<string> {
  if (source === '-') return Bun.stdin.text()
  if (/^https?:\/\//.test(source)) return (await fetch(source)).text()
  try {
    return readFileSync(source, 'utf8') // not Bun.file: a shell's <(...) is a pipe with no size
  } catch {
    throw new UsageFault('a file to read is not there')
  }
}

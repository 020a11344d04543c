import { createPrivateKey, sign } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isAddress, read } from '../../src/cli/answer-source.ts'
import { type Command, DONE, REFUSED, UsageFault } from '../../src/cli/command.ts'
import { ifInterrupted } from '../../src/cli/interruption.ts'
import { msOf, type RoundReport, rounds } from '../../src/cli/rounds.ts'
import { lockFolder } from '../../src/db/folder-lock.ts'
import { readSecret } from '../../src/db/secret-file.ts'
import { parsePolicy } from '../../src/proof/verify-lists.ts'
import { Fetcher } from '../monitor/fetcher.ts'
import { StateFile } from '../monitor/memory.ts'
import { type Sign, tokensOf } from '../monitor/rails.ts'
import { CHECKPOINT, type MirrorRound, mirrorOnce, POLICY } from './mirror.ts'
import { NO_KEY } from './release-copy.ts'
import { StaticTree } from './static-tree.ts'

const OPTIONS = {
  policy: { type: 'string' },
  'signing-key': { type: 'string' },
  every: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

export const mirror: Command = {
  usage: 'mirror <url> <folder> [--policy <file>] [--signing-key <file>] [--every 10m] [--json]',
  summary: 'Copies everything public of a service into a folder, verifies all of it, and goes on where it stopped',
  options: [
    ['--policy FILE', 'the log policy that you pinned; needed the first time, and to pin a new one'],
    ['--signing-key FILE', 'the Ed25519 private key (PEM) of an agent key that has a public key'],
    ['--every 10m', 'makes a round at this interval, in minutes or hours, until stopped'],
    ['--json', 'prints one line of JSON for each round'],
    ['ATR_AGENT_KEY', 'in the environment: an agent key with registry:read, for the files of the releases'],
  ],
  examples: [
    ['mirror https://registry.example ./mirror --policy policy.txt', 'copies what is new; exit code 1 on a lie'],
  ],
  async run(args) {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    const [url = '', folder = '', ...more] = positionals
    if (!isAddress(url) || !URL.canParse(url) || folder === '' || more.length > 0)
      throw new UsageFault('name the http or https address of a service, and a folder')
    const every = values.every === undefined ? undefined : msOf('--every', values.every, { m: 60_000, h: 3_600_000 })
    const tree = new StaticTree(resolve(folder))
    const policyText = values.policy === undefined ? tree.text(POLICY) : await read(values.policy, 'of --policy')
    if (policyText === undefined) throw new UsageFault('name the log policy that you pinned: --policy FILE')
    const policy = parsePolicy(policyText)
    if (!policy) throw new UsageFault('that is not a log policy (C2SP tlog-policy): get it from /log/policy')
    const key = process.env['ATR_AGENT_KEY']
    const signer = values['signing-key'] === undefined ? undefined : signerOf(values['signing-key'])
    const fetcher = new Fetcher(url, key ? tokensOf(key, Date.now, signer) : undefined)
    mkdirSync(tree.inside(''), { recursive: true, mode: 0o700 })
    const lock = lockFolder(tree.inside(''))
    // A program that reads JSON gets one line for each round, and nothing on the way.
    const tell = (text: string): void => (values.json ? undefined : console.error(text))
    const round = async (before: ReadonlySet<string> = new Set()): Promise<RoundReport> => {
      const now = Date.now()
      const done = await mirrorOnce({ fetcher, tree, policy, policyText, now, tell })
      const evidence = new StateFile(tree.inside('mirror'), fetcher.base)
      return report(done, { evidence, now, asJson: values.json, isNew: !tree.has(CHECKPOINT) }, before)
    }
    try {
      if (every !== undefined) return await rounds(round, every)
      using stopping = ifInterrupted(
        'what was copied stays, and the folder is as good as it was: run the command again',
      )
      const { code } = await round()
      stopping.done()
      return code
    } finally {
      await lock.release()
    }
  },
}

function signerOf(file: string): Sign {
  try {
    const key = createPrivateKey(readSecret(file, 'the signing key'))
    if (key.asymmetricKeyType === 'ed25519')
      return (message) => sign(null, Buffer.from(message), key).toString('base64url')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
  throw new UsageFault('the file of --signing-key is not an Ed25519 private key in PEM')
}

const GIVE_KEY =
  'ask the operator for an agent key with the scope registry:read, set ATR_AGENT_KEY to it in the environment, and run the command again'

interface Reporting {
  evidence: StateFile
  now: number
  asJson: boolean
  /** Whether no round has come to its end yet: then the folder has nothing to go on with. */
  isNew: boolean
}

/** Says what a round came to. What the one before said is not said again, but for JSON, which is whole each time. */
function report(
  { alarms, notes, ...counts }: MirrorRound,
  { evidence, now, asJson, isNew }: Reporting,
  before: ReadonlySet<string>,
): RoundReport {
  const code = alarms.length === 0 ? DONE : REFUSED
  const said = new Set([...alarms.map(({ sentence }) => sentence), ...notes])
  const shown = alarms.map((alarm) => {
    const { code: name, sentence } = alarm
    const advice = sentence.endsWith(NO_KEY) ? GIVE_KEY : alarm.advice
    return { code: name, sentence, advice, evidence: evidence.keep(alarm, now) ?? null }
  })
  if (asJson) {
    console.log(JSON.stringify({ ok: code === DONE, alarms: shown, notes, ...counts }))
    return { code, said }
  }
  for (const { code: name, sentence, advice, evidence: path } of shown)
    if (!before.has(sentence))
      console.log(`refused ${name}: ${sentence}\n  what to do: ${advice}\n  evidence: ${path ?? 'none was kept'}`)
  for (const note of notes) if (!before.has(note)) console.error(`note: ${note}`)
  const { registry, figures, releases, brought, recorded_at } = counts
  console.error(
    code === DONE
      ? `registry log ${registry} entries, figures log ${figures}; ${releases} releases, ${brought} of them new; state of ${recorded_at}`
      : isNew
        ? 'the folder has no mirror yet'
        : 'the folder was left as it is: what it has is still good',
  )
  return { code, said }
}

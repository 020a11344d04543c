import { createPrivateKey, sign } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isAddress, read } from '../../src/cli/answer-source.ts'
import { type Command, UsageFault } from '../../src/cli/command.ts'
import { ifInterrupted } from '../../src/cli/interruption.ts'
import { lockFolder } from '../../src/db/folder-lock.ts'
import { readSecret } from '../../src/db/secret-file.ts'
import { parsePolicy } from '../../src/proof/verify-lists.ts'
import type { Alarm } from '../monitor/alarm.ts'
import { Fetcher, type Sign, tokensOf } from '../monitor/fetcher.ts'
import { StateFile } from '../monitor/memory.ts'
import { msOf, type RoundReport, report, rounds } from '../monitor/rounds.ts'
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
      const result = await mirrorOnce({ fetcher, tree, policy, policyText, now, tell })
      const alarms = result.alarms.map((alarm) =>
        alarm.sentence.endsWith(NO_KEY) ? { ...alarm, advice: GIVE_KEY } : alarm,
      )
      const state = new StateFile(tree.inside('mirror'), fetcher.base)
      const summary = summaryOf(result, tree)
      return report({ ...result, alarms }, { state, now, asJson: values.json, before, printAlarm, summary })
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

const printAlarm = ({ code, sentence, advice }: Alarm, evidence: string | undefined): void =>
  console.log(`refused ${code}: ${sentence}\n  what to do: ${advice}\n  evidence: ${evidence ?? 'none was kept'}`)

function summaryOf(
  { alarms, registry, figures, releases, brought, recorded_at }: MirrorRound,
  tree: StaticTree,
): string {
  if (alarms.length === 0)
    return `registry log ${registry} entries, figures log ${figures}; ${releases} releases, ${brought} of them new; state of ${recorded_at}`
  return tree.has(CHECKPOINT)
    ? 'the folder was left as it is: what it has is still good'
    : 'the folder has no mirror yet'
}

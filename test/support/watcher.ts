import { expect, spyOn } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageFault } from '../../src/cli/command.ts'
import { readConfig } from '../../src/config.ts'
import { equalBytes, fromBase64, utf8 } from '../../src/proof/bytes.ts'
import type { Manifest } from '../../src/proof/price/release.ts'
import { includes, isConsistent, leafHash } from '../../src/proof/tree/merkle.ts'
import { openCheckpoint, parsePolicy } from '../../src/proof/verify-lists.ts'
import { monitor } from '../../tools/monitor/command.ts'
import { temporaryFolder } from './folder.ts'
import type { Operator } from './operator.ts'

export interface Seen {
  code: number
  /** The codes of the alarms, and what was printed. */
  alarms: string[]
  out: string
  err: string
}

interface Kept {
  code: string
  sentence: string
  advice: string
  evidence: Record<string, string>
}

/** A monitor with a folder of its own. It runs the command in this process, which is faster than starting another. */
export class Watcher {
  readonly folder = temporaryFolder()

  constructor(
    readonly url: string,
    policy: string,
  ) {
    writeFileSync(this.file('policy'), policy)
    writeFileSync(this.file('token'), 'atr_any')
  }

  static of({ url, policy }: Operator): Watcher {
    return new Watcher(url, policy)
  }

  file(name: string): string {
    return join(this.folder.path, name)
  }
  get evidence(): string[] {
    return readdirSync(this.folder.path).filter((name) => name.startsWith('state.alarm.'))
  }
  kept(file: string): Kept {
    return JSON.parse(readFileSync(this.file(file), 'utf8')) as Kept
  }

  args(...options: string[]): string[] {
    return [this.url, '--policy', this.file('policy'), '--state', this.file('state'), ...options]
  }

  async look(...options: string[]): Promise<Seen> {
    const printed = { out: [] as string[], err: [] as string[] }
    const out = spyOn(console, 'log').mockImplementation((text: string) => void printed.out.push(`${text}\n`))
    const err = spyOn(console, 'error').mockImplementation((text: string) => void printed.err.push(`${text}\n`))
    const said = () => ({ out: printed.out.join(''), err: printed.err.join('') })
    try {
      const code = await monitor.run(this.args(...options), readConfig({}))
      return {
        code,
        alarms: [...said().out.matchAll(/^alarm ([a-z_]+): \S.+$/gm)].map(([, name = '']) => name),
        ...said(),
      }
    } catch (error) {
      if (!(error instanceof UsageFault)) throw error
      return { code: 2, alarms: [], out: said().out, err: error.message }
    } finally {
      out.mockRestore()
      err.mockRestore()
    }
  }
  /** With a token. */
  read(...options: string[]): Promise<Seen> {
    return this.look('--rails', this.file('token'), ...options)
  }

  [Symbol.dispose](): void {
    this.folder[Symbol.dispose]()
  }
}

const hashesIn = (lines = ''): Uint8Array[] =>
  lines.split('\n').flatMap((line) => (line === '' ? [] : [fromBase64(line) as Uint8Array]))
const hashIn = (text = ''): Uint8Array => fromBase64(text) ?? new Uint8Array()

/** Checks what an alarm shows as someone would who has the policy and nothing else: docs/spec/monitor.md. What it proves. */
export async function provedBy(evidence: Record<string, string>, policy: string): Promise<string[]> {
  const pinned = parsePolicy(policy)
  if (!pinned) throw new Error('the policy cannot be read')
  const head = async (note = '') => {
    const opened = await openCheckpoint(note, pinned)
    if (!opened.ok) throw new Error(opened.reason)
    return opened.head
  }
  const proved: string[] = []
  const { checkpoint, entry, entry_base64, index, inclusion, row, row_before } = evidence
  const body = entry === undefined ? hashIn(entry_base64) : utf8(entry)
  if (inclusion !== undefined) {
    const { size, root } = await head(checkpoint)
    expect(includes(Number(index), size, leafHash(body), hashesIn(inclusion), root)).toBe(true)
    proved.push('entry')
  }
  for (const [name, base64] of Object.entries({ row, row_before })) {
    if (base64 === undefined || evidence[`${name}_inclusion`] === undefined) continue
    const { row_count, rows_root } = JSON.parse(entry ?? '{}') as Manifest
    const path = hashesIn(evidence[`${name}_inclusion`])
    const leaf = leafHash(hashIn(base64))
    expect(includes(Number(evidence[`${name}_index`]), row_count, leaf, path, hashIn(rows_root))).toBe(true)
    proved.push(name)
  }
  if (evidence['older_leaf_hash'] !== undefined) {
    for (const name of ['older', 'newer']) {
      const { size, root } = await head(evidence[`${name}_checkpoint`])
      const leaf = hashIn(evidence[`${name}_leaf_hash`])
      expect(includes(Number(index), size, leaf, hashesIn(evidence[`${name}_inclusion`]), root)).toBe(true)
    }
    expect(evidence['older_leaf_hash']).not.toBe(evidence['newer_leaf_hash'] as string)
    proved.push('fork')
  }
  if (evidence['log_root_at_size'] !== undefined) {
    const [log, answer] = [await head(evidence['log_checkpoint']), await head(evidence['answer_checkpoint'])]
    const prefix = hashIn(evidence['log_root_at_size'])
    expect(isConsistent(answer.size, log.size, prefix, log.root, hashesIn(evidence['consistency']))).toBe(true)
    expect(equalBytes(prefix, answer.root)).toBe(false)
    proved.push('fork')
  }
  return proved
}

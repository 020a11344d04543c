import { existsSync, readFileSync } from 'node:fs'
import { replaceFile } from '../db/replace-file.ts'
import { ask, OutgoingFault } from '../outgoing/outgoing.ts'
import { checkGrowth, type GrowthFault, type TileFault } from '../proof/growth.ts'
import { openCheckpoint } from '../proof/note/checkpoint.ts'
import type { TrustPolicy } from '../proof/note/policy.ts'
import { HASH_SIZE } from '../proof/tree/merkle.ts'
import { TILE_WIDTH, tilePath } from '../proof/tree/tiles.ts'
import type { Fault } from '../proof/verify-lists.ts'
import { UsageFault } from './command.ts'

export type GrowthVerdict =
  | { ok: true; grew: { from: number; to: number }; changes?: number }
  | { ok: false; reason: GrowthFault | TileFault | Fault }

/** Checks that the log has only grown since an older checkpoint. Tiles come from the URL in the policy. */
export async function grownSince(
  olderNote: string,
  newerNote: string,
  policy: TrustPolicy,
  /** Whether the policy is from this machine. A policy from elsewhere may not lead to this machine. */
  loopback: boolean,
): Promise<GrowthVerdict> {
  const newer = await openCheckpoint(newerNote, policy)
  if (!newer.ok) return newer
  const url = policy.logs.find(({ key }) => key.name === newer.head.origin)?.url
  if (url === undefined) throw new UsageFault('the policy does not say where the log is: its `log` line has no URL')
  const grown = await checkGrowth(olderNote, newerNote, policy, (level, n, width) =>
    fetchTile(url, loopback, level, n, width),
  )
  return grown.ok ? { ok: true, grew: { from: grown.from.size, to: grown.to.size } } : grown
}

const TILE_LIMITS = { timeoutMs: 30_000, mostBytes: TILE_WIDTH * HASH_SIZE }

function noAnswer(error: unknown): undefined {
  if (!(error instanceof OutgoingFault)) throw error
}

/** Reads a tile. A partial tile may be gone when the full one exists, which has the same hashes and more. */
async function fetchTile(url: string, loopback: boolean, level: number, n: number, width: number): Promise<Uint8Array> {
  for (const path of new Set([tilePath(level, n, width), tilePath(level, n)])) {
    const answer = await ask(`${url}/${path}`, { ...TILE_LIMITS, loopback }).catch(noAnswer)
    if (answer?.status === 200) return answer.bytes
  }
  console.error(`no tile at ${url}/${tilePath(level, n, width)}`)
  throw new Error('the log does not serve a tile that its checkpoint implies')
}

/** A file with the last verified checkpoint. It is only replaced by a checkpoint that continues it. */
export class Pin {
  constructor(readonly path: string) {}

  read(): string | undefined {
    return existsSync(this.path) ? readFileSync(this.path, 'utf8') : undefined
  }

  move(note: string): void {
    replaceFile(this.path, note)
  }
}

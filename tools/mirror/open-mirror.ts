import { randomBytes } from 'node:crypto'
import { type Db, StoreFault } from '../../src/db/db.ts'
import { CheckpointLock } from '../../src/integrity/checkpoint-lock.ts'
import type { LogKeys } from '../../src/integrity/key-file.ts'
import { Log } from '../../src/integrity/log.ts'
import { noWitnesses } from '../../src/integrity/publication.ts'
import type { WitnessAddress } from '../../src/integrity/witness-client.ts'
import { openCheckpoint } from '../../src/proof/note/checkpoint.ts'
import { parsePolicy, type TrustPolicy } from '../../src/proof/note/policy.ts'
import type { NoteSigner } from '../../src/proof/note/signed-note.ts'
import { isDerived, openDerived } from './derived-store.ts'
import { POLICY } from './mirror.ts'
import type { StaticTree } from './static-tree.ts'

/** A mirror that a service can answer from: an installation without anything that could sign. */
export interface OpenMirror {
  db: Db
  registryLog: Log
  figuresLog: Log
  cosign: typeof noWitnesses
  witnesses: { keys: readonly WitnessAddress[]; quorum: number }
  /** Random: a mirror issues no credentials. */
  pepper: Uint8Array
  /** The policy that was pinned, byte for byte. */
  policyText: () => string
  /** The address of the service, as the policy says. */
  service: string | null
}

const PEPPER_BYTES = 32

/** Opens a folder that `atr mirror` has made. Fails if there is no mirror, or if its checkpoint is not valid under the policy. */
export async function openMirror(tree: StaticTree): Promise<OpenMirror> {
  if (!isDerived(tree)) throw new StoreFault('there is no mirror in this folder: run `atr mirror` first')
  const policyOf = (): TrustPolicy => {
    const policy = parsePolicy(tree.text(POLICY) ?? '')
    if (!policy) throw new StoreFault('the log policy of the mirror is damaged: run `atr mirror` with --policy')
    return policy
  }
  const lock = new CheckpointLock(tree.inside('noted'))
  const logOf = (name: Log['name']): Log => new Log({ name, lock, keys: () => keysOf(policyOf(), name) })
  const [registryLog, figuresLog] = [logOf('registry'), logOf('figures')]
  const { witnesses, groups, quorum, logs } = policyOf()
  const db = await openDerived(tree)
  try {
    await registryLog.check(db)
    for (const log of [registryLog, figuresLog])
      if (!(await openCheckpoint((await log.head(db)).note, policyOf())).ok)
        throw new StoreFault(`the checkpoint of the ${log.name} log does not count under the log policy of the mirror`)
  } catch (error) {
    await db.close()
    throw error
  }
  const url = logs.find(({ key }) => key.name === registryLog.origin)?.url
  return {
    db,
    registryLog,
    figuresLog,
    cosign: noWitnesses,
    witnesses: {
      keys: witnesses.map(({ key, url: address = '' }) => ({ key, url: address })),
      quorum: groups.find(({ name }) => name === quorum)?.threshold ?? 0,
    },
    pepper: new Uint8Array(randomBytes(PEPPER_BYTES)),
    policyText: () => tree.text(POLICY) ?? '',
    service: url?.replace(/\/log\/registry\/?$/, '') ?? null,
  }
}

/** The public keys of a log: they verify and cannot sign. */
function keysOf({ logs, retired }: TrustPolicy, log: string): LogKeys {
  const isOurs = ({ key }: { key: { name: string } }): boolean => key.name.endsWith(`/log/${log}`)
  const [first, ...others] = logs.filter(isOurs).map(({ key }) => unable(key))
  if (!first) throw new StoreFault(`the log policy of the mirror has no key of the ${log} log`)
  return { signers: [first, ...others], retired: retired.filter(isOurs) }
}

const unable = ({ name, publicKey }: Omit<NoteSigner, 'sign'>): NoteSigner => ({
  name,
  publicKey,
  sign: () => Promise.reject(new StoreFault('a mirror has no private keys: it signs nothing')),
})

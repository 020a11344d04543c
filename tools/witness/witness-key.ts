import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StoreFault } from '../../src/db/db.ts'
import { syncFolder } from '../../src/db/replace-file.ts'
import { readSecret } from '../../src/db/secret-file.ts'
import { generateLogKey, parseLogKey } from '../../src/integrity/log-key.ts'
import { COSIGNATURE, formatVerifierKey, type NoteSigner } from '../../src/proof/note/signed-note.ts'

const keyFile = (dir: string): string => join(dir, 'witness-key')

/**
 * Creates the folder and the key of a new witness, and returns the verifier key that others pin. Refuses if a key exists: a
 * new start would forget what the witness has seen.
 */
export function createWitness(dir: string, name: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9.:_/-]{0,199}$/.test(name) || name.includes('://'))
    throw new StoreFault('the name of a witness must be a host name and path, without a scheme')
  if (existsSync(keyFile(dir))) throw new StoreFault('there is a witness here already: nothing was changed')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const line = generateLogKey(name)
  writeFileSync(keyFile(dir), `${line}\n`, { mode: 0o600, flag: 'wx', flush: true })
  syncFolder(dir)
  return witnessVkey(readWitnessKey(dir))
}

/** The verifier key says that the key cosigns; the file holds the bare key, as other tools write it. */
export const witnessVkey = ({ name, publicKey }: NoteSigner): string => formatVerifierKey(name, publicKey, COSIGNATURE)

export function readWitnessKey(dir: string): NoteSigner {
  if (!existsSync(keyFile(dir))) throw new StoreFault('there is no witness here: run `atr witness init` first')
  const signer = parseLogKey(readSecret(keyFile(dir), 'the key of this witness').trimEnd())
  if (!signer) throw new StoreFault('the key of this witness is damaged: restore it from a backup')
  return signer
}

import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { isGzip } from '../files/byte-stream.ts'
import { isZip } from '../files/zip.ts'
import { type Conditions, conditionHeaders, conditionsOf, NO_CONDITIONS } from '../outgoing/conditions.ts'
import type { Door } from './door.ts'
import { stepOf } from './page.ts'
import { Trouble } from './trouble.ts'
import type { Step } from './way.ts'

/** A file of an edition, hashed whole before anything opens it. */
export interface Download extends Conditions {
  url: string
  path: string
  sha256: string
  step: Step
}

interface DownloadRequest {
  isOwn: (host: string) => boolean
  mostBytes: number
  /** Schedules come in archives. Hospitals publish whatever they like. */
  isArchive: boolean
  /** The conditions of the last download, if its release still exists. */
  before?: Conditions | undefined
}

/** The files of one run: several charts may be in one archive, which is downloaded once. */
export class Downloads {
  readonly #files = new Map<string, Download>()

  constructor(
    readonly door: Door,
    readonly folder: string,
  ) {}

  /** Downloads a file. Undefined if it has not changed. */
  async get(url: string, request: DownloadRequest): Promise<Download | undefined> {
    const known = this.#files.get(url)
    if (known) return known
    const path = join(this.folder, `${this.#files.size}-${fileName(url)}`)
    const made = await this.#download(url, path, request).catch((error: unknown) => {
      rmSync(path, { force: true })
      throw isDiskFull(error) ? new Trouble('disk_full', {}, error) : error
    })
    if (made) this.#files.set(url, made)
    return made
  }

  async #download(url: string, path: string, request: DownloadRequest): Promise<Download | undefined> {
    const { isOwn, mostBytes, before = NO_CONDITIONS } = request
    const file = openSync(path, 'wx', 0o600)
    const hash = createHash('sha256')
    let fault: unknown
    const each = (piece: Uint8Array): void => {
      hash.update(piece)
      try {
        if (fault === undefined) writeSync(file, piece)
      } catch (error) {
        // Thrown here, it would look like a fault of the connection.
        fault = error
      }
    }
    try {
      const answer = await this.door.get(url, { isOwn, mostBytes, each, headers: conditionHeaders(before) })
      if (fault !== undefined) throw fault
      if (answer.status === 304) {
        rmSync(path)
        return undefined
      }
      const sha256 = hash.digest('hex')
      refuseOther(path, request)
      const step = stepOf(answer, 'file', this.door.parts.now(), sha256)
      return { url, path, sha256, step, ...conditionsOf(answer.headers) }
    } finally {
      closeSync(file)
    }
  }
}

/** Looks at the first bytes: neither the status nor the type of an answer says what it is. */
function refuseOther(path: string, { isArchive }: DownloadRequest): void {
  const head = headOf(path)
  if (/^[\s\ufeff]*<(!doctype|html|head|script|\?xml[^>]*>\s*<!doctype html)/i.test(new TextDecoder().decode(head)))
    throw new Trouble('page_for_file')
  if (isArchive && !isZip(head)) throw new Trouble('not_an_archive')
  if (!isArchive && head.length === 0) throw new Trouble('unexpected_answer', { about: 'an empty file' })
  if (isArchive && isGzip(head)) throw new Trouble('not_an_archive')
}

function headOf(path: string): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(512)
    return bytes.subarray(0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code))

const LONGEST_NAME = 120

/**
 * The name of the file here: readers look into it for the edition. CMS has names with days between slashes, so it is the
 * whole path that counts, and its end where it is long.
 */
function fileName(url: string): string {
  const { pathname } = new URL(url)
  const name = pathname.replace(/^\/files\/[a-z]+\//, '').replaceAll(/[^A-Za-z0-9._-]+/g, '-')
  return name.slice(-LONGEST_NAME).replace(/^[-.]+/, '') || 'file'
}

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, ConfigFault } from '../config.ts'
import type { Acceptance } from '../fetch/agreement.ts'
import type { Signer } from '../fetch/door.ts'
import { type Hospital, hospitalsIn } from '../fetch/hospital-list.ts'
import { publisherTable } from '../fetch/publisher-table.ts'
import { fetchable } from '../fetch/run.ts'
import { botSigner } from '../fetch/signature.ts'
import type { FetchParts, Loader } from '../fetch/source.ts'
import { Trouble } from '../fetch/trouble.ts'
import type { Installation } from '../installation.ts'
import { BOT_PURPOSE, purposeKey } from '../rails/purpose-key.ts'
import { CHARTS } from '../registry/charts.ts'
import { PUBLISHERS, type PublisherTable } from '../tables/publishers.ts'

/** The parts of a run of `atr fetch`, and the end of its folder for downloads. */
export function fetchParts(
  config: Config,
  { db, registryLog, cosign, pepper }: Installation,
  acceptance?: Acceptance,
): FetchParts & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'atr-fetch-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove) // a signal ends the process while the folder may have gigabytes
  return {
    db,
    now: Date.now,
    wait: (ms) => Bun.sleep(ms),
    sign: signerOf(config, pepper),
    outgoing: { loopback: config.PUBLISHERS !== undefined },
    publisher: { log: registryLog, cosign },
    publishers: publishersOf(config),
    charts: CHARTS,
    hospitals: hospitalsOf(config),
    load: loadInProcess,
    folder,
    acceptance,
    [Symbol.dispose]() {
      process.off('exit', remove)
      remove()
    },
  }
}

const signerOf = ({ SIGN_FETCHES, PUBLIC_URL }: Config, pepper: Uint8Array): Signer | undefined =>
  SIGN_FETCHES === 'on' && PUBLIC_URL !== undefined ? botSigner(purposeKey(pepper, BOT_PURPOSE), PUBLIC_URL) : undefined

export function publishersOf({ PUBLISHERS: file }: Config): PublisherTable {
  if (file === undefined) return PUBLISHERS
  const table = existsSync(file) ? publisherTable(readFileSync(file, 'utf8')) : undefined
  if (!table) throw new ConfigFault('the file of PUBLISHERS is not there, or is not a table of publishers')
  return table
}

export function hospitalsOf({ HOSPITALS, hospitalsFile }: Config): Hospital[] {
  if (existsSync(hospitalsFile)) return hospitalsIn(readFileSync(hospitalsFile, 'utf8'))
  if (HOSPITALS !== undefined) throw new ConfigFault('the file of HOSPITALS is not there')
  return []
}

/** The charts and hospitals that `atr update` looks after. */
export const fetchableOf = (config: Config): string[] =>
  fetchable({ publishers: publishersOf(config), hospitals: hospitalsOf(config), charts: CHARTS })

interface LoadOutput {
  release_id: string
  already: boolean
}

/** Loads by `atr load`, in a process of its own with its budget of time and memory. */
const loadInProcess: Loader = async ({ kind, paths, urls, retrieved_at, npi }) => {
  const own = [process.execPath, ...process.execArgv, process.argv[1] as string]
  const options = [
    ...urls.flatMap((url) => ['--url', url]),
    ...['--retrieved-at', retrieved_at, '--canaries', '--json'],
    ...(npi === undefined ? [] : ['--npi', npi]),
  ]
  const child = Bun.spawn([...own, 'load', kind, ...paths, ...options], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code === 0) return JSON.parse(lastLine(out)) as LoadOutput
  throw new Trouble('not_loaded', { about: messageIn(err), todo: 'nothing was kept of it: look at the file yourself' })
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''

function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(lastLine(text)) as { error: { message: string } }
    return error.message
  } catch {
    return 'its load has ended without a message'
  }
}

// Finds the file of a hospital by its cms-hpt.txt, or by the address that the operator gave, and takes it if it is new.

import { providerChart } from '../registry/charts.ts'
import { discard } from '../registry/release/staging.ts'
import { findRelease } from '../registry/release/store.ts'
import { entryFor, type Hospital, pointerEntries } from './hospital-list.ts'
import type { LookResult } from './schedule-source.ts'
import type { LookNotes, Run } from './source.ts'
import { listFiles, putFile, putOrigin } from './store.ts'
import { Trouble } from './trouble.ts'
import type { Step } from './way.ts'

export const HOSPITALS = 'hospital-mrf'
const POINTER = 'cms-hpt.txt'
const MIB = 1024 ** 2

/** The domain itself, what is below it, and its twin with www. */
const isOfDomain = (host: string, domain: string): boolean => {
  const apex = domain.replace(/^www\./, '')
  const name = host.replace(/:[0-9]+$/, '')
  return host === domain || name === apex || name.endsWith(`.${apex}`)
}

export async function lookAtHospital(
  run: Run,
  hospital: Hospital,
  notes: LookNotes,
  isCheck: boolean,
): Promise<LookResult> {
  const { db, load, publishers } = run.parts
  const chart = providerChart(HOSPITALS, hospital.npi)
  const { address, steps } = await fileOf(run, hospital)
  notes.page = steps[0]?.sha256 ?? ''
  const host = new URL(address).host
  const isOwn = (other: string): boolean =>
    other === host || (hospital.domain !== undefined && isOfDomain(other, hospital.domain))
  const known = (await listFiles(db, chart)).find(({ url }) => url === address)
  if (isCheck) return { loaded: [], wanted: known ? [] : [chart] }
  const mostBytes = (publishers.charts[HOSPITALS]?.most_mib ?? 0) * MIB
  const file = await run.downloads.get(address, { isOwn, mostBytes, isArchive: false, before: known })
  notes.isWhole = true
  if (!file || file.sha256 === known?.sha256) return { loaded: [], wanted: [] }
  const { release_id, already } = await load({
    kind: HOSPITALS,
    paths: [file.path],
    urls: [address],
    retrieved_at: file.step.retrieved_at,
    npi: hospital.npi,
  })
  const release = await findRelease(db, release_id)
  if (release?.chart !== chart) {
    if (release && !already) await discard(db, release)
    throw new Trouble('other_provider')
  }
  notes.newest = { edition: release.edition, first_day: release.effective_from }
  await db.transaction(async (tx) => {
    await putOrigin(tx, release_id, { edition: release.edition, steps: [...steps, file.step] })
    const { url, entity_tag, modified, sha256 } = file
    await putFile(tx, { chart, url, entity_tag, modified, sha256, release_id })
  })
  return { loaded: [release_id], wanted: [] }
}

async function fileOf(run: Run, hospital: Hospital): Promise<{ address: string; steps: Step[] }> {
  if (hospital.address !== undefined) return { address: hospital.address, steps: [] }
  const domain = hospital.domain ?? ''
  const { html, step } = await pointerOf(run, domain)
  const entry = entryFor(pointerEntries(html), hospital)
  if (!entry) throw new Trouble('no_entry')
  if (!URL.canParse(entry.url, step.url)) throw new Trouble('no_entry', { about: 'its address cannot be read' })
  return { address: new URL(entry.url, step.url).href, steps: [step] }
}

/** The pointer is at the domain itself or at www. */
async function pointerOf(run: Run, domain: string) {
  const isOwn = (host: string): boolean => isOfDomain(host, domain)
  const scheme = run.parts.outgoing?.loopback ? 'http' : 'https'
  const hosts = domain.startsWith('www.') || scheme === 'http' ? [domain] : [domain, `www.${domain}`]
  for (const host of hosts) {
    try {
      const page = await run.pages.read(`${scheme}://${host}/${POINTER}`, 'pointer', isOwn)
      if (!/mrf.?url/i.test(page.html)) throw new Trouble('no_pointer', { about: 'what is there is another text' })
      return page
    } catch (error) {
      const isAbsent = error instanceof Trouble && ['missing', 'unreachable', 'no_pointer'].includes(error.code)
      if (!isAbsent || host === hosts.at(-1))
        throw isAbsent && error.code === 'missing' ? new Trouble('no_pointer', {}, error) : error
    }
  }
  throw new Trouble('no_pointer')
}

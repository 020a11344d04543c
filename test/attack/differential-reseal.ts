// A whole body of the registry, taken apart and put together again from what a forgery has.

import { RELEASE_PROOF } from '../../src/proof/catalogue/releases.ts'
import { ABSENCE_PROOF, isSetProof, type LogProof, PAGE_PROOF, ROW_PROOF } from '../../src/proof/price/proofs.ts'
import { type Manifest, WITHDRAWAL_SCHEMA } from '../../src/proof/price/release.ts'
import type { MemoryRegistry, MemoryRelease } from '../../src/proof/registry-fixture.ts'
import type { Parts } from './differential-seal.ts'
import { copyOf, type Members } from './lie-world.ts'

/** No proof of anything: only to see what a body shows. */
const withoutProofs = (head: MemoryRegistry): Parts => ({
  head,
  state: {},
  row: (release, index) => ({ row: release.rows[index] as never, leaf_hash: '', path: [] }),
  sides: () => ({ left_path: [], right_path: [] }),
  beside: () => '',
  manifest: (release) => release.manifest as never,
  period: () => ({}),
  run: () => ({}),
  provider: () => ({}),
  log: async (index) => ({ index, inclusion: [], checkpoint: '' }),
})

/** What a body of the registry shows, so that a liar knows what is worth changing. */
export const shownIn = (body: Members, head: MemoryRegistry): Promise<ShownParts> =>
  reseal(copyOf(body), withoutProofs(head))

export interface ShownParts {
  rows: { release: MemoryRelease; index: number }[]
  releases: Set<MemoryRelease>
  periods: Set<number>
  providers: Set<number>
}

/** The proofs of single rows are put together with their rows. */
const isRead = (proof: Members | undefined): boolean =>
  [ROW_PROOF, PAGE_PROOF].includes(proof?.['type'] as never) || isSetProof(proof)

/** Members that have been replaced as a whole: what was forged is not looked into again. */
const DONE = ['release', 'period', 'provider', 'state', 'log', 'proofs', 'rows', 'left', 'right']

/** Goes through an honest body and puts what the forgery has in place of every part that it knows. */
export async function reseal(body: Members, forgery: Parts): Promise<ShownParts> {
  const { head } = forgery
  const shown: ShownParts = { rows: [], releases: new Set(), periods: new Set(), providers: new Set() }
  const last = head.log.leaves.length - 1
  const named = (manifest: unknown): MemoryRelease => {
    const { release_id } = manifest as Manifest
    const release = head.releases.find((each) => each.manifest.release_id === release_id)
    if (!release) throw new Error('a release that this head does not have')
    shown.releases.add(release)
    return release
  }
  const row = (release: MemoryRelease, index: number) => {
    shown.rows.push({ release, index })
    return forgery.row(release, index)
  }
  const atRow = (at: Members, release: MemoryRelease, index: number) => {
    for (const name of Object.keys(release.rows[index] ?? {})) delete at[name]
    const { row: forged, ...place } = row(release, index)
    const { proof } = at
    Object.assign(at, forged, { proof })
    return place
  }

  async function walk(value: unknown, list: MemoryRelease[], own?: MemoryRelease): Promise<void> {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const item of value) await walk(item, list, own)
      return
    }
    const at = value as Members
    const isPage = 'proofs' in at
    const proof = at['proof'] as Members | undefined
    const index = at['index'] as number
    if (proof?.['type'] === ROW_PROOF) {
      const release = named(proof['release'])
      const lapsed = proof['in_force'] === null
      const { index: place } = proof['row'] as { index: number }
      const log = lapsed ? await forgery.log((proof['log'] as LogProof).index) : undefined
      proof['row'] = { index: place, ...atRow(at, release, place) }
      // Its state, period and release are replaced below, as they are elsewhere.
      await walk(proof, list, release)
      if (log) proof['log'] = log
      own = release
    } else if (isSetProof(proof)) atRow(at, list[proof.release] as MemoryRelease, proof.index)
    if ('key_prefix' in at && at['type'] === ABSENCE_PROOF) {
      const release = named(at['release'])
      for (const side of [at['left'], at['right']] as (Members | null)[]) {
        if (!side) continue
        const { row: forged, path } = row(release, side['index'] as number)
        Object.assign(side, { row: forged, path })
      }
    }
    const ofRow = (at['row'] as Members | undefined)?.['proof'] as Members | undefined
    if (ofRow?.['type'] === ROW_PROOF) own = named(ofRow['release'])
    if (isSetProof(ofRow)) own = list[ofRow.release]
    if (Array.isArray(at['releases'])) list = at['releases'].map((each) => named((each as Members)['release']))
    if (Array.isArray(at['rows']))
      for (const each of at['rows'] as Members[]) {
        if (!('release' in each)) continue
        const place = each['release'] as number | null
        const release = (place === null ? own : list[place]) as MemoryRelease
        const { row: forged, path } = row(release, each['index'] as number)
        Object.assign(each, { row: forged, ...('path' in each ? { path } : {}) })
        delete each['like']
      }
    if (typeof at['release'] === 'object' && at['release'] !== null)
      at['release'] = copyOf(forgery.manifest(named(at['release'])))
    if ('period' in at) {
      shown.periods.add(index)
      Object.assign(at, forgery.period(index))
    }
    if (Array.isArray(at['periods']) && 'left_path' in at) {
      const from = at['from'] as number
      const { length } = at['periods']
      for (let i = 0; i < length; i++) shown.periods.add(from + i)
      Object.assign(at, forgery.run(from, length))
    }
    if (proof?.['type'] === RELEASE_PROOF) {
      // Where entries stand in the log is the same; what stands beside them is not.
      const { withdrawal } = proof as { withdrawal: Members | null }
      proof['inclusion'] = (await forgery.log(at['log_index'] as number)).inclusion
      if (withdrawal) {
        const { release_id } = withdrawal['entry'] as Members
        const place = head.entries.findIndex(
          (entry) => entry.schema === WITHDRAWAL_SCHEMA && entry.release_id === release_id,
        )
        withdrawal['inclusion'] = (await forgery.log(place)).inclusion
      }
    }
    if ('provider' in at) {
      shown.providers.add(index)
      Object.assign(at, forgery.provider(index))
    }
    // Places have a state too: the one that they lie in, or null.
    if (at['state'] !== null && typeof at['state'] === 'object') at['state'] = copyOf(forgery.state)
    if ('log' in at && proof?.['type'] !== ROW_PROOF) at['log'] = copyOf(await forgery.log(last))
    for (const [name, member] of Object.entries(at)) {
      const isDone = DONE.includes(name) || (name === 'periods' && 'left_path' in at)
      const isOther = name === 'proof' ? isRead(proof) : name === 'data' && isPage
      if (!isDone && !isOther) await walk(member, list, own)
    }
    if (isPage) resealPage(at, list)
    // By now all rows of the list have been met.
    for (const [i, each] of ((at['releases'] ?? []) as Members[]).entries())
      if ('hashes' in each)
        each['hashes'] = forgery.beside(list[i] as MemoryRelease, placesIn(list[i] as MemoryRelease))
  }

  function resealPage(page: Members, list: readonly MemoryRelease[]): void {
    const items = page['data'] as Members[]
    const runs = page['proofs'] as Members[]
    for (const item of items) {
      const proof = item['proof'] as Members
      const release = list[runs[proof['proof'] as number]?.['release'] as number] as MemoryRelease
      proof['leaf_hash'] = atRow(item, release, proof['index'] as number).leaf_hash
    }
    for (const [i, run] of runs.entries()) {
      const from = run['from'] as number
      const length = items.filter(({ proof }) => (proof as Members)['proof'] === i).length
      Object.assign(run, forgery.sides(list[run['release'] as number] as MemoryRelease, from, from + length))
    }
  }

  const placesIn = (release: MemoryRelease): number[] =>
    [...new Set(shown.rows.flatMap((each) => (each.release === release ? each.index : [])))].sort((a, b) => a - b)

  await walk(body, [])
  return shown
}

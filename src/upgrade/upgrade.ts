// Makes the releases of an older form anew, from the files that they cite.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SourceArchive } from '../citations/archive.ts'
import { putCopy } from '../citations/store.ts'
import type { LoadBudget } from '../ingest/budget.ts'
import { load, sourceDigest } from '../ingest/load.ts'
import { ACCEPTABLE, type LoadOptions } from '../ingest/reader.ts'
import type { Publisher } from '../integrity/publication.ts'
import { Problem } from '../problem.ts'
import type { Citation } from '../proof/price/release.ts'
import { BREAKER_RULES, type Override } from '../registry/release/breaker.ts'
import { moveProvider } from '../registry/release/provider-move.ts'
import { publish } from '../registry/release/publish.ts'
import { discard } from '../registry/release/staging.ts'
import type { ReleaseState } from '../registry/release/store.ts'
import { openRelease } from '../registry/rows/release-file-store.ts'
import { registryEntries, stateIfDue } from '../registry/state/state.ts'
import { MOVE_REASONS } from '../tables/service-reasons.ts'
import { type DueRelease, dueMoves, type UpgradePlan, upgradePlan } from './plan.ts'
import type { FoundSources } from './sources.ts'
import { forgetFile, isFileNamed, listOlder, markOlder } from './store.ts'

export interface UpgradeParts {
  publisher: Publisher
  archive: SourceArchive | undefined
  budget?: LoadBudget
}

/** A release that was made anew, or why it was not. */
export type UpgradedRelease = { older: string } & ({ release_id: string } | { refused: Problem })

/** A cited file that is in none of the places. */
export interface MissingSource extends Pick<Citation, 'file' | 'sha256' | 'url'> {
  release_id: string
  chart: string
  edition: string
}

export const missingSources = ({ releases }: UpgradePlan, found: FoundSources): MissingSource[] =>
  releases.flatMap(({ release: { release_id, chart, edition, citations } }) =>
    citations
      .filter(({ sha256 }) => !found.has(sha256))
      .map(({ file, sha256, url }) => ({ release_id, chart, edition, file, sha256, url })),
  )

export const isFound = ({ release }: DueRelease, found: FoundSources): boolean =>
  release.citations.every(({ sha256 }) => found.has(sha256))

/**
 * Makes every release anew whose files were found, in the order of the log, and repeats the moves of providers. Each is
 * published by itself: after a crash the next upgrade goes on with those that have no successor yet. Those without files are
 * `left` when the operator goes on without them.
 */
export async function upgrade(
  parts: UpgradeParts,
  { releases }: UpgradePlan,
  found: FoundSources,
  onRelease: (result: UpgradedRelease) => void = () => undefined,
): Promise<UpgradedRelease[]> {
  const { publisher } = parts
  const results: UpgradedRelease[] = []
  await repeatMoves(publisher)
  for (const due of releases.filter((each) => isFound(each, found))) {
    const older = due.release.release_id
    const result = await remake(parts, due, found).then(
      ({ release_id }) => ({ older, release_id }),
      (error: unknown) => {
        if (error instanceof Problem) return { older, refused: error }
        throw error
      },
    )
    await repeatMoves(publisher)
    results.push(result)
    onRelease(result)
  }
  // A log without releases has a state of the present form at its end too.
  await stateIfDue(publisher, Date.now())
  if (!results.some((result) => 'refused' in result)) await settle(publisher)
  return results
}

async function remake(
  { publisher, archive, budget }: UpgradeParts,
  due: DueRelease,
  found: FoundSources,
): Promise<ReleaseState> {
  const { db } = publisher
  const { chart, citations } = due.release
  const scratch = mkdtempSync(join(tmpdir(), 'atr-upgrade-'))
  try {
    const paths = await Promise.all(
      citations.map(({ sha256, file }, i) => found.get(sha256)?.bring(join(scratch, String(i)), file) ?? ''),
    )
    const [kind = ''] = chart.split(':')
    const { release } = await load(db, kind, paths, { ...optionsOf(publisher, kind, due), budget }, Date.now())
    await refuseOther(publisher, due, release)
    for (const path of archive ? paths : []) await putCopy(db, (await archive?.keep(path)) ?? '', Date.now(), true)
    return await publish(publisher, release.release_id, Date.now, due.overrides.filter(isOverride))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const isOverride = (said: { rule: string; reason: string }): said is Override =>
  (BREAKER_RULES as readonly string[]).includes(said.rule)

/** The options that a release was loaded with. Those that its manifest does not state are found by its source digest. */
function optionsOf({ db }: Publisher, kind: string, { release, source_digest, file }: DueRelease): LoadOptions {
  const { edition, effective_from, effective_to, period_by, data_class, citations, chart, providers } = release
  const files = citations.map(({ sha256 }) => sha256)
  const known: LoadOptions = {
    edition,
    effective_from,
    ...(period_by === 'operator' ? { effective_to } : {}),
    url: citations.map(({ url }) => url),
    ...(citations[0] ? { retrieved_at: citations[0].retrieved_at } : {}),
    data_class,
    // Whatever the operator accepted then is accepted.
    accept: ACCEPTABLE,
  }
  const owner = chart.split(':')[1] ?? ''
  const given: LoadOptions[] = [
    {},
    ...(providers ? [{ npis: [owner, ...providers.filter((npi) => npi !== owner)] }, { npis: providers }] : []),
    ...(file !== null && db.files.has(file)
      ? [{ regions: [...openRelease(db, { release_id: release.release_id, file }).totals('region').keys()] }]
      : []),
  ]
  const source = { kind, files, effective_from, data_class }
  const right = given.find((each) => sourceDigest(source, { ...known, ...each }) === source_digest)
  // Its NPIs are stated by its manifest; which regions were chosen is stated nowhere else.
  if (!right && !providers)
    throw new Problem(
      'release_conflict',
      `the options of ${release.release_id} are not known without its old file: load it yourself after \`atr upgrade --partial\``,
    )
  return { ...known, ...(right ?? given[1]) }
}

/** The files may be read otherwise by this version: then the release is not the successor, and the operator must decide. */
async function refuseOther({ db }: Publisher, { release }: DueRelease, made: ReleaseState): Promise<void> {
  const same = (['chart', 'edition', 'effective_from', 'effective_to', 'period_by'] as const).filter(
    (member) => made[member] !== release[member],
  )
  if (same.length === 0) return
  await discard(db, made)
  throw new Problem(
    'release_conflict',
    `the files of ${release.release_id} now give another ${same.join(' and ')}: load them yourself after \`atr upgrade --partial\``,
  )
}

async function repeatMoves(publisher: Publisher): Promise<void> {
  for (const { npi, chart, reason } of dueMoves(await registryEntries(publisher.db))) {
    const known = MOVE_REASONS.find((each) => each === reason)
    if (known) await moveProvider(publisher, { npi, chart }, known, Date.now())
  }
}

/** Removes the files of rows that nothing reads any more, then notes what is done and what is left: a crash leaves all of it due. */
async function settle({ db }: Publisher): Promise<void> {
  const left = new Set((await upgradePlan(db)).releases.map(({ release }) => release.release_id))
  const older = await listOlder(db)
  for (const { release_id, file } of older) {
    if (file === null || left.has(release_id)) continue
    await db.transaction(async (tx) => {
      if (!(await isFileNamed(tx, file))) await db.files.remove(file)
      await forgetFile(tx, file)
    })
  }
  await db.transaction(async (tx) => {
    for (const { release_id } of older) await markOlder(tx, release_id, left.has(release_id) ? 'left' : 'done')
  })
}

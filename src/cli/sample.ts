import { join } from 'node:path'
import type { Config } from '../config.ts'
import { importProviders } from '../figures/ledger/directory.ts'
import { importOutcomes } from '../figures/ledger/ledger.ts'
import { releaseFigures } from '../figures/release.ts'
import { systemDice } from '../figures/window/dice.ts'
import { load } from '../ingest/load.ts'
import type { Installation } from '../installation.ts'
import { overrideAll } from '../registry/release/breaker.ts'
import { publish } from '../registry/release/publish.ts'
import { upgradePlan } from '../upgrade/plan.ts'
import { findSources } from '../upgrade/sources.ts'
import { missingSources, upgrade } from '../upgrade/upgrade.ts'
import { notice, openStore } from './command.ts'
import { recheck } from './fsck.ts'

const SAMPLE = join(import.meta.dir, '../../sample')
const inSample = (file: string): string => join(SAMPLE, file)
const RETRIEVED_AT = '2026-11-01T00:00:00Z'
/** The sample is in force for many years, so that it can be tried at any time. */
const ENDS = '2099-12-31'

/** The sample price lists, in the order in which they would have appeared. */
const RELEASES = [
  {
    kind: 'cms-pfs',
    files: ['PPRRVU-SAMPLE26A.csv', 'GPCI-SAMPLE26.csv'],
    edition: 'SAMPLE26A',
    effective_from: '2026-01-01',
  },
  {
    kind: 'cms-pfs',
    files: ['PPRRVU-SAMPLE26D.csv', 'GPCI-SAMPLE26.csv'],
    edition: 'SAMPLE26D',
    effective_from: '2026-10-01',
  },
  { kind: 'cms-clfs', files: ['CLFS-SAMPLE26Q4.csv'], edition: 'SAMPLE26Q4', effective_from: '2026-10-01' },
  { kind: 'cms-asp', files: ['ASP-SAMPLE26Q4.csv'], edition: 'SAMPLE26Q4', effective_from: '2026-10-01' },
  { kind: 'cms-dmepos', files: ['DMEPOS-SAMPLE26Q4.csv'], edition: 'SAMPLE26Q4', effective_from: '2026-10-01' },
  { kind: 'zip-locality', files: ['ZIP5-SAMPLE.txt'], edition: 'SAMPLE26Q4', effective_from: '2026-10-01' },
  {
    kind: 'ncci-mue-practitioner',
    files: ['MCR_MUE_PractitionerServices_Eff_10-01-2026_SAMPLE.csv'],
    edition: 'SAMPLE26Q4',
    effective_from: '2026-10-01',
  },
  {
    kind: 'ncci-mue-outpatient',
    files: ['MCR_MUE_OutpatientHospitalServices_Eff_10-01-2026_SAMPLE.csv'],
    edition: 'SAMPLE26Q4',
    effective_from: '2026-10-01',
  },
  {
    kind: 'ncci-mue-dme',
    files: ['MCR_MUE_DMESupplierServices_Eff_10-01-2026_SAMPLE.csv'],
    edition: 'SAMPLE26Q4',
    effective_from: '2026-10-01',
  },
  {
    kind: 'ncci-ptp-practitioner',
    files: ['CCIPRA-SAMPLE26Q4.txt'],
    edition: 'SAMPLE26Q4',
    effective_from: '2026-10-01',
  },
  {
    kind: 'ncci-ptp-outpatient',
    files: ['CCIOPH-SAMPLE26Q4.txt'],
    edition: 'SAMPLE26Q4',
    effective_from: '2026-10-01',
  },
  { kind: 'ncci-add-on', files: ['AOC-SAMPLE26Q4.csv'], edition: 'SAMPLE26Q4', effective_from: '2026-10-01' },
  { kind: 'hospital-mrf', files: ['1234567893_sample-hospital_standardcharges.csv'] },
]

/** Loads and publishes the bundled sample with the code that loads real files. */
export async function loadSample(
  { db, registryLog, figuresLog, cosign }: Installation,
  now: () => number,
): Promise<void> {
  for (const { kind, files, ...edition } of RELEASES) {
    const cited = { url: 'about:sample', retrieved_at: RETRIEVED_AT, data_class: 'sample' as const }
    const options = { ...edition, ...cited, effective_to: ENDS }
    const { release } = await load(db, kind, files.map(inSample), options, now())
    await publish({ db, log: registryLog, cosign }, release.release_id, now(), overrideAll('sample_data'))
  }
  await importProviders(db, Bun.file(inSample('providers.csv')).stream())
  await importOutcomes(db, Bun.file(inSample('outcomes.csv')).stream(), { now, data_class: 'sample' })
  await releaseFigures({ db, log: figuresLog, now, cosign, dice: systemDice() })
  await recheck({ db, registryLog, figuresLog }, now())
}

/** Makes the releases of a demo store of an older form anew: its files are those of the sample. */
export async function upgradeSample(config: Config): Promise<void> {
  const { db, registryLog, cosign } = await openStore(config, { takesOlder: true })
  try {
    const plan = await upgradePlan(db)
    if (!plan.isDue) return
    const wanted = plan.releases.flatMap(({ release }) => release.citations)
    const found = await findSources(wanted, undefined, [SAMPLE])
    // Files of others were loaded into it: `serve` then says which command it needs.
    if (missingSources(plan, found).length > 0) return
    const upgraded = await upgrade({ publisher: { db, log: registryLog, cosign }, archive: undefined }, plan, found)
    notice(`the sample data had an older form: ${upgraded.length} releases were made anew`)
  } finally {
    await db.close()
  }
}

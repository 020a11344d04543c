// A store with the invented files, read and published as they would be.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { load } from '../../src/ingest/load.ts'
import { createInstallation, openInstallation } from '../../src/installation.ts'
import { CHARTS } from '../../src/registry/charts.ts'
import { overrideAll } from '../../src/registry/release/breaker.ts'
import { publish } from '../../src/registry/release/publish.ts'
import { withdraw } from '../../src/registry/release/withdrawal.ts'
import { forgetful, storeEnvironment } from '../support/engines.ts'
import { BASE_URL, TestApp, temporaryFolder } from '../support/harness.ts'
import { filesOf } from './naive-files.ts'
import type { Published } from './naive-model.ts'
import type { Edition } from './naive-world.ts'

/** A store of its own, with the contract of another: to make that takes longer than the store. */
export async function anotherStore({ contract, clock }: TestApp): Promise<TestApp> {
  const folder = temporaryFolder()
  const config = readConfig(await storeEnvironment(join(folder.path, 'data')))
  await createInstallation(config, { origin: 'registry.example', now: clock.now }, async () => {})
  const installation = await openInstallation(config)
  await forgetful(installation.db)
  const app = makeApp(installation, {
    baseUrl: () => BASE_URL,
    now: () => clock.now,
    railsClock: async () => clock.now,
    limits: { default_rpm: 120, reference_rpm: 300, log_rpm: 6_000, enabled: false },
    observe: () => {},
    charts: CHARTS,
  })
  return new TestApp(folder, config, installation, app, clock, [], contract)
}

/** Loads and publishes the editions in their order, and then withdraws those that are to be. */
export async function stored(app: TestApp, editions: readonly Edition[]): Promise<Published[]> {
  const { db, registryLog, cosign } = app.installation
  const publisher = { db, log: registryLog, cosign }
  const made: Published[] = []
  for (const [number, edition] of editions.entries()) {
    const folder = join(app.folder.path, `files-${number}`)
    mkdirSync(folder)
    const paths = filesOf(edition, number).map(({ name, bytes }) => {
      writeFileSync(join(folder, name), bytes)
      return join(folder, name)
    })
    const isHospital = edition.chart === 'hospital-mrf'
    const { release } = await load(
      db,
      edition.chart,
      paths,
      {
        data_class: 'sample',
        url: 'https://publisher.example/files',
        edition: `E${edition.from.replaceAll('-', '')}`,
        ...(isHospital ? {} : { effective_from: edition.from }),
        ...(edition.to === null ? {} : { effective_to: edition.to }),
      },
      app.clock.now,
    )
    made.push({ ...edition, release: release.release_id })
    if (edition.fate !== 'staged')
      await publish(publisher, release.release_id, app.clock.now, overrideAll('sample_data'))
  }
  for (const { release, fate } of made)
    if (fate === 'withdrawn') await withdraw(publisher, release, 'operator_decision', app.clock.now)
  return made
}

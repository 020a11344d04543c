import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { aRelease } from '../../../test/support/builders.ts'
import { storeEnvironment } from '../../../test/support/engines.ts'
import { temporaryFolder } from '../../../test/support/folder.ts'
import { recheck } from '../../cli/fsck.ts'
import { readConfig } from '../../config.ts'
import { createInstallation, openInstallation } from '../../installation.ts'
import { commitToLog } from '../../integrity/publication.ts'
import { utf8 } from '../../proof/bytes.ts'
import { canonical } from '../../proof/canonical-json.ts'
import { MOVE_SCHEMA, type RegistryState, WITHDRAWAL_SCHEMA } from '../../proof/price/release.ts'
import { publish } from '../release/publish.ts'
import { stage } from '../release/staging.ts'
import { registryEntries } from './state.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')
const recorded_at = new Date(NOW).toISOString()

/** The report of `atr fsck` after an operator with the key has signed these entries by other means than ours. */
async function faultsAfter(forge: (state: RegistryState) => readonly object[]): Promise<string[]> {
  using folder = temporaryFolder()
  const config = readConfig(await storeEnvironment(join(folder.path, 'data')))
  await createInstallation(config, { origin: 'replay.example', now: NOW }, async () => undefined)
  const installation = await openInstallation(config)
  const { db, registryLog: log, cosign } = installation
  const { rows, ...release } = aRelease()
  const staged = await stage(db, release, rows, new Map(), NOW)
  await publish({ db, log, cosign }, staged.release.release_id, NOW)
  const state = (await registryEntries(db)).at(-1) as RegistryState
  await commitToLog({ db, log, cosign }, NOW, (_, append) =>
    append(forge(state).map((entry) => utf8(canonical(entry)))),
  )
  const { faults } = await recheck(installation, NOW)
  await db.close()
  return faults
}

test('a state that says the same again is sound', async () => {
  expect(await faultsAfter((state) => [state])).toEqual([])
})

test('a state that does not follow from the entries before it is found', async () => {
  expect(await faultsAfter((state) => [{ ...state, timeline_size: 0 }])).toEqual([
    'registry log: entry 3 is a state that does not follow from those before it',
  ])
})

test('a checkpoint whose last entry is not a state is found, and what the entry withdraws', async () => {
  const withdrawal = { schema: WITHDRAWAL_SCHEMA, release_id: 'cms-pfs:OTHER:1', chart: 'cms-pfs', recorded_at }
  const faults = await faultsAfter(() => [{ ...withdrawal, reason: 'wrong_source' }])
  expect(faults).toContain('registry log: entry 3 withdraws a release that is not there, or for the second time')
  expect(faults).toContain('registry log: the last entry of the checkpoint of size 4 is not a state')
  expect(faults).toContain('1 releases or withdrawals are in the log and not in the store')
})

test('a move to a chart that does not name the provider is found', async () => {
  const move = { schema: MOVE_SCHEMA, npi: '1234567893', chart: 'hospital-mrf:1234567893', recorded_at }
  expect(await faultsAfter((state) => [{ ...move, reason: 'owner_changed' }, state])).toEqual([
    'registry log: entry 3 moves a provider to a chart that does not name it',
  ])
})

test('an entry that this log does not have is found', async () => {
  expect(await faultsAfter((state) => [{ schema: 'price-release/1' }, state])).toEqual([
    'registry log: entry 3 is not one that this log has',
  ])
})

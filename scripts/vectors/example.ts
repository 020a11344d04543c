// The worked example: a registry small enough that every hash of it can be shown. Its bytes, for example-page.ts.

import { concat, fromBase64, toBase64, toHex, utf8 } from '../../src/proof/bytes.ts'
import { canonical } from '../../src/proof/canonical-json.ts'
import { aNoisedState, aStateOfNothing, figuresBody, firstRelease } from '../../src/proof/figures-fixture.ts'
import { MemoryLog } from '../../src/proof/fixture.ts'
import { formatPolicy } from '../../src/proof/note/policy.ts'
import { keyId } from '../../src/proof/note/signed-note.ts'
import type { AbsenceProof, CitedRow } from '../../src/proof/price/proofs.ts'
import { rowKey, rowText } from '../../src/proof/price/row.ts'
import { leafOf } from '../../src/proof/price/timeline.ts'
import { aFee, aRow, MemoryRegistry } from '../../src/proof/registry-fixture.ts'
import { leafHash } from '../../src/proof/tree/merkle.ts'
import { signerOf } from './keys.ts'
import { fee, feeInputs } from './registry.ts'

const HOST = 'registry.example'
export const DAY = '2026-07-15'
const registry = { ...signerOf(`${HOST}/log/registry`, 21), url: `https://${HOST}/log/registry` }
const figures = { ...signerOf(`${HOST}/log/figures`, 22), url: `https://${HOST}/log/figures` }

const service = new MemoryRegistry(registry)
service.publish([aRow({ cpt: '36415', amount: '8.83' }), aRow({ cpt: '80053' })], { chart: 'cms-clfs' })
const schedule = service.publish(
  [
    aFee({ cpt: '99212', amount: '58.12' }),
    fee,
    aFee({
      cpt: '99213',
      setting: 'facility',
      amount: '65.80',
      derivation: { method: 'pfs-formula/1', inputs: { ...feeInputs, practice_rvu: '0.58' } },
    }),
  ],
  { chart: 'cms-pfs' },
)

const { body: price } = await service.answer({ cpt: '99213', as_of: DAY })
const { body: refusal } = await service.answer({ cpt: '99999', as_of: DAY, basis: 'medicare_pfs' })
const released = [aStateOfNothing(), ...firstRelease(1, aNoisedState())]
const figuresLog = new MemoryLog(figures).append(...released.map((entry) => utf8(canonical(entry))))
const ofFigures = await figuresBody(figuresLog, aNoisedState(), released.length - 1)
const changed = {
  data: [{ ...released[1], proof: { log: await figuresLog.prove(1) } }],
  states: [],
  page: {},
  links: {},
}

const entries = service.entries.map((entry) => utf8(canonical(entry)))
const bundle = concat(...entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 255), entry]))
const policy = formatPolicy([registry, figures])
const pretty = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`

/** The files of docs/spec/example/, by name. */
export const exampleFiles: Record<string, string | Uint8Array> = {
  'policy.txt': policy,
  'price-99213.json': pretty(price),
  'absence-99999.json': pretty(refusal),
  'figures.json': pretty(ofFigures),
  'change-w.json': pretty(changed),
  'checkpoint-3.txt': await service.log.checkpoint(3),
  'checkpoint-5.txt': await service.log.checkpoint(5),
  'tile-0-000.p-5.bin': service.log.tile(0, 0, 5),
  'entries-000.p-5.bin': bundle,
}

const { proof, ...row } = price as unknown as CitedRow
const in_force = proof.in_force as AbsenceProof['in_force']
const periods = service.standing.periods
const hashed = (value: unknown): string => toHex(leafOf(value))
const hexOf = (base64: string): string => toHex(fromBase64(base64) as Uint8Array)
const shown = (value: unknown): string => canonical(value)
const sizeOf = (text: string): string => utf8(text).length.toLocaleString('en-US')
const rowLeaves = schedule.rows.map((each) => leafHash(utf8(rowText(each))))

/** What the page shows. */
export const bytes = {
  row: JSON.stringify(row),
  key: rowKey(row),
  rowText: rowText(row),
  rowSize: sizeOf(rowText(row)),
  rowIndex: proof.row.index,
  rowHash: hexOf(proof.row.leaf_hash),
  rowHash64: proof.row.leaf_hash,
  rowPath: proof.row.path,
  keys: schedule.rows.map((each, i) => ({ key: rowKey(each), hash: toHex(rowLeaves[i] as Uint8Array) })),
  rowsRoot: proof.release.rows_root,
  rowsRootHex: hexOf(proof.release.rows_root),
  manifest: shown(proof.release),
  manifestSize: sizeOf(shown(proof.release)),
  manifestHash: hashed(proof.release),
  manifestHash64: toBase64(leafOf(proof.release)),
  periods: periods.map((period) => ({ text: shown(period), hash: hashed(period) })),
  periodIndex: in_force.index,
  timelineRoot: in_force.state.timeline_root,
  state: shown(in_force.state),
  stateSize: sizeOf(shown(in_force.state)),
  stateHash: hashed(in_force.state),
  logIndex: proof.log.index,
  inclusion: proof.log.inclusion,
  checkpoint: proof.log.checkpoint.trimEnd(),
  root: (proof.log.checkpoint.split('\n')[2] as string) ?? '',
  rootHex: hexOf(proof.log.checkpoint.split('\n')[2] as string),
  older: ((await service.log.checkpoint(3)).split('\n')[2] as string) ?? '',
  keyId: toHex(keyId(registry.name, registry.publicKey)),
  policyLine: policy.split('\n')[0] as string,
  entries: service.entries.map((entry) => ({
    schema: (entry as { schema: string }).schema,
    size: sizeOf(shown(entry)),
    hash: hashed(entry),
  })),
  bundleSize: bundle.length.toLocaleString('en-US'),
  bundleHead: toHex(bundle.slice(0, 2)),
  neighbour: rowKey(schedule.rows.at(-1) as (typeof schedule.rows)[number]),
}

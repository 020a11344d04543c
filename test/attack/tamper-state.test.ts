import { expect, test } from 'bun:test'
import { recheck } from '../../src/cli/fsck.ts'
import type { Db } from '../../src/db/db.ts'
import { tables } from '../../src/db/migrator.ts'
import { fromUtf8, utf8 } from '../../src/proof/bytes.ts'
import { ENGINES } from '../support/engines.ts'
import { testApp } from '../support/harness.ts'
import { atr } from '../support/service.ts'

// What is stored is changed behind the service's back, one thing at a time, and put back.

type Value = string | number | Uint8Array
type Change = (value: Value) => Value
interface Tampering {
  what: string
  table: string
  column: string
  where: string
  change: Change
  said: RegExp
}

const tampering = (what: string, place: string, where: string, change: Change, said: RegExp): Tampering => {
  const [table = '', column = ''] = place.split('.')
  return { what, table, column, where, change, said }
}
const replaced =
  (from: string, to: string): Change =>
  (value) =>
    value instanceof Uint8Array ? utf8(fromUtf8(value).replaceAll(from, to)) : String(value).replaceAll(from, to)
const flipped =
  (place: number): Change =>
  (value) =>
    (value as Uint8Array).map((byte, i) => (i === place ? byte ^ 1 : byte))
const to =
  (value: Value): Change =>
  () =>
    value
const more: Change = (value) => Number(value) + 1
const another: Change = (value) => 1 - Number(value)

const REGISTRY = "log = 'registry'"
const TAMPERINGS: Tampering[] = [
  tampering(
    'a manifest',
    'release.manifest',
    "edition = 'SAMPLE26D'",
    replaced('SAMPLE26D', 'SAMPLE26E'),
    /manifest is not the log entry/,
  ),
  tampering(
    'a manifest in the log',
    'log_leaf.body',
    REGISTRY,
    replaced('SAMPLE26D', 'SAMPLE26E'),
    /tile 0\/0 does not match the entries/,
  ),
  tampering(
    'a state in the log',
    'log_leaf.body',
    REGISTRY,
    replaced('"timeline_size":1', '"timeline_size":2'),
    /tile 0\/0 does not match the entries/,
  ),
  tampering('a bit of an entry', 'log_leaf.body', `${REGISTRY} AND leaf_index = 1`, flipped(20), /registry/),
  tampering('a bit of a log tile', 'log_tile.hashes', REGISTRY, flipped(0), /tile 0\/0 does not match the entries/),
  tampering(
    'a checkpoint',
    'log_checkpoint.root',
    `${REGISTRY} AND size = 3`,
    (root) => `AAAA${String(root).slice(4)}`,
    /checkpoint of size 3/,
  ),
  tampering(
    'a signature',
    'log_checkpoint.note',
    `${REGISTRY} AND size = 5`,
    replaced('\n5\n', '\n6\n'),
    /checkpoint of size 5|signed last/,
  ),
  tampering('the public checkpoint', 'log_head.note', REGISTRY, replaced('registry', 'regjstry'), /public checkpoint/),
  tampering(
    'a release under another name',
    'release.release_id',
    'release_no = 1',
    replaced(':1', ':9'),
    /in the log and not in the store/,
  ),
  tampering(
    'the day an edition takes effect',
    'release.effective_from',
    "edition = 'SAMPLE26A'",
    to('2026-02-01'),
    /the manifest says another effective_from/,
  ),
  tampering(
    'its last day',
    'release.effective_to',
    "edition = 'SAMPLE26D'",
    to('2026-12-30'),
    /the manifest says another effective_to/,
  ),
  tampering('the chart of a release', 'release.chart', 'release_no = 1', to('cms-opps'), /another chart/),
  tampering('the class of its data', 'release.data_class', 'release_no = 1', to('published'), /another data_class/),
  tampering('a citation', 'release.citations', 'release_no = 1', replaced('GPCI', 'GPCJ'), /another citations/),
  tampering('the day it was published', 'release.published_at', 'release_no = 1', to(1), /another recorded_at/),
  tampering('its revision', 'release.revision', 'release_no = 1', to(7), /not the one in its name/),
  tampering('a release put back', 'release.state', 'release_no = 1', to('staged'), /not in the state of a release/),
  tampering('what the rules found', 'release_check.failed', "severity = 'reject'", more, /what the rules found/),
  tampering('a change from the edition before', 'release_delta.added', '1 = 1', more, /does not add up/),
  tampering(
    'how far prices have moved',
    'release_delta.moves',
    '1 = 1',
    replaced('"change":"', '"change":"1'),
    /not what their rows say/,
  ),
  tampering(
    'a figure change',
    'figure_change.entry',
    "metric = 'w'",
    replaced('"metric":"w"', '"metric":"r"'),
    /change \d+ differs from its log entry/,
  ),
  tampering(
    'the figure that a change is filed under',
    'figure_change.metric',
    "metric = 'w'",
    to('r'),
    /change \d+ differs from its log entry/,
  ),
  tampering(
    'the name of a released figure',
    'figure_release.figures',
    'release_no = 1',
    replaced('"savings_total":', '"savings_totals":'),
    /release \S+: its figures do not have the names that they were released under/,
  ),
  tampering(
    'a text that was JSON',
    'figure_release.figures',
    'release_no = 1',
    replaced('{', '['),
    /figures: the store has a text that this program has not written/,
  ),
  tampering(
    'the noised counts of a provider',
    'provider_window.tally',
    'npi = (SELECT MIN(npi) FROM provider_window)',
    replaced('[', '[1'),
    /release \S+: the windows of its providers are not those that were sealed/,
  ),
  tampering('a case', 'outcome.recurring', 'case_ref = (SELECT MIN(case_ref) FROM outcome)', another, /./),
  tampering('a salt', 'outcome_salt.salt', 'case_ref = (SELECT MIN(case_ref) FROM outcome_salt)', flipped(3), /./),
  tampering('a released figure', 'figure_release.figures', 'release_no = 1', replaced('3', '4'), /./),
]

/** Changes what is stored, and returns how to put it back. */
async function tamper(db: Db, { table, column, where, change }: Tampering): Promise<() => Promise<void>> {
  const key = tables().find(({ name }) => name === table)?.key ?? []
  const of = key.map((name, i) => `${name} = $${i + 2}`).join(' AND ')
  type Row = Record<string, Value>
  const rows = await db.query<Row>(`SELECT ${[...key, `${column} AS found`].join(', ')} FROM ${table} WHERE ${where}`)
  const store = async (row: Row, value: Value): Promise<void> => {
    await db.query(`UPDATE ${table} SET ${column} = $1 WHERE ${of}`, [value, ...key.map((name) => row[name])])
  }
  const changed = rows.filter(({ found = '' }) => !Bun.deepEquals(change(found), found))
  for (const row of changed) await store(row, change(row['found'] as Value))
  expect(changed.length).toBeGreaterThan(0)
  return async () => {
    for (const row of changed) await store(row, row['found'] as Value)
  }
}

test.each(ENGINES.map((engine) => [engine]))(
  'on %s, whatever is changed in the tables of a store, fsck finds it',
  async (engine) => {
    await using app = await testApp({ sample: true, engine })
    const { installation } = app
    let checks = 1
    const faults = async (): Promise<string[]> => (await recheck(installation, app.clock.now + checks++)).faults
    for (const each of TAMPERINGS) {
      const putBack = await tamper(installation.db, each)
      const found = await faults()
      expect([each.what, found.join('\n')]).toEqual([each.what, expect.stringMatching(each.said)])
      await putBack()
    }
    expect(await faults()).toEqual([])
    // The command names the first fault, and counts them.
    const { DATA_DIR } = app.config
    expect(await atr(['fsck'], { DATA_DIR })).toMatchObject({ code: 0, out: expect.stringMatching(/^ok: \d+ rows/) })
    await tamper(installation.db, TAMPERINGS[0] as Tampering)
    const { code, out } = await atr(['fsck'], { DATA_DIR })
    expect([code, out]).toEqual([1, expect.stringMatching(/manifest is not the log entry[^\n]*\n\d+ faults?\n$/)])
  },
)

import { expect } from 'bun:test'
import { recheck } from '../../src/cli/fsck.ts'
import { testOnPostgres } from '../support/engines.ts'
import { testApp } from '../support/harness.ts'

// What tamper.test.ts does to a file is done here to a database. Each change, made twice, is undone.

const flipped = (column: string, place: number): string =>
  `${column} = set_byte(${column}, ${place}, get_byte(${column}, ${place}) # 1)`
const swapped = (column: string, letters = '12'): string =>
  `${column} = translate(${column}, '${letters}', '${[...letters].reverse().join('')}')`

const CHANGES: [what: string, sql: string, said: RegExp][] = [
  ['a bit of an entry', `log_leaf SET ${flipped('body', 20)} WHERE log = 'registry' AND leaf_index = 1`, /registry/],
  ['a bit of a tile', `log_tile SET ${flipped('hashes', 40)} WHERE log = 'registry' AND level = 0`, /tile 0\/0/],
  ['a manifest', `release SET ${swapped('manifest')} WHERE log_index = 1`, /manifest is not the log entry/],
  ['a signed root', `log_checkpoint SET ${swapped('root', 'AB')} WHERE log = 'registry' AND size > 1`, /registry/],
  ['a case', 'outcome SET recurring = 1 - recurring WHERE case_ref = (SELECT MIN(case_ref) FROM outcome)', /./],
  ['a salt', `outcome_salt SET ${flipped('salt', 3)} WHERE case_ref = (SELECT MIN(case_ref) FROM outcome_salt)`, /./],
  ['a released figure', `figure_release SET ${swapped('figures', '3456789')} WHERE release_no = 1`, /./],
  ['a change of a figure', `figure_change SET ${swapped('entry')}`, /./],
]

testOnPostgres(
  'whatever is changed in the tables of a database, fsck notices',
  async () => {
    await using app = await testApp({ sample: true, engine: 'postgres' })
    const { installation } = app
    let checks = 1
    const faults = async (): Promise<string[]> => (await recheck(installation, app.clock.now + checks++)).faults
    for (const [what, sql, said] of CHANGES) {
      const change = (): Promise<unknown[]> => installation.db.query(`UPDATE ${sql} RETURNING 1 AS changed`)
      expect([what, (await change()).length > 0]).toEqual([what, true])
      const found = await faults()
      expect([what, found.length > 0]).toEqual([what, true])
      expect(found.join('\n')).toMatch(said)
      await change()
    }
    expect(await faults()).toEqual([])
  },
  60_000,
)

import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { combinationsOf } from '../support/hospital-reading/combinations.ts'
import { DAMAGES, type HospitalJson, JSON_DAMAGES, recordsOf } from '../support/hospital-reading/damage.ts'
import { readHospitalFile, textOfFile } from '../support/hospital-reading/file.ts'
import { oddFile } from '../support/hospital-reading/oddities.ts'
import { npiNumber, readTwice } from '../support/hospital-reading/release.ts'
import { isLong } from '../support/long.ts'
import { published, SLOW, testOnPublished } from '../support/published-files.ts'
import { closeShelf, openShelf } from '../support/published-shelf.ts'

// The same prices, written as other hospitals write them. Where a file states the same as before, the release has the
// same prices; where it states something else, what a second reader finds in it.

afterAll(closeShelf)

const TALL = 'hospital-mrf/real/1194866210_marthas-vineyard-hospital_v3_tall_COMPLETE.csv.gz'
const WIDE = 'hospital-mrf/real/1174582050_md-anderson_v3_wide_shard00.csv.gz'
const ITEMS = 'hospital-mrf/real/1306938071_adventhealth-orlando_v3_json_shard00.json.gz'
const LINES = isLong ? 20_000 : 300

const written = async (name: string, content: Uint8Array | string): Promise<string> => {
  const path = join((await openShelf()).folder.path, name)
  writeFileSync(path, content)
  return path
}

/** Each for a hospital of its own: so none is a revision of another. */
async function agrees(damaged: string, plain: string, isHarmless: boolean): Promise<void> {
  const { read, combinations, found, disagreements } = await readTwice(await openShelf(), damaged, {
    override: !isHarmless,
  })
  expect(disagreements.slice(0, 10)).toEqual([])
  expect([combinations > 100, found]).toEqual([true, combinations])
  if (!isHarmless) return
  const before = combinationsOf(readHospitalFile(plain).charges)
  expect(read.size).toBe(before.size)
  for (const [key, { bases }] of before)
    for (const [basis, { low, high }] of Object.entries(bases))
      expect([key, basis, read.get(key)?.bases[basis as keyof typeof bases]]).toEqual([
        ...[key, basis],
        expect.objectContaining({ low, high }),
      ])
}

let hospitals = 0
for (const file of isLong ? [TALL, WIDE] : [TALL])
  for (const { name, isHarmless, write } of DAMAGES)
    testOnPublished(
      `with ${name}, every price of ${file} is found`,
      [file],
      async () => {
        const npi = npiNumber(hospitals++)
        const cut = recordsOf(textOfFile(published(file))).slice(0, LINES)
        const at = cut[0]?.indexOf('type_2_npi') ?? -1
        const records = cut.with(1, (cut[1] ?? []).with(at, npi))
        const plain = await written(`${npi}-plain.csv`, (DAMAGES[0] as (typeof DAMAGES)[0]).write(records))
        await agrees(await written(`${npi}.csv`, write(records)), plain, isHarmless)
      },
      SLOW,
    )

for (const { name, isHarmless, write } of JSON_DAMAGES)
  testOnPublished(
    `with ${name}, every price of ${ITEMS} is found`,
    [ITEMS],
    async () => {
      const npi = npiNumber(hospitals++)
      const whole = JSON.parse(textOfFile(published(ITEMS))) as HospitalJson
      const standard_charge_information = whole.standard_charge_information.slice(0, LINES)
      const file = { ...whole, type_2_npi: [npi], standard_charge_information }
      await agrees(
        await written(`${npi}.json`, write(file)),
        await written(`${npi}-plain.json`, JSON.stringify(file)),
        isHarmless,
      )
    },
    SLOW,
  )

test('what hospitals write now and then is read, or its row says why not, and nothing is invented', async () => {
  const { combinations, found, absences, disagreements } = await readTwice(
    await openShelf(),
    await written('odd.csv', oddFile()),
    { override: true },
  )
  expect(disagreements).toEqual([])
  expect([found, combinations > 650, absences > 30]).toEqual([combinations, true, true])
})

import { expect, test } from 'bun:test'
import { until } from '../../test/support/until.ts'
import { utf8 } from '../proof/bytes.ts'
import { aSigner, keyOf } from '../proof/fixture.ts'
import { cosign } from '../proof/note/cosignature.ts'
import { answering, checkpointText, NOW, openLog } from './fixture.ts'
import { commitToLog, followWaiting, noWitnesses, type WaitingNews } from './publication.ts'
import { cosignedBy } from './witness-client.ts'

test('what waits for a witness is tried again with an alarm each time, until it is public', async () => {
  await using opened = await openLog()
  const { db, log } = opened
  const signer = await aSigner('witness.example/one')
  let isUp = false
  using witness = answering(async (_, body) =>
    isUp ? new Response(await cosign(checkpointText(body), signer, NOW / 1000)) : new Response('busy', { status: 503 }),
  )
  const cosigning = cosignedBy([{ key: keyOf(signer, 4), url: witness.url }], 1, { timeoutMs: 2_000, retries: 0 })
  await expect(opened.publish('one', cosigning)).rejects.toThrow('waits for its witnesses')
  const before = await log.head(db)
  const news: WaitingNews[] = []
  const job = followWaiting({
    publishers: [{ db, log, cosign: cosigning }],
    tell: (each) => news.push(each),
    tellFault: ({ fault }) => {
      throw fault
    },
    lookMs: 5,
  })
  await until(() => news.length >= 3)
  expect(news.every(({ fault }) => String(fault).includes('waits for its witnesses'))).toBe(true)
  expect((await log.head(db)).size).toBe(before.size)
  isUp = true
  await until(() => news.at(-1)?.fault === undefined)
  expect(news.at(-1)).toEqual({ log: log.name })
  expect((await log.head(db)).size).toBe((await log.signed(db)).size)
  await job.stop()
})

test('a machine whose clock is minutes or a day from that of the database cannot publish, and is told which way', async () => {
  await using opened = await openLog()
  const { db, log } = opened
  const publishAt = (skewMs: number): Promise<number> =>
    commitToLog({ db, log, cosign: noWitnesses, machineNow: () => Date.now() + skewMs }, NOW, (_, append) =>
      append([utf8('entry')]),
    )
  await expect(publishAt(120_000)).rejects.toThrow('120 seconds ahead of that of the database')
  await expect(publishAt(-86_400_000)).rejects.toThrow('86400 seconds behind that of the database')
  expect((await log.signed(db)).size).toBe(0)
  expect(await publishAt(2_000)).toBe(0)
})

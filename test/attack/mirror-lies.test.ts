import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { constants, zstdCompressSync } from 'node:zlib'
import { aSigner } from '../../src/proof/fixture.ts'
import { parseNote, signNote } from '../../src/proof/note/signed-note.ts'
import { formatTreeHead, parseTreeHead } from '../../src/proof/note/tree-head.ts'
import type { AlarmCode } from '../../tools/monitor/alarm.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { edited, flipped, gone } from '../support/lie.ts'
import { MirrorWorld, shownBy, withoutId } from '../support/mirror-world.ts'

const rowsOf = (amount: string) =>
  ['G0101', 'G0102', 'G0103'].map((code) => aPrice({ code, price: { amount, currency: 'USD' } }))
const NEXT = { edition: 'TEST2', effective_from: '2026-06-01', rows: rowsOf('22.22') }

type Lie = (world: MirrorWorld) => void | Promise<void>

const onPath =
  (part: string, answer: (response: Response) => Response | Promise<Response>): Lie =>
  (world) => {
    world.tamper = (path, response) => (path.includes(part) ? answer(response) : response)
  }
const ROWS = '.ndjson.zst'
const packed = (content: string | Uint8Array): Response =>
  new Response(new Uint8Array(Bun.zstdCompressSync(new Uint8Array(Buffer.from(content)))))

/** The rows of the newest release, changed on their way. */
const lines = (change: (texts: string[]) => string[]): Lie =>
  onPath(ROWS, async (response) => {
    const texts = Bun.zstdDecompressSync(await response.arrayBuffer())
      .toString()
      .trimEnd()
      .split('\n')
    return packed(
      change(texts)
        .map((text) => `${text}\n`)
        .join(''),
    )
  })

/** More memory than a mirror gives to unpacking. */
const inWideFrame = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  new Uint8Array(zstdCompressSync(bytes, { params: { [constants.ZSTD_c_windowLog]: 27 } }))

const signedOver =
  (change: (head: { origin: string; size: number; root: Uint8Array }) => object): Lie =>
  (world) =>
    onPath('/log/registry/checkpoint', async (response) => {
      const head = parseTreeHead(parseNote(await response.text())?.text ?? '')
      if (!head) throw new Error('no head')
      const text = formatTreeHead({ ...head, ...change(head) })
      return new Response(await signNote(text, world.app.installation.registryLog.signers))
    })(world)

const ENDLESS = 48 * 1024 ** 2

const endless = (): ReadableStream<Uint8Array> =>
  new ReadableStream({ pull: (controller) => controller.enqueue(crypto.getRandomValues(new Uint8Array(65_536))) })

const LIES: [AlarmCode, string, Lie][] = [
  ['row_hashes_wrong', 'a price is changed', lines((texts) => texts.map((text) => text.replace('22.22', '11.11')))],
  ['rows_unreadable', 'a row is left out', lines((texts) => texts.slice(1))],
  [
    'row_hashes_wrong',
    'a row is another one',
    lines(([one = '', ...more]) => [one.replace('G0101', 'G0100'), ...more]),
  ],
  [
    'row_hashes_wrong',
    'the rows are those of another release',
    (world) => {
      const other = world.tree.path('/releases/cms-pfs:TEST1:1.ndjson.zst')
      onPath(ROWS, () => new Response(new Uint8Array(readFileSync(other))))(world)
    },
  ],
  ['rows_unreadable', 'a row is added', lines((texts) => [...texts, (texts[0] ?? '').replace('G0101', 'G0104')])],
  ['rows_unreadable', 'a row is there twice', lines(([one = '', , last = '']) => [one, one, last])],
  ['rows_unreadable', 'rows are out of order', lines((texts) => texts.toReversed())],
  ['rows_unreadable', 'a row has a space more', lines((texts) => texts.map((text) => text.replace(',', ', ')))],
  ['rows_unreadable', 'a row has a member more', lines((texts) => texts.map((text) => text.replace('{', '{"a":1,')))],
  ['rows_unreadable', 'a row is no text', lines(() => ['\ufeff', '', '7'])],
  [
    'rows_unreadable',
    'a line is longer than any row',
    lines(([one = '']) => [one.replace('}', `${' '.repeat(20_000)}}`)]),
  ],
  ['rows_unreadable', 'a few bytes unpack to a line without end', onPath(ROWS, () => packed(new Uint8Array(ENDLESS)))],
  [
    'rows_unreadable',
    'a few bytes unpack to lines without end',
    onPath(ROWS, () => packed(new Uint8Array(ENDLESS).fill(0x0a))),
  ],
  [
    'rows_unreadable',
    'the last line does not end',
    onPath(ROWS, async (response) => packed(Bun.zstdDecompressSync(await response.arrayBuffer()).subarray(0, -1))),
  ],
  ['rows_unreadable', 'the rows are not packed', onPath(ROWS, () => new Response(new Uint8Array(1_000)))],
  [
    'rows_unreadable',
    'unpacking needs too much memory',
    onPath(ROWS, () => new Response(inWideFrame(crypto.getRandomValues(new Uint8Array(65_536))))),
  ],
  [
    'rows_unreadable',
    'the stream is cut short',
    onPath(ROWS, async (response) => new Response((await response.arrayBuffer()).slice(0, 100))),
  ],
  ['rows_unreadable', 'the stream has no end', onPath(ROWS, () => new Response(endless()))],
  ['rows_unreadable', 'the stream is refused', onPath(ROWS, gone)],
  ['tiles_wrong', 'a tile of the log is changed', onPath('/log/registry/tile/0/', flipped)],
  ['entry_altered', 'an entry of the log is changed', onPath('/log/registry/tile/entries/', flipped)],
  ['tiles_wrong', 'the signed root is another one', signedOver(({ root }) => ({ root: root.map((byte) => byte ^ 1) }))],
  ['log_rolled_back', 'an older checkpoint is shown', signedOver(({ size }) => ({ size: size - 3 }))],
  [
    'checkpoint_invalid',
    'another key has signed',
    async (world) => {
      const stranger = await aSigner(world.app.installation.registryLog.origin)
      onPath(
        '/log/registry/checkpoint',
        async (response) => new Response(await signNote(parseNote(await response.text())?.text ?? '', [stranger])),
      )(world)
    },
  ],
  ['answer_unverified', 'the figures are changed', onPath('/api/figures', edited('"w":null', '"w":0.9'))],
]

test('an answer is kept as it was verified, though the service would show another one if it were asked again', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease({ rows: rowsOf('11.11') }))
  let asked = 0
  const changed = edited('"w":null', '"w":0.9')
  await onPath('/api/figures', (response) => (asked++ === 0 ? response : changed(response)))(world)
  await world.mirror()
  expect(world.tree.text('/api/figures')).toBe(
    await (await world.service.fetch(new Request(`${world.url}/api/figures`), '')).text(),
  )
})

test('each lie stops the mirror, which keeps what it has, and an honest round goes on from there', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease({ rows: rowsOf('11.11') }))
  expect(await world.mirror()).toMatchObject({ alarms: [] })
  await world.app.publish(aRelease(NEXT))
  await using mirror = await world.serve()
  const before = shownBy(world.tree)
  const answer = await withoutId(await mirror.ask('/reference?cpt=G0102'))
  expect(answer).toContain('11.11')
  for (const [code, what, lie] of LIES) {
    await lie(world)
    const { alarms } = await world.mirror()
    expect([what, alarms.map((each) => each.code)]).toEqual([what, expect.arrayContaining([code])])
    expect([what, shownBy(world.tree)]).toEqual([what, before])
    expect(await withoutId(await mirror.ask('/reference?cpt=G0102'))).toBe(answer)
    world.tamper = (_, response) => response
  }
  expect(await world.mirror()).toMatchObject({ alarms: [], brought: 1 })
  expect(await withoutId(await mirror.ask('/reference?cpt=G0102'))).toContain('22.22')
})

test('what a service sends beside the rows is not passed on to readers of the folder', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease({ rows: rowsOf('11.11') }))
  // A frame that every decoder skips (RFC 8878, section 3.1.2).
  const skipped = Buffer.from('502a4d1804000000deadbeef', 'hex')
  await onPath(
    ROWS,
    async (response) => new Response(Buffer.concat([skipped, Buffer.from(await response.arrayBuffer())])),
  )(world)
  expect(await world.mirror()).toMatchObject({ alarms: [], brought: 1 })
  const kept = readFileSync(world.tree.path('/releases/cms-pfs:TEST1:1.ndjson.zst'))
  expect(kept.includes('deadbeef', 0, 'hex')).toBe(false)
  expect(Bun.zstdDecompressSync(kept).toString().match(/\n/g)).toHaveLength(3)
})

test('a log that was forked behind the mirror is refused, with both checkpoints as evidence', async () => {
  await using world = await MirrorWorld.start()
  await world.app.publish(aRelease({ rows: rowsOf('11.11') }))
  await world.mirror()
  const before = shownBy(world.tree)
  const known = world.tree.text('/log/registry/checkpoint') ?? ''
  await signedOver(() => ({ root: new Uint8Array(32).fill(7) }))(world)
  const { alarms } = await world.mirror()
  expect(alarms).toMatchObject([{ code: 'log_forked', evidence: { older_checkpoint: known } }])
  expect(shownBy(world.tree)).toEqual(before)
  // A folder that has lost its tiles still has its checkpoint, and does not forget it.
  writeFileSync(world.tree.path('/log/registry/checkpoint'), await forkOf(known, world))
  world.tamper = (_, response) => response
  expect((await world.mirror()).alarms).toMatchObject([{ code: 'log_forked' }])
})

/** A checkpoint of another history that is as long. */
async function forkOf(note: string, world: MirrorWorld): Promise<string> {
  const head = parseTreeHead(parseNote(note)?.text ?? '')
  if (!head) throw new Error('no head')
  return signNote(
    formatTreeHead({ ...head, root: new Uint8Array(32).fill(9) }),
    world.app.installation.registryLog.signers,
  )
}

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AlarmCode } from '../../src/monitor/alarm.ts'
import { aSigner } from '../../src/proof/fixture.ts'
import { parseNote, signNote } from '../../src/proof/note/signed-note.ts'
import { formatTreeHead, parseTreeHead } from '../../src/proof/note/tree-head.ts'
import { aPrice, aRelease } from '../support/builders.ts'
import { edited, flipped, gone } from '../support/lie.ts'
import { MirrorWorld, shownBy, withoutId } from '../support/mirror-world.ts'
import { replacing, withRows } from '../support/release-file.ts'

const rowsOf = (amount: string) =>
  ['G0101', 'G0102', 'G0103'].map((cpt) => aPrice({ cpt, price: { amount, currency: 'USD' } }))
const NEXT = { edition: 'TEST2', effective_from: '2026-06-01', rows: rowsOf('22.22') }

interface Index {
  schema: string
  files: { release_id: string; file: string; bytes: number }[]
}
type Lie = (world: MirrorWorld) => void | Promise<void>

const onPath =
  (part: string, answer: (response: Response) => Response | Promise<Response>): Lie =>
  (world) => {
    world.tamper = (path, response) => (path.includes(part) ? answer(response) : response)
  }
const FILE = '.atr.zst'
const packed = (bytes: Uint8Array): Response =>
  new Response(new Uint8Array(Bun.zstdCompressSync(new Uint8Array(bytes))))

/** The file of the newest release, changed; the index names it as it is now, so its digest is right. */
const forged =
  (edit: (file: Database) => void): Lie =>
  async (world) => {
    const { files } = (await (await world.ask('/releases/index.json')).json()) as Index
    world.tamper = async (path, response) => {
      if (path.endsWith('index.json')) {
        const index = (await response.json()) as Index
        const last = index.files.at(-1)
        if (last)
          Object.assign(last, { file: createHash('sha256').update(bytes()).digest('hex'), bytes: bytes().length })
        return Response.json(index)
      }
      return path.endsWith(FILE) ? packed(bytes()) : response
    }
    const file = join(world.folder.path, 'forged.db')
    const bytes = (): Uint8Array => new Uint8Array(readFileSync(file))
    writeFileSync(file, readFileSync(world.app.installation.db.files.pathOf(files.at(-1)?.file ?? '')))
    const database = new Database(file)
    edit(database)
    database.close()
  }

const declared =
  (bytes: (real: number) => number): Lie =>
  (world) => {
    world.tamper = async (path, response) => {
      if (!path.endsWith('index.json')) return path.endsWith(FILE) ? packed(new Uint8Array(48 * 1024 ** 2)) : response
      const index = (await response.json()) as Index
      return Response.json({ ...index, files: index.files.map((each) => ({ ...each, bytes: bytes(each.bytes) })) })
    }
  }

const signedOver =
  (change: (head: { origin: string; size: number; root: Uint8Array }) => object): Lie =>
  (world) =>
    onPath('/log/registry/checkpoint', async (response) => {
      const head = parseTreeHead(parseNote(await response.text())?.text ?? '')
      if (!head) throw new Error('no head')
      const text = formatTreeHead({ ...head, ...change(head) })
      return new Response(await signNote(text, world.app.installation.registryLog.signers))
    })(world)

const LIES: [AlarmCode, string, Lie][] = [
  [
    'rows_unreadable',
    'a row is changed and the name of the file kept',
    (world) => {
      world.tamper = async (path, response) => {
        if (!path.endsWith(FILE)) return response
        const file = Bun.zstdDecompressSync(await response.arrayBuffer())
        const at = file.length - 3000
        file[at] = (file[at] ?? 0) ^ 1
        return packed(new Uint8Array(file))
      }
    },
  ],
  ['row_hashes_wrong', 'a row is changed in a file with a name of its own', forged(replacing('22.22', '11.11'))],
  ['row_hashes_wrong', 'a row is left out', forged(withRows((rows) => rows.slice(1)))],
  [
    'row_hashes_wrong',
    'the tree is that of other rows',
    forged((file) => file.run('UPDATE bundle SET hashes = zeroblob(length(hashes))')),
  ],
  [
    'row_hashes_wrong',
    'a total is wrong, by which absences are answered',
    forged((file) => file.run("DELETE FROM total WHERE item = 'G0102'")),
  ],
  [
    'rows_unreadable',
    'a view is in place of a table',
    forged((file) => {
      file.run('ALTER TABLE total RENAME TO other')
      file.run('CREATE VIEW total AS SELECT kind, item, row_count FROM other WHERE random() > 0')
    }),
  ],
  [
    'rows_unreadable',
    'the file is no database at all',
    (world) => {
      world.tamper = async (path, response) => {
        if (path.endsWith(FILE)) return packed(new Uint8Array(1000))
        if (!path.endsWith('index.json')) return response
        const index = (await response.json()) as Index
        const file = createHash('sha256').update(new Uint8Array(1000)).digest('hex')
        return Response.json({ ...index, files: index.files.map((each) => ({ ...each, file, bytes: 1000 })) })
      }
    },
  ],
  [
    'row_hashes_wrong',
    'the file is that of another release',
    (world) => {
      world.tamper = async (path, response) => {
        if (!path.endsWith('index.json')) return response
        const { schema, files } = (await response.json()) as Index
        const [first] = files
        return Response.json({ schema, files: files.map(({ release_id }) => ({ ...first, release_id })) })
      }
    },
  ],
  [
    'rows_unreadable',
    'the file is cut short',
    onPath(FILE, async (response) => new Response((await response.arrayBuffer()).slice(0, 700))),
  ],
  ['rows_unreadable', 'a few bytes unpack to very many', declared((real) => real)],
  ['rows_unreadable', 'a size is declared that no such release can have', declared(() => 10 ** 12)],
  ['rows_unreadable', 'the file is refused', onPath(FILE, gone)],
  [
    'rows_unreadable',
    'the index leaves the release out',
    onPath('index.json', async (response) => {
      const { schema, files } = (await response.json()) as Index
      return Response.json({ schema, files: files.slice(0, -1) })
    }),
  ],
  [
    'rows_unreadable',
    'the index is not one',
    onPath('index.json', () => Response.json({ files: [{ release_id: '../../x' }] })),
  ],
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
    if (what.includes('declared')) expect(alarms[0]?.sentence).toContain('more than its rows can take')
    expect([what, shownBy(world.tree)]).toEqual([what, before])
    expect(await withoutId(await mirror.ask('/reference?cpt=G0102'))).toBe(answer)
    world.tamper = (_, response) => response
  }
  expect(await world.mirror()).toMatchObject({ alarms: [], brought: 1 })
  expect(await withoutId(await mirror.ask('/reference?cpt=G0102'))).toContain('22.22')
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

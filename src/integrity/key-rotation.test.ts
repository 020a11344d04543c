import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { toBase64 } from '../proof/bytes.ts'
import { aSigner } from '../proof/fixture.ts'
import { cosign } from '../proof/note/cosignature.ts'
import { openNote, type VerifierKey } from '../proof/note/signed-note.ts'
import { EMPTY_ROOT } from '../proof/tree/merkle.ts'
import { NOW, type OpenLog, openLog } from './fixture.ts'
import { retireOldKeys, rotateKeys } from './key-rotation.ts'
import { type Cosign, finish, noWitnesses } from './publication.ts'

const opensWith = async ({ db, log }: OpenLog, key: VerifierKey | undefined): Promise<boolean> =>
  (await openNote((await log.head(db)).note, key ? [key] : [])).ok
const rotate = ({ db, log, keyFile }: OpenLog): Promise<void> => rotateKeys(db, [log], keyFile)

test('a log that was opened before a rotation signs with the new key too', async () => {
  await using opened = await openLog()
  await rotate(opened)
  const [newest, old] = opened.log.keys
  await opened.publish('one')
  expect([await opensWith(opened, newest), await opensWith(opened, old)]).toEqual([true, true])
})

test('a rotation while witnesses are asked does not leave a head that only the old key signed', async () => {
  await using opened = await openLog()
  const witness = await aSigner('witness.example/one')
  const during: Cosign = {
    isEnough: async () => false,
    async ask(_db, _log, signed) {
      await rotate(opened)
      return [await cosign(signed.note.slice(0, signed.note.indexOf('\n\n') + 1), witness, NOW / 1000)]
    },
  }
  await opened.publish('one', during)
  const [newest, old] = opened.log.keys
  const { note, size } = await opened.log.head(opened.db)
  expect(size).toBe(1)
  expect([await opensWith(opened, newest), await opensWith(opened, old)]).toEqual([true, true])
  expect(note.match(/^\u2014 witness\.example\/one /gm)).toHaveLength(1)
  // A head that is public already is cosigned again.
  await finish({ db: opened.db, log: opened.log, cosign: during })
  expect(await opensWith(opened, opened.log.keys[0])).toBe(true)
  expect((await opened.log.head(opened.db)).note.match(/^\u2014 witness/gm)).toHaveLength(1)
})

test('publications and rotations at once never leave a head without the newest key', async () => {
  await using opened = await openLog()
  const other = await opened.openAgain()
  const work = Array.from({ length: 12 }, (_, i) =>
    i % 3 === 2 ? rotateKeys(other, [opened.log], opened.keyFile) : opened.publish(`entry ${i}`),
  )
  await Promise.all(work)
  await other.close()
  expect(opened.log.keys).toHaveLength(5)
  expect((await opened.log.head(opened.db)).size).toBe(8)
  expect(await opensWith(opened, opened.log.keys[0])).toBe(true)
})

test('keys can be rotated while an entry waits for witnesses', async () => {
  await using opened = await openLog()
  const none: Cosign = { isEnough: async () => false, ask: () => Promise.reject(new Error('no witness answers')) }
  await expect(opened.publish('one', none)).rejects.toThrow('no witness answers')
  await rotate(opened)
  expect(await opensWith(opened, opened.log.keys[0])).toBe(true)
  await finish({ db: opened.db, log: opened.log, cosign: noWitnesses })
  expect((await opened.log.head(opened.db)).size).toBe(1)
  expect(await opensWith(opened, opened.log.keys[0])).toBe(true)
})

test('a rotation that crashed before it signed is finished by the next one, which adds no third key', async () => {
  await using opened = await openLog()
  const before = readFileSync(opened.keyFile.path, 'utf8')
  await rotate(opened)
  // The crash leaves the new key in the file, and a store in which it has signed nothing.
  const after = readFileSync(opened.keyFile.path, 'utf8')
  await using crashed = await openLog()
  writeFileSync(crashed.keyFile.path, `${after.split('\n')[0]}\n${readFileSync(crashed.keyFile.path, 'utf8')}`)
  expect(await opensWith(crashed, crashed.log.keys[0])).toBe(false)
  await rotate(crashed)
  expect(crashed.log.keys).toHaveLength(2)
  expect(await opensWith(crashed, crashed.log.keys[0])).toBe(true)
  expect(before.split('\n')).toHaveLength(2)
})

test('a retired key stays in the file with the last checkpoint that it may have signed', async () => {
  await using opened = await openLog()
  await rotate(opened)
  const [, old] = opened.log.keys
  const [vkey] = await retireOldKeys(opened.db, [opened.log], opened.keyFile)
  expect(opened.log.keys).toHaveLength(1)
  expect(opened.log.currentKeys().retired).toEqual([{ key: old as VerifierKey, size: 0, root: EMPTY_ROOT }])
  expect(readFileSync(opened.keyFile.path, 'utf8').split('\n')[1]).toBe(`${vkey} 0 ${toBase64(EMPTY_ROOT)}`)
  await opened.publish('one')
  expect(await opensWith(opened, old)).toBe(false)
  expect(await opensWith(opened, opened.log.keys[0])).toBe(true)
})

test('a key that has signed nothing does not replace a key that has', async () => {
  await using opened = await openLog()
  const lines = readFileSync(opened.keyFile.path, 'utf8')
  await using stranger = await openLog()
  writeFileSync(opened.keyFile.path, readFileSync(stranger.keyFile.path, 'utf8') + lines)
  await expect(retireOldKeys(opened.db, [opened.log], opened.keyFile)).rejects.toThrow('has signed nothing yet')
  expect(opened.log.keys).toHaveLength(2)
})

test.each([
  ['a word too many', (line: string) => `${line} 0 x`],
  ['a public key without its checkpoint', () => 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
  ['no key', () => 'hello'],
])('a key file with %s is damaged', async (_, damage) => {
  await using opened = await openLog()
  const text = readFileSync(opened.keyFile.path, 'utf8')
  writeFileSync(opened.keyFile.path, `${text}${damage(text.trimEnd())}\n`)
  expect(() => opened.log.keys).toThrow('the log key file is damaged: restore it from a backup')
})

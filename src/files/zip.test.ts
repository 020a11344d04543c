import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { effort } from '../../test/support/effort.ts'
import { Problem } from '../problem.ts'
import { utf8 } from '../proof/bytes.ts'
import { type Archive, openArchive, openArchiveBytes } from './zip.ts'
import { joined, type ZipMember, zip } from './zip-fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'archive-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
function written(bytes: Uint8Array): string {
  const path = join(folder, `${files++}.zip`)
  writeFileSync(path, bytes)
  return path
}

const MIB = 1024 * 1024
const LIMIT = 64 * MIB
const prices = Array.from({ length: 40_000 }, (_, i) => `G${String(i % 9999).padStart(4, '0')},${i * 7}.25`).join('\n')

async function contentsOf({ members }: Archive): Promise<[string, string][]> {
  const contents: [string, string][] = []
  for (const { name, stream } of members) {
    const chunks: Uint8Array[] = []
    for await (const chunk of stream()) chunks.push(chunk)
    contents.push([name, new TextDecoder().decode(joined(chunks))])
  }
  return contents
}

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof Problem) return error.detail
    throw error
  }
  return 'not refused'
}
const refusalOf = (members: readonly ZipMember[], options?: Parameters<typeof zip>[1]): string =>
  refusal(() => openArchiveBytes(zip(members, options)))

describe('an archive', () => {
  const members: ZipMember[] = [
    { name: 'RVU/prices.csv', data: prices },
    { name: 'RVU/notes.txt', data: 'a,b\n', stored: true },
    { name: 'empty.txt', data: '', stored: true },
  ]
  const contents = [
    ['prices.csv', prices],
    ['notes.txt', 'a,b\n'],
    ['empty.txt', ''],
  ]

  test.each([false, true])('is read member by member, from a file and from memory (zip64: %p)', async (wide) => {
    const bytes = zip(members, { wide })
    const archive = await openArchive(written(bytes))
    expect(await contentsOf(archive)).toEqual(contents as [string, string][])
    archive.close()
    const inMemory = openArchiveBytes(bytes).members
    expect(inMemory.map(({ name, unpack }) => [name, new TextDecoder().decode(unpack(LIMIT))])).toEqual(contents)
  })

  test('is read again from the start whenever a member is asked for', async () => {
    const archive = openArchiveBytes(zip(members))
    expect(await contentsOf(archive)).toEqual(await contentsOf(archive))
    for await (const chunk of archive.members[0]?.stream() ?? []) {
      expect(chunk.length).toBeGreaterThan(0)
      break // a reader may stop early
    }
  })

  test('shows nothing of what systems leave in it', () => {
    const junk = ['__MACOSX/RVU/._prices.csv', '.DS_Store', 'RVU/.hidden', 'RVU/Thumbs.db', 'RVU/']
    const archive = openArchiveBytes(zip([...members, ...junk.map((name) => ({ name, data: 'x', stored: true }))]))
    expect(archive.members.map(({ name }) => name)).toEqual(['prices.csv', 'notes.txt', 'empty.txt'])
  })

  test('may be followed by a comment, and by nothing else', () => {
    const bytes = zip(members)
    const commented = joined([bytes, utf8('hello')])
    commented[bytes.length - 2] = 5
    expect(openArchiveBytes(commented).members.length).toBe(3)
    expect(refusal(() => openArchiveBytes(joined([bytes, utf8('hello')])))).toContain('damaged')
    expect(refusal(() => openArchiveBytes(joined([utf8('MZ-and-a-program'), bytes])))).toContain('damaged')
  })

  test('is refused wherever it is cut short', () => {
    const bytes = zip([{ name: 'a.csv', data: 'a,b\n1,2\n' }], { wide: true })
    for (let length = 0; length < bytes.length; length++)
      expect([length, refusal(() => openArchiveBytes(bytes.subarray(0, length)))]).toEqual([
        length,
        'the archive is damaged or incomplete: download it again from the publisher',
      ])
  })
})

describe('an archive is refused, before anything is unpacked,', () => {
  const csv = { name: 'a.csv', data: 'a,b\n1,2\n' }

  test('when a name points outside it', () => {
    for (const name of ['../a.csv', '/etc/a.csv', 'x/../../a.csv', '..\\a.csv', 'C:\\a.csv', 'c:a.csv', 'x/..'])
      expect([name, refusalOf([{ ...csv, name }])]).toEqual([
        name,
        'a member of the archive has a name that points outside it',
      ])
    expect(refusalOf([{ ...csv, name: 'a\0.csv' }])).toBe('a member of the archive has an invalid name')
  })

  test('when two members have one name, or one place', () => {
    expect(refusalOf([csv, csv])).toBe('two members of the archive have the same name')
    expect(refusalOf([csv, { ...csv, name: 'A.CSV' }])).toBe('two members of the archive have the same name')
    const same = { ...csv, name: 'b.csv', claims: { offset: 0, localName: 'b.csv' } }
    expect(refusalOf([{ ...csv, name: 'c.csv', claims: { localName: 'b.csv' } }, same])).toContain('damaged')
    // Two directory entries share the same bytes, as in overlapping bombs.
    const twice = zip([csv, { ...csv, name: 'a.csx', claims: { offset: 0 } }])
    expect(refusal(() => openArchiveBytes(twice))).toContain('damaged')
    const long = {
      name: 'a.csv',
      data: prices,
      stored: true,
      claims: { packed: prices.length + 10, size: prices.length + 10 },
    }
    expect(refusalOf([long, { ...csv, name: 'b.csv' }])).toBe('members of the archive overlap')
  })

  test('when another reader would see something else in it', () => {
    const described = { ...csv, descriptor: {} }
    expect(refusalOf([described])).toBe('not refused')
    for (const lie of [{ crc: 1 }, { size: 1 }, { packed: 1 }])
      expect(
        refusalOf([
          { ...described, descriptor: lie },
          { ...csv, name: 'b.csv' },
        ]),
      ).toContain('damaged')
    expect(refusalOf([{ ...csv, claims: { localSize: 9_999 } }])).toContain('damaged')
  })

  test('when its zip64 fields lie', () => {
    for (const claims of [{ size: 2 ** 52 }, { packed: 2 ** 40, size: 2 ** 40 }, { offset: 2 ** 45 }])
      expect(refusalOf([{ ...csv, claims }], { wide: true })).toMatch(/damaged|overlap|20 GiB|100 times/)
    expect(refusalOf([csv], { wide: true, count: 2 ** 33 })).toContain('more than 1,000')
  })

  test('when it holds another archive', () => {
    for (const name of ['b.zip', 'x/b.tar.gz', 'b.7Z'])
      expect(refusalOf([csv, { name, data: zip([csv]), stored: true }])).toContain('the archive holds another archive')
  })

  test('when a member is encrypted, a link, or packed in another way', () => {
    expect(refusalOf([{ ...csv, claims: { flags: 0x801 } }])).toBe('a member of the archive is encrypted')
    expect(refusalOf([{ ...csv, claims: { method: 99 } }])).toContain('a method other than deflate')
    expect(refusalOf([{ ...csv, claims: { method: 14 } }])).toContain('a method other than deflate')
    expect(refusalOf([{ ...csv, claims: { unixMode: 0o120777 } }])).toBe('the archive holds a symbolic link')
  })

  test('when it has more than a thousand members', () => {
    const many = Array.from({ length: 1_001 }, (_, i) => ({ name: `${i}.csv`, data: 'a', stored: true }))
    expect(refusalOf(many)).toBe('the archive has more than 1,000 members')
    expect(refusalOf(many, { count: 3 })).toContain('damaged')
    expect(openArchiveBytes(zip(many.slice(1))).members.length).toBe(1_000)
  })

  test('when it would unpack to a hundred times its size, or to more than 20 GiB', () => {
    const bomb = { name: 'a.csv', data: new Uint8Array(8 * MIB) }
    expect(refusalOf([bomb])).toBe('the archive unpacks to more than 100 times its size')
    const claims = { size: 7 * 1024 ** 3, packed: 1 }
    const huge = ['a', 'b', 'c'].map((name) => ({ name, data: 'x', claims }))
    expect(refusalOf(huge, { wide: true })).toContain('the archive unpacks to more than 20 GiB')
  })
})

describe('a member that is not what the directory declares is refused while it is read', () => {
  const whole = async (bytes: Uint8Array): Promise<string> => {
    const archive = openArchiveBytes(bytes)
    const [member] = archive.members
    const unpacked = refusal(() => member?.unpack(LIMIT))
    let streamed = 'not refused'
    let seen = 0
    try {
      for await (const chunk of member?.stream() ?? []) seen += chunk.length
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      streamed = error.detail
    }
    expect(seen).toBeLessThanOrEqual(member?.size ?? 0)
    expect(streamed).toBe(unpacked)
    return streamed
  }
  const LIES = 'a file in the archive is damaged: its size or checksum is not as declared; download the archive again'
  const csv = { name: 'a.csv', data: prices }

  test('when it unpacks to more, or to less', async () => {
    expect(await whole(zip([csv]))).toBe('not refused')
    expect(await whole(zip([{ ...csv, claims: { size: prices.length - 1 } }]))).toBe(LIES)
    expect(await whole(zip([{ ...csv, claims: { size: prices.length + 1 } }]))).toBe(LIES)
  })

  test('when a bomb says that it is small', async () => {
    const spent = effort()
    const bomb = { name: 'a.csv', data: new Uint8Array(64 * MIB), claims: { size: 1_000 } }
    expect(await whole(zip([bomb]))).toBe(LIES)
    expect(spent()).toBeLessThan(2_000)
  })

  test('when its bytes were changed', async () => {
    expect(await whole(zip([{ ...csv, claims: { crc: 1 } }]))).toBe(LIES)
    expect(await whole(zip([{ ...csv, stored: true, claims: { crc: 1 } }]))).toBe(LIES)
    const body = deflateRawSync(utf8(prices))
    body.fill(0xff, 100, 200)
    const damaged = zip([
      { name: 'a.csv', data: new Uint8Array(body), stored: true, claims: { method: 8, size: prices.length } },
    ])
    expect(await whole(damaged)).toBe(LIES)
  })

  test('and a large one is not read whole by mistake', () => {
    const [member] = openArchiveBytes(zip([csv])).members
    expect(refusal(() => member?.unpack(1024))).toContain('larger than')
  })
})
